//! Statements in the same words: accounts, and the faults that are queued for them.

macro_rules! accounts {
    ($pool:ty, $connection:ty) => {
        pub(super) async fn count_accounts(db: &$pool) -> Result<u32, StoreError> {
            let count: i64 = query_scalar("SELECT count(*) FROM accounts")
                .fetch_one(db)
                .await?;
            Ok(u32::try_from(count).unwrap_or(u32::MAX))
        }

        pub(super) async fn change(
            db: &mut $connection,
            ask: &ChangeSettings,
        ) -> Result<bool, StoreError> {
            // Members are sorted, so the same changes are the same text.
            let text = |changes: &Changes| {
                serde_json::to_string(changes).map_err(|_| StoreError::Corrupt("setting"))
            };
            let changed = query(
                "UPDATE accounts SET settings = $1, sweeps = $2 WHERE id = $3 AND settings = $4",
            )
            .bind(text(&ask.to)?)
            .bind(ask.sweeps)
            .bind(ask.account.as_str())
            .bind(text(&ask.from)?)
            .execute(db)
            .await?;
            Ok(changed.rows_affected() == 1)
        }

        /// In a transaction.
        pub(super) async fn reset(db: &mut $connection, id: &AccountId) -> Result<(), StoreError> {
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
    };
}

pub(in crate::charges::store) use accounts;
