//! Statements in the same words: the card processor's books.

macro_rules! books {
    ($pool:ty, $connection:ty) => {
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
    };
}

pub(in crate::charges::store) use books;
