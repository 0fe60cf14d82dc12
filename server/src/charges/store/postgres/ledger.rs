//! The card processor's books in PostgreSQL, over connections of their own.

use async_trait::async_trait;
use model::protocol::ProcessorKey;
use sqlx::{PgPool, query_scalar};

use super::{Postgres, common};
use crate::charges::store::rows::{ms, paid_name};
use crate::charges::store::{Entry, Ledger, StoreError, TakeMoney, Taken};
use crate::id::{AccountId, ChargeId};

/// How often money is taken again, because the entry that stood in the way is gone.
const TRIES: usize = 5;

async fn take(db: &PgPool, ask: &TakeMoney) -> Result<Taken, StoreError> {
    let key = ask.processor_key.as_ref().map(ProcessorKey::as_str);
    let refund_of = ask.refund_of.as_ref().map(ChargeId::as_str);
    for _ in 0..TRIES {
        // Entries without a key never meet: NULLs are all different.
        let written: Option<i64> = query_scalar(
            "INSERT INTO ledger (id, account, processor_key, amount, currency, paid, created_at, \
             refund_of, reference, intent, description) VALUES ($1, $2, $3, $4, $5, $6, \
             now_ms() + coalesce((SELECT advance_ms FROM accounts WHERE id = $2), 0), \
             $7, $8, $9, $10) ON CONFLICT DO NOTHING RETURNING created_at",
        )
        .bind(ask.id.as_str())
        .bind(ask.account.as_str())
        .bind(key)
        .bind(i64::from(ask.amount))
        .bind(ask.currency.code())
        .bind(paid_name(ask.paid))
        .bind(refund_of)
        .bind(&ask.reference)
        .bind(ask.intent.as_deref())
        .bind(ask.description.as_deref())
        .fetch_optional(db)
        .await?;
        if let Some(created_at) = written {
            return Ok(ask.taken(ms(created_at)));
        }
        let mut connection = db.acquire().await?;
        if let Some(entry) =
            common::same_entry(&mut connection, &ask.account, refund_of, key).await?
        {
            return Ok(Taken::before(entry));
        }
    }
    Err(StoreError::Crowded)
}

#[async_trait]
impl Ledger for Postgres {
    async fn take(&self, ask: TakeMoney) -> Result<Taken, StoreError> {
        self.books.run(|| take(self.books.pool(), &ask)).await
    }

    async fn entries(&self, id: &AccountId) -> Result<Vec<Entry>, StoreError> {
        let entries = || common::entries(self.books.pool(), id);
        self.books.read(entries).await
    }

    async fn by_reference(
        &self,
        id: &AccountId,
        reference: &str,
    ) -> Result<Option<Entry>, StoreError> {
        let find = || common::by_reference(self.books.pool(), id, reference);
        self.books.read(find).await
    }

    async fn clear(&self, id: AccountId) -> Result<(), StoreError> {
        let clear = async || {
            let mut db = self.books.pool().acquire().await?;
            common::clear_ledger(&mut db, &id).await
        };
        self.books.run(clear).await
    }
}
