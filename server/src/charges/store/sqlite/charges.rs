//! Charges in SQLite.

use async_trait::async_trait;
use model::money::Currency;
use model::protocol::Paid;
use sqlx::sqlite::{SqliteConnection, SqlitePool, SqliteRow};
use sqlx::{Row, query, query_scalar};

use super::writer::Write;
use crate::charges::store::rows::{int, ms};
use crate::charges::store::{Charge, Intent, Made, Refund, StoreError};
use crate::id::AccountId;

pub(super) async fn insert(
    db: &mut SqliteConnection,
    account: &AccountId,
    made: &Made,
) -> Result<(), StoreError> {
    match made {
        Made::Charge(charge) => insert_charge(db, account, charge).await,
        Made::Refund(refund) => insert_refund(db, account, refund).await,
    }
}

async fn insert_refund(
    db: &mut SqliteConnection,
    account: &AccountId,
    refund: &Refund,
) -> Result<(), StoreError> {
    // Another key may have given the same charge back.
    query(
        "INSERT INTO refunds (id, account, charge, amount, currency, created_at) \
         VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
    )
    .bind(refund.id.as_str())
    .bind(account.as_str())
    .bind(refund.charge.as_str())
    .bind(refund.amount)
    .bind(refund.currency.code())
    .bind(int(refund.created_at))
    .execute(&mut *db)
    .await?;
    query("UPDATE charges SET refunded_at = ? WHERE id = ? AND refunded_at IS NULL")
        .bind(int(refund.created_at))
        .bind(refund.charge.as_str())
        .execute(db)
        .await?;
    Ok(())
}

pub(super) async fn find_refund(
    db: &SqlitePool,
    account: &AccountId,
    id: &str,
) -> Result<Option<Refund>, StoreError> {
    query(
        "SELECT id, charge, amount, currency, created_at FROM refunds WHERE id = ? AND account = ?",
    )
    .bind(id)
    .bind(account.as_str())
    .fetch_optional(db)
    .await?
    .map(|row| {
        Ok(Refund {
            id: row.try_get::<String, _>("id")?.into(),
            charge: row.try_get::<String, _>("charge")?.into(),
            amount: row.try_get("amount")?,
            currency: currency(&row)?,
            created_at: ms(row.try_get("created_at")?),
        })
    })
    .transpose()
}

async fn insert_charge(
    db: &mut SqliteConnection,
    account: &AccountId,
    charge: &Charge,
) -> Result<(), StoreError> {
    // A late owner that was fenced may have been told the same charge.
    query(
        "INSERT INTO charges (id, account, amount, currency, description, paid, created_at) \
         VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
    )
    .bind(charge.id.as_str())
    .bind(account.as_str())
    .bind(charge.amount)
    .bind(charge.currency.code())
    .bind(charge.description.as_deref())
    .bind(paid_name(charge.paid))
    .bind(int(charge.created_at))
    .execute(db)
    .await?;
    Ok(())
}

pub(super) struct Insert {
    pub(super) account: AccountId,
    pub(super) made: Made,
}

#[async_trait]
impl Write for Insert {
    type Out = ();
    async fn run(&self, db: &mut SqliteConnection) -> Result<(), StoreError> {
        insert(db, &self.account, &self.made).await
    }
}

pub(super) struct Intend {
    pub(super) account: AccountId,
    pub(super) intent: Intent,
}

#[async_trait]
impl Write for Intend {
    type Out = ();
    async fn run(&self, db: &mut SqliteConnection) -> Result<(), StoreError> {
        let intent = &self.intent;
        query(
            "INSERT INTO intents (account, intent, amount, currency, status, charge) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (account, intent) DO UPDATE \
             SET status = ifnull(?5, status), charge = ifnull(?6, charge)",
        )
        .bind(self.account.as_str())
        .bind(&intent.intent)
        .bind(intent.amount)
        .bind(intent.currency.code())
        .bind(intent.status)
        .bind(intent.charge.as_deref())
        .execute(db)
        .await?;
        Ok(())
    }
}

pub(super) async fn intents(
    db: &SqlitePool,
    account: &AccountId,
) -> Result<Vec<Intent>, StoreError> {
    let rows = query(
        "SELECT intent, amount, currency, status, charge FROM intents WHERE account = ? \
         ORDER BY rowid",
    )
    .bind(account.as_str())
    .fetch_all(db)
    .await?;
    rows.iter()
        .map(|row| {
            Ok(Intent {
                intent: row.try_get("intent")?,
                amount: row.try_get("amount")?,
                currency: currency(row)?,
                status: row.try_get("status")?,
                charge: row.try_get("charge")?,
            })
        })
        .collect()
}

pub(super) async fn find(
    db: &SqlitePool,
    account: &AccountId,
    id: &str,
) -> Result<Option<Charge>, StoreError> {
    query(
        "SELECT id, amount, currency, description, paid, created_at, refunded_at FROM charges \
         WHERE id = ? AND account = ?",
    )
    .bind(id)
    .bind(account.as_str())
    .fetch_optional(db)
    .await?
    .map(|row| charge(&row))
    .transpose()
}

pub(super) async fn list(
    db: &SqlitePool,
    account: &AccountId,
    limit: u32,
    after: Option<&str>,
) -> Result<Option<Vec<Charge>>, StoreError> {
    let before: i64 = match after {
        None => i64::MAX,
        Some(id) => {
            let number = query_scalar("SELECT number FROM charges WHERE id = ? AND account = ?")
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
    let rows = query(
        "SELECT id, amount, currency, description, paid, created_at, refunded_at FROM charges \
         WHERE account = ? AND number < ? ORDER BY number DESC LIMIT ?",
    )
    .bind(account.as_str())
    .bind(before)
    .bind(limit)
    .fetch_all(db)
    .await?;
    rows.iter().map(charge).collect::<Result<_, _>>().map(Some)
}

fn charge(row: &SqliteRow) -> Result<Charge, StoreError> {
    Ok(Charge {
        id: row.try_get::<String, _>("id")?.into(),
        amount: row.try_get("amount")?,
        currency: currency(row)?,
        description: row.try_get("description")?,
        paid: paid(row)?,
        created_at: ms(row.try_get("created_at")?),
        refunded_at: row.try_get::<Option<i64>, _>("refunded_at")?.map(ms),
    })
}

pub(super) fn currency(row: &SqliteRow) -> Result<Currency, StoreError> {
    Currency::from_code(row.try_get("currency")?).ok_or(StoreError::Corrupt("currency"))
}

pub(super) fn paid(row: &SqliteRow) -> Result<Paid, StoreError> {
    match row.try_get("paid")? {
        "succeeded" => Ok(Paid::Succeeded),
        "declined" => Ok(Paid::Declined),
        _ => Err(StoreError::Corrupt("ending")),
    }
}

pub(super) const fn paid_name(paid: Paid) -> &'static str {
    match paid {
        Paid::Succeeded => "succeeded",
        Paid::Declined => "declined",
    }
}
