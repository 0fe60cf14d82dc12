//! Statements in the same words: keys, charges, refunds and intents.

macro_rules! records {
    ($pool:ty, $connection:ty, intents_by = $intents_by:literal) => {
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
    };
}

pub(in crate::charges::store) use records;
