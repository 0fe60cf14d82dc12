//! Accounts in PostgreSQL, and the faults that are queued for them.

use model::Ms;
use model::fault::Fault;
use sqlx::{PgPool, query, query_scalar};

use super::common;
use crate::charges::store::rows::{self, FURTHEST, int, ms};
use crate::charges::store::{MOST_FAULTS, StoreError};
use crate::id::AccountId;

pub(super) async fn create(
    db: &PgPool,
    id: &AccountId,
    token_hash: &[u8],
) -> Result<(), StoreError> {
    query(
        "INSERT INTO accounts (id, token_hash, created_at, seen_at) \
         SELECT $1, $2, now, now FROM (SELECT now_ms() AS now) AS clock",
    )
    .bind(id.as_str())
    .bind(token_hash)
    .execute(db)
    .await?;
    Ok(())
}

/// Now, by the account's clock.
pub(super) async fn now(db: &PgPool, id: &AccountId) -> Result<Ms, StoreError> {
    let now = query_scalar(
        "SELECT now_ms() + coalesce((SELECT advance_ms FROM accounts WHERE id = $1), 0)",
    )
    .bind(id.as_str())
    .fetch_one(db)
    .await?;
    Ok(ms(now))
}

pub(super) async fn advance(db: &PgPool, id: &AccountId, by_ms: Ms) -> Result<Ms, StoreError> {
    let ahead = query_scalar(
        "UPDATE accounts SET advance_ms = least(advance_ms + $1, $2) WHERE id = $3 \
         RETURNING advance_ms",
    )
    .bind(int(by_ms.min(FURTHEST)))
    .bind(int(FURTHEST))
    .bind(id.as_str())
    .fetch_one(db)
    .await?;
    Ok(ms(ahead))
}

pub(super) async fn reset(db: &PgPool, id: &AccountId) -> Result<(), StoreError> {
    let mut tx = db.begin().await?;
    common::reset(&mut tx, id).await?;
    tx.commit().await?;
    Ok(())
}

pub(super) async fn queue_faults(
    db: &PgPool,
    id: &AccountId,
    faults: &[Fault],
) -> Result<bool, StoreError> {
    let mut tx = db.begin().await?;
    // One at a time, or two could both find room. New keys do not wait for it.
    query("SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE")
        .bind(id.as_str())
        .execute(&mut *tx)
        .await?;
    let queued = common::count_faults(&mut tx, id).await?;
    if queued.saturating_add(faults.len() as u64) > MOST_FAULTS {
        return Ok(false);
    }
    for fault in faults {
        common::insert_fault(&mut tx, id, fault).await?;
    }
    tx.commit().await?;
    Ok(true)
}

pub(super) async fn take_fault(db: &PgPool, id: &AccountId) -> Result<Fault, StoreError> {
    let fault: Option<String> = query_scalar(
        "DELETE FROM faults WHERE number = (SELECT number FROM faults WHERE account = $1 \
         ORDER BY number LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING fault",
    )
    .bind(id.as_str())
    .fetch_optional(db)
    .await?;
    fault.map_or(Ok(Fault::None), |text| rows::fault(&text))
}
