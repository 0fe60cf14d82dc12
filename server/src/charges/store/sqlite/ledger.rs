//! The card processor's books in SQLite.

use async_trait::async_trait;
use model::protocol::ProcessorKey;
use sqlx::sqlite::{SqliteConnection, SqlitePool, SqliteRow};
use sqlx::{Row, query};

use super::accounts;
use super::charges::{currency, paid, paid_name};
use super::writer::{Lane, Write};
use crate::charges::store::rows::{int, ms};
use crate::charges::store::{Entry, StoreError, TakeMoney, Taken};
use crate::id::{AccountId, ChargeId};

#[async_trait]
impl Write for TakeMoney {
    type Out = Taken;
    const LANE: Lane = Lane::Ledger;

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
            let entry = Entry {
                id: self.id.clone(),
                processor_key: key.map(str::to_owned),
                amount: self.amount,
                currency: self.currency,
                paid: self.paid,
                refund_of: refund_of.map(str::to_owned),
                created_at: now,
                reference: Some(self.reference.clone()),
                intent: self.intent.clone(),
                description: self.description.clone(),
            };
            return Ok(Taken {
                entry,
                repeated: false,
            });
        }
        let row = query(
            "SELECT id, processor_key, amount, currency, paid, created_at, refund_of, reference, \
             intent, description FROM ledger WHERE account = ?1 AND (refund_of = ?2 OR (?2 IS NULL AND processor_key = ?3))",
        )
        .bind(self.account.as_str())
        .bind(refund_of)
        .bind(key)
        .fetch_one(db)
        .await?;
        Ok(Taken {
            entry: entry(&row)?,
            repeated: true,
        })
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
        query("DELETE FROM ledger WHERE account = ?")
            .bind(self.account.as_str())
            .execute(db)
            .await?;
        Ok(())
    }
}

pub(super) async fn list(db: &SqlitePool, account: &AccountId) -> Result<Vec<Entry>, StoreError> {
    let rows = query(
        "SELECT id, processor_key, amount, currency, paid, created_at, refund_of, reference, intent, \
         description FROM ledger WHERE account = ? ORDER BY number",
    )
    .bind(account.as_str())
    .fetch_all(db)
    .await?;
    rows.iter().map(entry).collect()
}

pub(super) async fn by_reference(
    db: &SqlitePool,
    account: &AccountId,
    reference: &str,
) -> Result<Option<Entry>, StoreError> {
    query(
        "SELECT id, processor_key, amount, currency, paid, created_at, refund_of, reference, intent, \
         description FROM ledger WHERE account = ? AND reference = ? AND processor_key IS NULL \
         ORDER BY number LIMIT 1",
    )
    .bind(account.as_str())
    .bind(reference)
    .fetch_optional(db)
    .await?
    .map(|row| entry(&row))
    .transpose()
}

fn entry(row: &SqliteRow) -> Result<Entry, StoreError> {
    Ok(Entry {
        id: row.try_get::<String, _>("id")?.into(),
        processor_key: row.try_get("processor_key")?,
        amount: row.try_get("amount")?,
        currency: currency(row)?,
        paid: paid(row)?,
        refund_of: row.try_get("refund_of")?,
        created_at: ms(row.try_get("created_at")?),
        reference: row.try_get("reference")?,
        intent: row.try_get("intent")?,
        description: row.try_get("description")?,
    })
}
