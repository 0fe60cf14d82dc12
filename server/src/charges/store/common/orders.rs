//! Statements in the same words: orders and the queue.

macro_rules! orders {
    ($pool:ty, $connection:ty) => {
        pub(super) async fn order(
            db: &$pool,
            account: &AccountId,
            id: &str,
        ) -> Result<Option<Order>, StoreError> {
            query_as::<_, OrderRow>(
                "SELECT id, status, version, total, parcels FROM orders \
                 WHERE account = $1 AND id = $2",
            )
            .bind(account.as_str())
            .bind(id)
            .fetch_optional(db)
            .await?
            .map(Order::try_from)
            .transpose()
        }

        /// An order, new if it is not there. It is locked until the transaction ends.
        pub(super) async fn hold_order(
            db: &mut $connection,
            account: &str,
            id: &str,
        ) -> Result<Order, StoreError> {
            query_as::<_, OrderRow>(
                "INSERT INTO orders (account, id, status, version, total, parcels) \
                 VALUES ($1, $2, 'new', 0, 0, 0) \
                 ON CONFLICT (account, id) DO UPDATE SET version = orders.version \
                 RETURNING id, status, version, total, parcels",
            )
            .bind(account)
            .bind(id)
            .fetch_one(db)
            .await?
            .try_into()
        }

        pub(super) async fn save_order(
            db: &mut $connection,
            account: &str,
            order: &Order,
        ) -> Result<(), StoreError> {
            query(
                "UPDATE orders SET status = $1, version = $2, total = $3, parcels = $4 \
                 WHERE account = $5 AND id = $6",
            )
            .bind(order.status.name())
            .bind(int(order.version))
            .bind(order.total)
            .bind(int(order.parcels))
            .bind(account)
            .bind(&order.id)
            .execute(db)
            .await?;
            Ok(())
        }

        /// What was said under the name of a change.
        pub(super) async fn order_change(
            db: &mut $connection,
            account: &str,
            name: &str,
        ) -> Result<Option<Vec<u8>>, StoreError> {
            let fingerprint =
                query_scalar("SELECT fingerprint FROM order_changes WHERE account = $1 AND name = $2")
                    .bind(account)
                    .bind(name)
                    .fetch_optional(db)
                    .await?;
            Ok(fingerprint)
        }

        /// Notes a change by its name. False when the name is taken.
        pub(super) async fn note_order_change(
            db: &mut $connection,
            account: &str,
            name: &str,
            fingerprint: &[u8],
        ) -> Result<bool, StoreError> {
            let noted = query(
                "INSERT INTO order_changes (account, name, fingerprint) VALUES ($1, $2, $3) \
                 ON CONFLICT DO NOTHING",
            )
            .bind(account)
            .bind(name)
            .bind(fingerprint)
            .execute(db)
            .await?;
            Ok(noted.rows_affected() == 1)
        }

        /// Changes an order. In a transaction.
        pub(super) async fn change_order(
            db: &mut $connection,
            account: &str,
            id: &str,
            change: &Change,
        ) -> Result<Changed, StoreError> {
            let order = hold_order(db, account, id).await?;
            let named = orders::named(change);
            let known = match named {
                Some((name, _)) => order_change(db, account, name).await?,
                None => None,
            };
            let next = match orders::apply(change, order.clone(), known.as_deref()) {
                Applied::Said(changed) => return Ok(changed),
                Applied::Order(next) => next,
            };
            if let Some((name, fingerprint)) = named
                && !note_order_change(db, account, name, fingerprint.as_bytes()).await?
            {
                // Another transaction noted it, with a change of another order, and
                // committed while this one waited.
                let known = order_change(db, account, name).await?;
                return match orders::apply(change, order, known.as_deref()) {
                    Applied::Said(changed) => Ok(changed),
                    Applied::Order(_) => Err(StoreError::Corrupt("change")),
                };
            }
            save_order(db, account, &next).await?;
            Ok(Changed::Done(next))
        }

        pub(super) async fn messages(
            db: &$pool,
            account: &AccountId,
        ) -> Result<Vec<Message>, StoreError> {
            query_as::<_, MessageRow>(
                "SELECT number, account, message, order_id, amount, rule, lost_acks, crash, \
                 deliveries, done FROM messages WHERE account = $1 ORDER BY number DESC LIMIT $2",
            )
            .bind(account.as_str())
            .bind(i64::from(orders::SHOWN))
            .fetch_all(db)
            .await?
            .into_iter()
            .map(Message::try_from)
            .collect()
        }

        /// Notes that a message was carried out. False when that was noted before.
        pub(super) async fn note_consumed(
            db: &mut $connection,
            message: &Message,
        ) -> Result<bool, StoreError> {
            let noted = query(
                "INSERT INTO consumed (account, message) VALUES ($1, $2) ON CONFLICT DO NOTHING",
            )
            .bind(orders::owner(message)?)
            .bind(&message.id)
            .execute(db)
            .await?;
            Ok(noted.rows_affected() == 1)
        }

        /// The effect of a message and, in the safe form, the note of it: both or
        /// neither. In a transaction.
        pub(super) async fn consume(
            db: &mut $connection,
            message: &Message,
        ) -> Result<bool, StoreError> {
            let account = orders::owner(message)?;
            let fresh = match message.rule {
                ConsumerRule::SameTransaction => note_consumed(db, message).await?,
                ConsumerRule::Separate => {
                    query("SELECT 1 FROM consumed WHERE account = $1 AND message = $2")
                        .bind(account)
                        .bind(&message.id)
                        .fetch_optional(&mut *db)
                        .await?
                        .is_none()
                }
                ConsumerRule::Blind => true,
            };
            if fresh {
                let order = hold_order(db, account, &message.order).await?;
                save_order(db, account, &orders::carry_out(message, order)).await?;
            }
            Ok(fresh)
        }

        pub(super) async fn acknowledge(
            db: &mut $connection,
            message: &Message,
        ) -> Result<(), StoreError> {
            query("UPDATE messages SET done = TRUE WHERE number = $1")
                .bind(message.number)
                .execute(db)
                .await?;
            Ok(())
        }
    };
}

pub(in crate::charges::store) use orders;
