//! Key records in SQLite: claim, complete, release, renew.

use async_trait::async_trait;
use model::Ms;
use model::protocol::admission::{Admission, Front, Stored, admit};
use model::protocol::{
    Answer, Claim, Fingerprint, KeyState, Outcome, Paid, Record, RecoveryPoint, Refusal, Token,
};
use sqlx::sqlite::{SqliteConnection, SqlitePool, SqliteRow};
use sqlx::{Row, query};

use super::writer::Write;
use super::{accounts, charges};
use crate::charges::store::rows::{int, ms};
use crate::charges::store::{
    ClaimKey, Claimed, CompleteKey, KeyRow, ReleaseKey, RenewLease, StoreError,
};
use crate::id::{AccountId, ChargeId};

type Stand = Record<Fingerprint, ChargeId>;

#[async_trait]
impl Write for ClaimKey {
    type Out = Claimed;

    async fn run(&self, db: &mut SqliteConnection) -> Result<Claimed, StoreError> {
        let now = accounts::now(db, &self.account).await?;
        let lease_until = self.design.lease.then(|| now.saturating_add(self.lease_ms));
        let expires_at = now.saturating_add(self.retention_ms);
        let forget_at = expires_at.saturating_add(self.tombstone_ms);
        let claimed = |token, point, takeover, generation| Claimed {
            outcome: Outcome::Claimed(Claim {
                token,
                point,
                lease_until,
            }),
            takeover,
            generation,
            full: false,
        };
        if !self.room {
            // Known keys go on to be answered; only new ones find no room.
            let known = find(db, &self.account, self.key.as_str()).await?;
            if known.is_none() {
                return Ok(Claimed {
                    full: true,
                    ..Claimed::known(Outcome::Absent)
                });
            }
        }
        // No look-up before it: two requests that look could both find nothing.
        let inserted = query(
            "INSERT INTO keys (account, key, fingerprint, state, point, token, claimed_at, \
             lease_until, expires_at, forget_at, generation, intent) \
             VALUES (?, ?, ?, 'running', 'claimed', ?, ?, ?, ?, ?, ?, ?) \
             ON CONFLICT (account, key) DO NOTHING",
        )
        .bind(self.account.as_str())
        .bind(self.key.as_str())
        .bind(&self.fingerprint.as_bytes()[..])
        .bind(Token::FIRST.0)
        .bind(int(now))
        .bind(lease_until.map(int))
        .bind(int(expires_at))
        .bind(int(forget_at))
        .bind(self.generation)
        .bind(self.intent.as_deref())
        .execute(&mut *db)
        .await?;
        if inserted.rows_affected() == 1 {
            return Ok(claimed(
                Token::FIRST,
                RecoveryPoint::Claimed,
                false,
                self.generation,
            ));
        }
        let (record, generation) = find(db, &self.account, self.key.as_str())
            .await?
            .ok_or(StoreError::Corrupt("key"))?;
        let stored = Stored {
            record: &record,
            asked: &self.fingerprint,
            now,
        };
        match admit(&Front::GOOD, Some(stored), &self.design) {
            // Whether the processor has charged is for the sweeper to find out.
            Admission::TakeOver { .. } if self.sweeps && is_running(&record, now) => {
                let refusal = Refusal::InProgress { retry_after_s: 1 };
                Ok(Claimed::known(Outcome::Refused(refusal)))
            }
            Admission::TakeOver { from, point } => {
                let token = from.next();
                // Taken for a new key, it is a new payment to the processor as well.
                let expired = now >= record.expires_at || record.state == KeyState::Tombstone;
                let generation = if expired {
                    self.generation.max(generation.saturating_add(1))
                } else {
                    generation
                };
                let taken = query(
                    "UPDATE keys SET state = 'running', point = ?, token = ?, claimed_at = ?, \
                     lease_until = ?, expires_at = ?, forget_at = ?, status = NULL, target = NULL, \
                     generation = ? WHERE account = ? AND key = ? AND token = ?",
                )
                .bind(point_name(point))
                .bind(token.0)
                .bind(int(now))
                .bind(lease_until.map(int))
                .bind(int(expires_at))
                .bind(int(forget_at))
                .bind(generation)
                .bind(self.account.as_str())
                .bind(self.key.as_str())
                .bind(from.0)
                .execute(db)
                .await?;
                // We hold the write lock since before we read.
                if taken.rows_affected() != 1 {
                    return Err(StoreError::Corrupt("token"));
                }
                Ok(claimed(token, point, !expired, generation))
            }
            known => Outcome::of_admission(known)
                .map(Claimed::known)
                .ok_or(StoreError::Corrupt("key")),
        }
    }
}

/// Its owner claimed it and has not ended, and retention is not over.
fn is_running(record: &Stand, now: Ms) -> bool {
    now < record.expires_at && matches!(record.state, KeyState::Running { .. })
}

/// The look-up of the unsafe form: what it finds may be over before it is used.
pub(super) async fn look_up(
    db: &SqlitePool,
    ask: &ClaimKey,
) -> Result<Outcome<ChargeId>, StoreError> {
    let mut db = db.acquire().await?;
    let now = accounts::now(&mut db, &ask.account).await?;
    let Some((record, _)) = find(&mut db, &ask.account, ask.key.as_str()).await? else {
        return Ok(Outcome::Absent);
    };
    let stored = Stored {
        record: &record,
        asked: &ask.fingerprint,
        now,
    };
    let admission = admit(&Front::GOOD, Some(stored), &ask.design);
    Ok(Outcome::of_admission(admission).unwrap_or(Outcome::Absent))
}

/// The insert of the unsafe form: it writes over whatever is there by now.
pub(super) struct Force(pub(super) ClaimKey);

#[async_trait]
impl Write for Force {
    type Out = Claimed;

    async fn run(&self, db: &mut SqliteConnection) -> Result<Claimed, StoreError> {
        let ask = &self.0;
        query("DELETE FROM keys WHERE account = ? AND key = ?")
            .bind(ask.account.as_str())
            .bind(ask.key.as_str())
            .execute(&mut *db)
            .await?;
        ask.run(db).await
    }
}

#[async_trait]
impl Write for CompleteKey {
    type Out = Outcome<ChargeId>;

    async fn run(&self, db: &mut SqliteConnection) -> Result<Outcome<ChargeId>, StoreError> {
        let written = query(
            "UPDATE keys SET state = 'done', lease_until = NULL, status = ?, target = ? \
             WHERE account = ? AND key = ? \
             AND ((token = ? AND state = 'running') OR (? AND state <> 'tombstone'))",
        )
        .bind(self.answer.status())
        .bind(self.answer.charge.as_str())
        .bind(self.account.as_str())
        .bind(self.key.as_str())
        .bind(self.token.0)
        .bind(!self.fencing)
        .execute(&mut *db)
        .await?;
        if written.rows_affected() == 0 {
            return fenced(db, &self.account, self.key.as_str()).await;
        }
        charges::insert(db, &self.account, &self.made).await?;
        Ok(Outcome::Written)
    }
}

#[async_trait]
impl Write for ReleaseKey {
    type Out = Outcome<ChargeId>;

    async fn run(&self, db: &mut SqliteConnection) -> Result<Outcome<ChargeId>, StoreError> {
        let written = query(
            "UPDATE keys SET state = 'released', lease_until = NULL, point = ? \
             WHERE account = ? AND key = ? AND token = ? AND state = 'running'",
        )
        .bind(point_name(self.point))
        .bind(self.account.as_str())
        .bind(self.key.as_str())
        .bind(self.token.0)
        .execute(&mut *db)
        .await?;
        if written.rows_affected() == 0 {
            return fenced(db, &self.account, self.key.as_str()).await;
        }
        Ok(Outcome::Written)
    }
}

#[async_trait]
impl Write for RenewLease {
    type Out = bool;

    async fn run(&self, db: &mut SqliteConnection) -> Result<bool, StoreError> {
        let now = accounts::now(db, &self.account).await?;
        let renewed = query(
            "UPDATE keys SET lease_until = ? \
             WHERE account = ? AND key = ? AND token = ? AND state = 'running'",
        )
        .bind(int(now.saturating_add(self.lease_ms)))
        .bind(self.account.as_str())
        .bind(self.key.as_str())
        .bind(self.token.0)
        .execute(db)
        .await?;
        Ok(renewed.rows_affected() == 1)
    }
}

/// Somebody took over: what is saved by now, if anything.
async fn fenced(
    db: &mut SqliteConnection,
    account: &AccountId,
    key: &str,
) -> Result<Outcome<ChargeId>, StoreError> {
    let saved = find(db, account, key)
        .await?
        .and_then(|(record, _)| match record.state {
            KeyState::Done(answer) => Some(answer),
            _ => None,
        });
    Ok(Outcome::Fenced(saved))
}

async fn find(
    db: &mut SqliteConnection,
    account: &AccountId,
    key: &str,
) -> Result<Option<(Stand, u32)>, StoreError> {
    query(
        "SELECT fingerprint, state, point, token, claimed_at, lease_until, expires_at, status, \
         target, generation FROM keys WHERE account = ? AND key = ?",
    )
    .bind(account.as_str())
    .bind(key)
    .fetch_optional(db)
    .await?
    .map(|row| Ok((record(&row)?, row.try_get("generation")?)))
    .transpose()
}

fn record(row: &SqliteRow) -> Result<Stand, StoreError> {
    let point = match row.try_get("point")? {
        "claimed" => RecoveryPoint::Claimed,
        "asked" => RecoveryPoint::Asked,
        _ => return Err(StoreError::Corrupt("recovery point")),
    };
    let state = match row.try_get("state")? {
        "running" => KeyState::Running {
            lease_until: row.try_get::<Option<i64>, _>("lease_until")?.map(ms),
            point,
        },
        "released" => KeyState::Released { point },
        "done" => KeyState::Done(Answer {
            paid: match row.try_get("status")? {
                201_u16 => Paid::Succeeded,
                402 => Paid::Declined,
                _ => return Err(StoreError::Corrupt("status")),
            },
            charge: row.try_get::<String, _>("target")?.into(),
        }),
        "tombstone" => KeyState::Tombstone,
        _ => return Err(StoreError::Corrupt("state")),
    };
    Ok(Record {
        fingerprint: fingerprint(row)?,
        token: Token(row.try_get("token")?),
        claimed_at: ms(row.try_get("claimed_at")?),
        expires_at: ms(row.try_get("expires_at")?),
        state,
    })
}

fn fingerprint(row: &SqliteRow) -> Result<Fingerprint, StoreError> {
    let bytes: &[u8] = row.try_get("fingerprint")?;
    bytes
        .try_into()
        .map(Fingerprint::from_bytes)
        .map_err(|_| StoreError::Corrupt("fingerprint"))
}

const fn point_name(point: RecoveryPoint) -> &'static str {
    match point {
        RecoveryPoint::Claimed => "claimed",
        RecoveryPoint::Asked => "asked",
    }
}

pub(super) async fn list(
    db: &SqlitePool,
    account: &AccountId,
    limit: u32,
) -> Result<Vec<KeyRow>, StoreError> {
    let rows = query(
        "SELECT key, fingerprint, state, point, token, claimed_at, lease_until, expires_at, \
         status, target, intent, generation FROM keys WHERE account = ? ORDER BY claimed_at DESC, key LIMIT ?",
    )
    .bind(account.as_str())
    .bind(limit)
    .fetch_all(db)
    .await?;
    rows.iter()
        .map(|row| {
            Ok(KeyRow {
                key: row.try_get("key")?,
                fingerprint: fingerprint(row)?,
                state: row.try_get("state")?,
                point: row.try_get("point")?,
                token: row.try_get("token")?,
                claimed_at: ms(row.try_get("claimed_at")?),
                lease_until: row.try_get::<Option<i64>, _>("lease_until")?.map(ms),
                expires_at: ms(row.try_get("expires_at")?),
                status: row.try_get("status")?,
                charge: row.try_get("target")?,
                intent: row.try_get("intent")?,
                generation: row.try_get("generation")?,
            })
        })
        .collect()
}
