//! The card processor's books in SQLite.

use async_trait::async_trait;
use model::protocol::ProcessorKey;
use sqlx::query;
use sqlx::sqlite::SqliteConnection;

use super::writer::{AtOnce, Lane, Write};
use super::{accounts, bulk, common};
use crate::charges::store::rows::{int, paid_name};
use crate::charges::store::{StoreError, TakeMoney, Taken};
use crate::id::{AccountId, ChargeId};

#[async_trait]
impl Write for TakeMoney {
    type Out = Taken;
    const LANE: Lane = Lane::Ledger;
    const AT_ONCE: bool = true;

    async fn run(&self, db: &mut SqliteConnection) -> Result<Taken, StoreError> {
        let now = accounts::now(db, &self.account).await?;
        let key = self.processor_key.as_ref().map(ProcessorKey::as_str);
        let refund_of = self.refund_of.as_ref().map(ChargeId::as_str);
        // Entries without a key never meet: NULLs are all different.
        let inserted = query(
            "INSERT INTO ledger (id, account, processor_key, amount, currency, paid, created_at, \
             refund_of, reference, intent, description) \
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        )
        .bind(self.id.as_str())
        .bind(self.account.as_str())
        .bind(key)
        .bind(self.amount)
        .bind(self.currency.code())
        .bind(paid_name(self.paid))
        .bind(int(now))
        .bind(refund_of)
        .bind(&self.reference)
        .bind(self.intent.as_deref())
        .bind(self.description.as_deref())
        .execute(&mut *db)
        .await?;
        if inserted.rows_affected() == 1 {
            return Ok(self.taken(now));
        }
        common::same_entry(db, &self.account, refund_of, key)
            .await?
            .map(Taken::before)
            .ok_or(StoreError::Corrupt("entry"))
    }

    async fn at_once(
        asks: &[&Self],
        begin: &'static str,
        db: &mut SqliteConnection,
    ) -> Result<AtOnce<Taken>, StoreError> {
        bulk::take(asks, begin, db).await
    }
}

pub(super) struct Clear {
    pub(super) account: AccountId,
}

#[async_trait]
impl Write for Clear {
    type Out = ();
    const LANE: Lane = Lane::Ledger;

    async fn run(&self, db: &mut SqliteConnection) -> Result<(), StoreError> {
        common::clear_ledger(db, &self.account).await
    }
}
