//! What the background does in PostgreSQL. Several servers do it at once: a batch
//! takes only rows that nobody else has locked, and each write says under which
//! condition it still holds.
//!
//! A time in a sub-select is read once, and an index can be used for it.

use model::Ms;
use model::protocol::Token;
use sqlx::{PgPool, query, query_as, query_scalar};

use crate::charges::store::rows::{StuckRow, int, ms};
use crate::charges::store::{Purged, StoreError, Stuck};
use crate::id::AccountId;

pub(super) async fn seen(db: &PgPool, accounts: &[AccountId]) -> Result<(), StoreError> {
    let ids: Vec<&str> = accounts.iter().map(AccountId::as_str).collect();
    // In order, so that two servers that saw the same accounts do not block each other.
    query(
        "UPDATE accounts a SET seen_at = (SELECT now_ms()) FROM (SELECT id FROM accounts \
         WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE) AS held WHERE a.id = held.id",
    )
    .bind(ids)
    .execute(db)
    .await?;
    Ok(())
}

/// Not one whose owner still gives signs of life.
const BURY: &str = "UPDATE keys SET state = 'tombstone', lease_until = NULL, status = NULL, \
     target = NULL WHERE ctid = ANY(ARRAY(SELECT ctid FROM keys WHERE NOT buried \
     AND expires_at <= (SELECT now_ms()) \
     AND NOT (state = 'running' AND coalesce(lease_until, 0) > (SELECT now_ms())) \
     LIMIT $1 FOR UPDATE SKIP LOCKED))";
/// The limit within keeps the planner from joining all keys with all accounts.
const BURY_AHEAD: &str = "UPDATE keys SET state = 'tombstone', lease_until = NULL, status = NULL, \
     target = NULL WHERE ctid = ANY(ARRAY(SELECT k.ctid FROM accounts a CROSS JOIN LATERAL \
     (SELECT ctid FROM keys WHERE account = a.id AND NOT buried \
     AND expires_at <= (SELECT now_ms()) + a.advance_ms \
     AND NOT (state = 'running' AND coalesce(lease_until, 0) > (SELECT now_ms()) + a.advance_ms) \
     LIMIT $1 FOR UPDATE SKIP LOCKED) AS k WHERE a.advance_ms > 0 LIMIT $1))";
/// Deletes tombstones. The same keys are new payments from then on, to the processor
/// as well, so new keys of these accounts start under a higher generation.
macro_rules! forget {
    ($rows:literal) => {
        concat!(
            "WITH gone AS (DELETE FROM keys WHERE ctid = ANY(ARRAY(",
            $rows,
            ")) RETURNING account, generation), \
             old AS (SELECT account, max(generation) AS generation FROM gone GROUP BY account), \
             risen AS (UPDATE accounts SET forgotten = greatest(forgotten, old.generation) + 1 \
             FROM old WHERE id = old.account) SELECT count(*) FROM gone"
        )
    };
}

const FORGET: &str = forget!(
    "SELECT ctid FROM keys WHERE buried AND forget_at <= (SELECT now_ms()) \
     LIMIT $1 FOR UPDATE SKIP LOCKED"
);
const FORGET_AHEAD: &str = forget!(
    "SELECT k.ctid FROM accounts a CROSS JOIN LATERAL (SELECT ctid FROM keys \
     WHERE account = a.id AND buried AND forget_at <= (SELECT now_ms()) + a.advance_ms \
     LIMIT $1 FOR UPDATE SKIP LOCKED) AS k WHERE a.advance_ms > 0 LIMIT $1"
);

/// Turns keys whose retention is over into tombstones.
pub(super) async fn bury(db: &PgPool, limit: u32) -> Result<u64, StoreError> {
    // A clock that is ahead of the server's is a clock of a sandbox: what is over
    // by the server's is over by all of them.
    let mut done = 0;
    for sql in [BURY, BURY_AHEAD] {
        let rows = query(sql).bind(i64::from(limit)).execute(db).await?;
        done += rows.rows_affected();
    }
    Ok(done)
}

/// Deletes tombstones whose time is over.
pub(super) async fn forget(db: &PgPool, limit: u32) -> Result<u64, StoreError> {
    let mut done = 0;
    for sql in [FORGET, FORGET_AHEAD] {
        let gone: i64 = query_scalar(sql)
            .bind(i64::from(limit))
            .fetch_one(db)
            .await?;
        done += u64::try_from(gone).unwrap_or(0);
    }
    Ok(done)
}

pub(super) async fn stuck(db: &PgPool, limit: u32) -> Result<Vec<Stuck>, StoreError> {
    query_as::<_, StuckRow>(
        "SELECT k.account, k.key, k.token, k.generation FROM accounts a CROSS JOIN LATERAL \
         (SELECT account, key, token, generation FROM keys WHERE account = a.id \
         AND NOT buried AND state = 'running' \
         AND lease_until <= (SELECT now_ms()) + a.advance_ms LIMIT $1) AS k \
         WHERE a.sweeps LIMIT $1",
    )
    .bind(i64::from(limit))
    .fetch_all(db)
    .await?
    .into_iter()
    .map(Stuck::try_from)
    .collect()
}

/// Takes a stuck record over, for the sweeper.
pub(super) async fn seize(
    db: &PgPool,
    stuck: &Stuck,
    lease_ms: Ms,
) -> Result<Option<Token>, StoreError> {
    let token = stuck.token.next();
    let seized = query(
        "UPDATE keys k SET token = $1, lease_until = now_ms() + a.advance_ms + $2 \
         FROM accounts a WHERE a.id = k.account AND k.account = $3 AND k.key = $4 \
         AND k.token = $5 AND k.state = 'running' AND k.lease_until <= now_ms() + a.advance_ms",
    )
    .bind(i64::from(token.0))
    .bind(int(lease_ms))
    .bind(stuck.account.as_str())
    .bind(stuck.key.as_str())
    .bind(i64::from(stuck.token.0))
    .execute(db)
    .await?;
    Ok((seized.rows_affected() == 1).then_some(token))
}

/// Closes sandboxes that nobody used for so long. Their tokens are unknown from
/// then on; what they stored goes in batches.
pub(super) async fn close_idle(db: &PgPool, idle_ms: Ms, limit: u32) -> Result<(), StoreError> {
    query(
        "UPDATE accounts SET closed_at = (SELECT now_ms()) WHERE id = ANY(ARRAY(\
         SELECT id FROM accounts WHERE closed_at IS NULL \
         AND seen_at <= (SELECT now_ms()) - $1 \
         ORDER BY seen_at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED))",
    )
    .bind(int(idle_ms))
    .bind(i64::from(limit))
    .execute(db)
    .await?;
    Ok(())
}

/// Deletes a part of what a closed sandbox stored, and at last the sandbox. Only one
/// server does it at a time.
pub(super) async fn purge(
    db: &PgPool,
    account: &AccountId,
    limit: u32,
) -> Result<Purged, StoreError> {
    let mut tx = db.begin().await?;
    let held = query(
        "SELECT 1 FROM accounts WHERE id = $1 AND closed_at IS NOT NULL FOR UPDATE SKIP LOCKED",
    )
    .bind(account.as_str())
    .fetch_optional(&mut *tx)
    .await?;
    if held.is_none() {
        return Ok(Purged::Elsewhere);
    }
    for sql in [
        "DELETE FROM keys WHERE ctid = ANY(ARRAY(SELECT ctid FROM keys WHERE account = $1 \
         LIMIT $2 FOR UPDATE SKIP LOCKED))",
        "DELETE FROM charges WHERE ctid = ANY(ARRAY(SELECT ctid FROM charges WHERE account = $1 \
         LIMIT $2 FOR UPDATE SKIP LOCKED))",
    ] {
        let rows = query(sql)
            .bind(account.as_str())
            .bind(i64::from(limit))
            .execute(&mut *tx)
            .await?;
        if rows.rows_affected() >= u64::from(limit) {
            tx.commit().await?;
            return Ok(Purged::More);
        }
    }
    // Not while somebody holds one of its rows: who waits for us must not be waited for.
    let gone = query(
        "DELETE FROM accounts WHERE id = $1 \
         AND NOT EXISTS (SELECT 1 FROM keys WHERE account = $1) \
         AND NOT EXISTS (SELECT 1 FROM charges WHERE account = $1)",
    )
    .bind(account.as_str())
    .execute(&mut *tx)
    .await?;
    tx.commit().await?;
    Ok(match gone.rows_affected() {
        0 => Purged::More,
        _ => Purged::Gone,
    })
}

/// How many records an account has of the kind that it has the most of.
pub(super) async fn records(db: &PgPool, account: &AccountId) -> Result<u64, StoreError> {
    let count = query_scalar(
        "SELECT greatest((SELECT count(*) FROM keys WHERE account = $1), \
         (SELECT count(*) FROM charges WHERE account = $1), \
         (SELECT count(*) FROM orders WHERE account = $1), \
         (SELECT count(*) FROM messages WHERE account = $1))",
    )
    .bind(account.as_str())
    .fetch_one(db)
    .await?;
    Ok(ms(count))
}

/// Deletes the keys in the memory of one pod.
pub(super) async fn forget_pod(
    db: &PgPool,
    account: &AccountId,
    pod: u32,
) -> Result<(), StoreError> {
    query("DELETE FROM keys WHERE account = $1 AND (starts_with(key, $2) OR starts_with(key, $3))")
        .bind(account.as_str())
        .bind(format!("pod={pod} "))
        .bind(format!("pod={pod};"))
        .execute(db)
        .await?;
    Ok(())
}
