//! What the background does in SQLite. Each piece of work is one transaction that
//! decides and writes, so that two servers never do the same thing twice.

use async_trait::async_trait;
use model::Ms;
use model::protocol::Token;
use serde_json::json;
use sqlx::sqlite::{SqliteConnection, SqlitePool};
use sqlx::{query, query_as, query_scalar};

use super::writer::Write;
use crate::charges::store::rows::{StuckRow, int, ms};
use crate::charges::store::{Purged, StoreError, Stuck};
use crate::clock;
use crate::id::AccountId;

pub(super) struct Seen {
    pub(super) accounts: Vec<AccountId>,
}

#[async_trait]
impl Write for Seen {
    type Out = ();
    async fn run(&self, db: &mut SqliteConnection) -> Result<(), StoreError> {
        let now = int(clock::now());
        for account in &self.accounts {
            query("UPDATE accounts SET seen_at = ? WHERE id = ?")
                .bind(now)
                .bind(account.as_str())
                .execute(&mut *db)
                .await?;
        }
        Ok(())
    }
}

/// Not one whose owner still gives signs of life.
const BURY: &str = "UPDATE keys SET state = 'tombstone', lease_until = NULL, status = NULL, \
     target = NULL WHERE rowid IN (SELECT rowid FROM keys WHERE state <> 'tombstone' \
     AND expires_at <= ?1 AND NOT (state = 'running' AND ifnull(lease_until, 0) > ?1) LIMIT ?2)";
const BURY_AHEAD: &str = "UPDATE keys SET state = 'tombstone', lease_until = NULL, status = NULL, \
     target = NULL WHERE rowid IN (SELECT k.rowid FROM accounts a CROSS JOIN keys k \
     ON k.account = a.id AND k.state <> 'tombstone' AND k.expires_at <= ?1 + a.advance_ms \
     AND NOT (k.state = 'running' AND ifnull(k.lease_until, 0) > ?1 + a.advance_ms) \
     WHERE a.advance_ms > 0 LIMIT ?2)";
const FORGET: &str = "DELETE FROM keys WHERE rowid IN (SELECT rowid FROM keys \
     WHERE state = 'tombstone' AND forget_at <= ?1 LIMIT ?2) RETURNING account, generation";
const FORGET_AHEAD: &str = "DELETE FROM keys WHERE rowid IN (SELECT k.rowid FROM accounts a \
     CROSS JOIN keys k ON k.account = a.id AND k.state = 'tombstone' \
     AND k.forget_at <= ?1 + a.advance_ms WHERE a.advance_ms > 0 LIMIT ?2) \
     RETURNING account, generation";
/// The same keys are new payments from now on, to the processor as well.
const RISE: &str = "UPDATE accounts SET forgotten = max(forgotten, j.generation) + 1 \
     FROM (SELECT value ->> 0 AS id, max(value ->> 1) AS generation FROM json_each(?) \
     GROUP BY 1) AS j WHERE accounts.id = j.id";

/// Turns keys whose retention is over into tombstones.
pub(super) struct Bury {
    pub(super) limit: u32,
}

#[async_trait]
impl Write for Bury {
    type Out = u64;
    async fn run(&self, db: &mut SqliteConnection) -> Result<u64, StoreError> {
        // A clock that is ahead of the server's is a clock of a sandbox: what is over
        // by the server's is over by all of them.
        let now = int(clock::now());
        let mut done = 0;
        for sql in [BURY, BURY_AHEAD] {
            let rows = query(sql)
                .bind(now)
                .bind(self.limit)
                .execute(&mut *db)
                .await?;
            done += rows.rows_affected();
        }
        Ok(done)
    }
}

/// Deletes tombstones whose time is over.
pub(super) struct Forget {
    pub(super) limit: u32,
}

#[async_trait]
impl Write for Forget {
    type Out = u64;
    async fn run(&self, db: &mut SqliteConnection) -> Result<u64, StoreError> {
        let now = int(clock::now());
        let mut done = 0;
        for sql in [FORGET, FORGET_AHEAD] {
            let gone: Vec<(String, u32)> = query_as(sql)
                .bind(now)
                .bind(self.limit)
                .fetch_all(&mut *db)
                .await?;
            if gone.is_empty() {
                continue;
            }
            done += gone.len() as u64;
            query(RISE)
                .bind(json!(gone).to_string())
                .execute(&mut *db)
                .await?;
        }
        Ok(done)
    }
}

pub(super) async fn stuck(db: &SqlitePool, limit: u32) -> Result<Vec<Stuck>, StoreError> {
    query_as::<_, StuckRow>(
        "SELECT k.account, k.key, k.token, k.generation FROM accounts a CROSS JOIN keys k \
         ON k.account = a.id AND k.state <> 'tombstone' AND k.state = 'running' \
         AND k.lease_until <= ? + a.advance_ms WHERE a.sweeps = 1 LIMIT ?",
    )
    .bind(int(clock::now()))
    .bind(limit)
    .fetch_all(db)
    .await?
    .into_iter()
    .map(Stuck::try_from)
    .collect()
}

/// Takes a stuck record over, for the sweeper.
pub(super) struct Seize {
    pub(super) stuck: Stuck,
    pub(super) lease_ms: Ms,
}

#[async_trait]
impl Write for Seize {
    type Out = Option<Token>;
    async fn run(&self, db: &mut SqliteConnection) -> Result<Option<Token>, StoreError> {
        let now = super::accounts::now(db, &self.stuck.account).await?;
        let token = self.stuck.token.next();
        let seized = query(
            "UPDATE keys SET token = ?, lease_until = ? WHERE account = ? AND key = ? \
             AND token = ? AND state = 'running' AND lease_until <= ?",
        )
        .bind(token.0)
        .bind(int(now.saturating_add(self.lease_ms)))
        .bind(self.stuck.account.as_str())
        .bind(self.stuck.key.as_str())
        .bind(self.stuck.token.0)
        .bind(int(now))
        .execute(db)
        .await?;
        Ok((seized.rows_affected() == 1).then_some(token))
    }
}

/// Closes sandboxes that nobody used for so long. Their tokens are unknown from
/// then on; what they stored goes in batches.
pub(super) struct CloseIdle {
    pub(super) idle_ms: Ms,
    pub(super) limit: u32,
}

#[async_trait]
impl Write for CloseIdle {
    type Out = ();
    async fn run(&self, db: &mut SqliteConnection) -> Result<(), StoreError> {
        let now = clock::now();
        query(
            "UPDATE accounts SET closed_at = ?1 WHERE id IN (SELECT id FROM accounts \
             WHERE closed_at IS NULL AND seen_at <= ?2 ORDER BY seen_at LIMIT ?3)",
        )
        .bind(int(now))
        .bind(int(now.saturating_sub(self.idle_ms)))
        .bind(self.limit)
        .execute(db)
        .await?;
        Ok(())
    }
}

/// Deletes a part of what a closed sandbox stored, and at last the sandbox.
pub(super) struct Purge {
    pub(super) account: AccountId,
    pub(super) limit: u32,
}

#[async_trait]
impl Write for Purge {
    type Out = Purged;
    async fn run(&self, db: &mut SqliteConnection) -> Result<Purged, StoreError> {
        for sql in [
            "DELETE FROM keys WHERE rowid IN (SELECT rowid FROM keys WHERE account = ? LIMIT ?)",
            "DELETE FROM charges WHERE number IN (SELECT number FROM charges WHERE account = ? LIMIT ?)",
        ] {
            let rows = query(sql)
                .bind(self.account.as_str())
                .bind(self.limit)
                .execute(&mut *db)
                .await?;
            if rows.rows_affected() >= u64::from(self.limit) {
                return Ok(Purged::More);
            }
        }
        let gone = query("DELETE FROM accounts WHERE id = ? AND closed_at IS NOT NULL")
            .bind(self.account.as_str())
            .execute(db)
            .await?;
        Ok(match gone.rows_affected() {
            0 => Purged::Elsewhere,
            _ => Purged::Gone,
        })
    }
}

/// How many keys or charges an account has, whichever are more.
pub(super) async fn records(db: &SqlitePool, account: &AccountId) -> Result<u64, StoreError> {
    let count: i64 = query_scalar(
        "SELECT max((SELECT count(*) FROM keys WHERE account = ?1), \
         (SELECT count(*) FROM charges WHERE account = ?1), \
         (SELECT count(*) FROM orders WHERE account = ?1), \
         (SELECT count(*) FROM messages WHERE account = ?1))",
    )
    .bind(account.as_str())
    .fetch_one(db)
    .await?;
    Ok(ms(count))
}

/// Deletes the keys in the memory of one pod.
pub(super) struct ForgetPod {
    pub(super) account: AccountId,
    pub(super) pod: u32,
}

#[async_trait]
impl Write for ForgetPod {
    type Out = ();
    async fn run(&self, db: &mut SqliteConnection) -> Result<(), StoreError> {
        query("DELETE FROM keys WHERE account = ?1 AND (key GLOB ?2 OR key GLOB ?3)")
            .bind(self.account.as_str())
            .bind(format!("pod={} *", self.pod))
            .bind(format!("pod={};*", self.pod))
            .execute(db)
            .await?;
        Ok(())
    }
}
