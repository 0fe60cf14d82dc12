//! The statements that SQLite and PostgreSQL understand in the same words.

/// Writes them down as functions over the pool and the connection of one database.
/// `$intents_by` is what the order of insertion is read from in `intents`.
macro_rules! common {
    ($pool:ty, $connection:ty, intents_by = $intents_by:literal) => {
        use model::fault::Fault;
        use sqlx::{query, query_as, query_scalar};

        use crate::charges::store::orders::{self, Applied, MessageRow, OrderRow};
        use crate::charges::store::rows::{
            self, ChargeRow, EntryRow, IntentRow, ListedRow, RefundRow, int,
        };
        use crate::charges::store::{
            Charge, Entry, Intent, KeyRow, Made, Refund, ReleaseKey, StoreError,
        };
        use crate::id::AccountId;
        use crate::lab::settings::{Changes, ConsumerRule};
        use crate::orders::{Change, Changed, Message, Order};

        pub(super) async fn count_accounts(db: &$pool) -> Result<u32, StoreError> {
            let count: i64 = query_scalar("SELECT count(*) FROM accounts")
                .fetch_one(db)
                .await?;
            Ok(u32::try_from(count).unwrap_or(u32::MAX))
        }

        pub(super) async fn change(
            db: &mut $connection,
            id: &AccountId,
            changes: &Changes,
            sweeps: bool,
        ) -> Result<(), StoreError> {
            let text =
                serde_json::to_string(changes).map_err(|_| StoreError::Corrupt("setting"))?;
            query("UPDATE accounts SET settings = $1, sweeps = $2 WHERE id = $3")
                .bind(text)
                .bind(sweeps)
                .bind(id.as_str())
                .execute(db)
                .await?;
            Ok(())
        }

        /// In a transaction.
        pub(super) async fn reset(
            db: &mut $connection,
            id: &AccountId,
        ) -> Result<(), StoreError> {
            for sql in [
                "DELETE FROM keys WHERE account = $1",
                "DELETE FROM charges WHERE account = $1",
                "DELETE FROM intents WHERE account = $1",
                "DELETE FROM faults WHERE account = $1",
                "DELETE FROM messages WHERE account = $1",
                "DELETE FROM consumed WHERE account = $1",
                "DELETE FROM orders WHERE account = $1",
                "DELETE FROM order_changes WHERE account = $1",
            ] {
                query(sql).bind(id.as_str()).execute(&mut *db).await?;
            }
            Ok(())
        }

        pub(super) async fn keys(
            db: &$pool,
            account: &AccountId,
            limit: u32,
        ) -> Result<Vec<KeyRow>, StoreError> {
            query_as::<_, ListedRow>(
                "SELECT key, fingerprint, state, point, token, claimed_at, lease_until, \
                 expires_at, status, target, intent, generation FROM keys WHERE account = $1 \
                 ORDER BY claimed_at DESC, key LIMIT $2",
            )
            .bind(account.as_str())
            .bind(i64::from(limit))
            .fetch_all(db)
            .await?
            .into_iter()
            .map(KeyRow::try_from)
            .collect()
        }

        /// False when somebody took over.
        pub(super) async fn release(
            db: &mut $connection,
            ask: &ReleaseKey,
        ) -> Result<bool, StoreError> {
            let written = query(
                "UPDATE keys SET state = 'released', lease_until = NULL, point = $1 \
                 WHERE account = $2 AND key = $3 AND token = $4 AND state = 'running'",
            )
            .bind(rows::point_name(ask.point))
            .bind(ask.account.as_str())
            .bind(ask.key.as_str())
            .bind(i64::from(ask.token.0))
            .execute(db)
            .await?;
            Ok(written.rows_affected() == 1)
        }

        /// In a transaction, unless it is a charge.
        pub(super) async fn insert(
            db: &mut $connection,
            account: &AccountId,
            made: &Made,
        ) -> Result<(), StoreError> {
            match made {
                Made::Charge(charge) => insert_charge(db, account, charge).await,
                Made::Refund(refund) => insert_refund(db, account, refund).await,
            }
        }

        async fn insert_charge(
            db: &mut $connection,
            account: &AccountId,
            charge: &Charge,
        ) -> Result<(), StoreError> {
            // A late owner that was fenced may have been told the same charge.
            query(
                "INSERT INTO charges \
                 (id, account, amount, currency, description, paid, created_at) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING",
            )
            .bind(charge.id.as_str())
            .bind(account.as_str())
            .bind(i64::from(charge.amount))
            .bind(charge.currency.code())
            .bind(charge.description.as_deref())
            .bind(rows::paid_name(charge.paid))
            .bind(int(charge.created_at))
            .execute(db)
            .await?;
            Ok(())
        }

        async fn insert_refund(
            db: &mut $connection,
            account: &AccountId,
            refund: &Refund,
        ) -> Result<(), StoreError> {
            // Another key may have given the same charge back.
            query(
                "INSERT INTO refunds (id, account, charge, amount, currency, created_at) \
                 VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
            )
            .bind(refund.id.as_str())
            .bind(account.as_str())
            .bind(refund.charge.as_str())
            .bind(i64::from(refund.amount))
            .bind(refund.currency.code())
            .bind(int(refund.created_at))
            .execute(&mut *db)
            .await?;
            query("UPDATE charges SET refunded_at = $1 WHERE id = $2 AND refunded_at IS NULL")
                .bind(int(refund.created_at))
                .bind(refund.charge.as_str())
                .execute(db)
                .await?;
            Ok(())
        }

        pub(super) async fn refund(
            db: &$pool,
            account: &AccountId,
            id: &str,
        ) -> Result<Option<Refund>, StoreError> {
            query_as::<_, RefundRow>(
                "SELECT id, charge, amount, currency, created_at FROM refunds \
                 WHERE id = $1 AND account = $2",
            )
            .bind(id)
            .bind(account.as_str())
            .fetch_optional(db)
            .await?
            .map(Refund::try_from)
            .transpose()
        }

        pub(super) async fn charges(
            db: &$pool,
            account: &AccountId,
            limit: u32,
            after: Option<&str>,
        ) -> Result<Option<Vec<Charge>>, StoreError> {
            let before: i64 = match after {
                None => i64::MAX,
                Some(id) => {
                    let number =
                        query_scalar("SELECT number FROM charges WHERE id = $1 AND account = $2")
                            .bind(id)
                            .bind(account.as_str())
                            .fetch_optional(db)
                            .await?;
                    match number {
                        Some(number) => number,
                        None => return Ok(None),
                    }
                }
            };
            query_as::<_, ChargeRow>(
                "SELECT id, amount, currency, description, paid, created_at, refunded_at \
                 FROM charges WHERE account = $1 AND number < $2 ORDER BY number DESC LIMIT $3",
            )
            .bind(account.as_str())
            .bind(before)
            .bind(i64::from(limit))
            .fetch_all(db)
            .await?
            .into_iter()
            .map(Charge::try_from)
            .collect::<Result<_, _>>()
            .map(Some)
        }

        pub(super) async fn intend(
            db: &mut $connection,
            account: &AccountId,
            intent: &Intent,
        ) -> Result<(), StoreError> {
            query(
                "INSERT INTO intents (account, intent, amount, currency, status, charge) \
                 VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (account, intent) DO UPDATE \
                 SET status = coalesce(excluded.status, intents.status), \
                 charge = coalesce(excluded.charge, intents.charge)",
            )
            .bind(account.as_str())
            .bind(&intent.intent)
            .bind(i64::from(intent.amount))
            .bind(intent.currency.code())
            .bind(intent.status.map(i64::from))
            .bind(intent.charge.as_deref())
            .execute(db)
            .await?;
            Ok(())
        }

        pub(super) async fn intents(
            db: &$pool,
            account: &AccountId,
        ) -> Result<Vec<Intent>, StoreError> {
            query_as::<_, IntentRow>(concat!(
                "SELECT intent, amount, currency, status, charge FROM intents \
                 WHERE account = $1 ORDER BY ",
                $intents_by
            ))
            .bind(account.as_str())
            .fetch_all(db)
            .await?
            .into_iter()
            .map(Intent::try_from)
            .collect()
        }

        pub(super) async fn closed(db: &$pool, limit: u32) -> Result<Vec<AccountId>, StoreError> {
            let ids: Vec<String> = query_scalar(
                "SELECT id FROM accounts WHERE closed_at IS NOT NULL ORDER BY closed_at LIMIT $1",
            )
            .bind(i64::from(limit))
            .fetch_all(db)
            .await?;
            Ok(ids.into_iter().map(AccountId::from).collect())
        }

        pub(super) async fn ready(db: &$pool) -> Result<(), StoreError> {
            query("SELECT 1 FROM accounts LIMIT 1")
                .fetch_optional(db)
                .await?;
            Ok(())
        }

        pub(super) async fn queued_faults(
            db: &$pool,
            account: &AccountId,
        ) -> Result<Vec<Fault>, StoreError> {
            let faults: Vec<String> =
                query_scalar("SELECT fault FROM faults WHERE account = $1 ORDER BY number")
                    .bind(account.as_str())
                    .fetch_all(db)
                    .await?;
            faults.iter().map(|text| rows::fault(text)).collect()
        }

        pub(super) async fn count_faults(
            db: &mut $connection,
            account: &AccountId,
        ) -> Result<u64, StoreError> {
            let count: i64 = query_scalar("SELECT count(*) FROM faults WHERE account = $1")
                .bind(account.as_str())
                .fetch_one(db)
                .await?;
            Ok(rows::ms(count))
        }

        pub(super) async fn insert_fault(
            db: &mut $connection,
            account: &AccountId,
            fault: &Fault,
        ) -> Result<(), StoreError> {
            query("INSERT INTO faults (account, fault) VALUES ($1, $2)")
                .bind(account.as_str())
                .bind(rows::fault_text(fault)?)
                .execute(db)
                .await?;
            Ok(())
        }

        pub(super) async fn clear_faults(
            db: &mut $connection,
            account: &AccountId,
        ) -> Result<(), StoreError> {
            query("DELETE FROM faults WHERE account = $1")
                .bind(account.as_str())
                .execute(db)
                .await?;
            Ok(())
        }

        pub(super) async fn entries(
            db: &$pool,
            account: &AccountId,
        ) -> Result<Vec<Entry>, StoreError> {
            query_as::<_, EntryRow>(
                "SELECT id, processor_key, amount, currency, paid, created_at, refund_of, \
                 reference, intent, description FROM ledger WHERE account = $1 ORDER BY number",
            )
            .bind(account.as_str())
            .fetch_all(db)
            .await?
            .into_iter()
            .map(Entry::try_from)
            .collect()
        }

        pub(super) async fn by_reference(
            db: &$pool,
            account: &AccountId,
            reference: &str,
        ) -> Result<Option<Entry>, StoreError> {
            query_as::<_, EntryRow>(
                "SELECT id, processor_key, amount, currency, paid, created_at, refund_of, \
                 reference, intent, description FROM ledger \
                 WHERE account = $1 AND reference = $2 AND processor_key IS NULL \
                 ORDER BY number LIMIT 1",
            )
            .bind(account.as_str())
            .bind(reference)
            .fetch_optional(db)
            .await?
            .map(Entry::try_from)
            .transpose()
        }

        /// The entry that stood in the way of another.
        pub(super) async fn same_entry(
            db: &mut $connection,
            account: &AccountId,
            refund_of: Option<&str>,
            processor_key: Option<&str>,
        ) -> Result<Option<Entry>, StoreError> {
            query_as::<_, EntryRow>(
                "SELECT id, processor_key, amount, currency, paid, created_at, refund_of, \
                 reference, intent, description FROM ledger WHERE account = $1 \
                 AND (refund_of = $2 OR ($2 IS NULL AND processor_key = $3))",
            )
            .bind(account.as_str())
            .bind(refund_of)
            .bind(processor_key)
            .fetch_optional(db)
            .await?
            .map(Entry::try_from)
            .transpose()
        }

        pub(super) async fn clear_ledger(
            db: &mut $connection,
            account: &AccountId,
        ) -> Result<(), StoreError> {
            query("DELETE FROM ledger WHERE account = $1")
                .bind(account.as_str())
                .execute(db)
                .await?;
            Ok(())
        }

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

pub(super) use common;
