//! Key records in PostgreSQL: claim, complete, release, renew.

use model::Ms;
use model::protocol::{Outcome, Token};
use sqlx::postgres::{PgConnection, PgExecutor, PgPool};
use sqlx::{FromRow, query, query_as};

use super::common;
use crate::charges::store::judge::Judged;
use crate::charges::store::rows::{Known, KnownRow, int, ms, paid_name, point_name};
use crate::charges::store::{
    ClaimKey, Claimed, CompleteKey, Made, ReleaseKey, RenewLease, StoreError,
};
use crate::id::{AccountId, ChargeId};

/// How often a claim starts again, because the key went away while it looked.
const TRIES: usize = 5;

pub(super) async fn claim(db: &PgPool, ask: &ClaimKey) -> Result<Claimed, StoreError> {
    for _ in 0..TRIES {
        // No look-up before it: two requests that look could both find nothing.
        if ask.room
            && let Some(claimed) = insert_key(db, INSERT, ask).await?
        {
            return Ok(claimed);
        }
        match find(db, &ask.account, ask.key.as_str()).await? {
            // What is only told needs no lock: it was true when it was read.
            Some((known, now)) => match ask.judge(&known, now)? {
                Judged::Known(claimed) => return Ok(claimed),
                Judged::TakeOver(_) => {
                    if let Some(claimed) = take_over(db, ask).await? {
                        return Ok(claimed);
                    }
                }
            },
            None if !ask.room => return Ok(Claimed::full()),
            // It was forgotten in between, so the key is new again.
            None => {}
        }
    }
    Err(StoreError::Crowded)
}

/// Inserts a key by the account's clock, with what is to be done about a known one.
macro_rules! insert_or {
    ($known:literal) => {
        concat!(
            "INSERT INTO keys (account, key, fingerprint, state, point, token, claimed_at, \
             lease_until, expires_at, forget_at, generation, intent) \
             SELECT id, $2, $3, 'running', 'claimed', $4, now, now + $5, now + $6, \
             now + $6 + $7, greatest($8, forgotten), $9 \
             FROM (SELECT id, forgotten, now_ms() + advance_ms AS now \
             FROM accounts WHERE id = $1) AS a \
             ON CONFLICT (account, key) DO ",
            $known,
            " RETURNING lease_until, generation"
        )
    };
}

const INSERT: &str = insert_or!("NOTHING");
const WRITE_OVER: &str = insert_or!(
    "UPDATE SET fingerprint = excluded.fingerprint, state = excluded.state, \
     point = excluded.point, token = excluded.token, claimed_at = excluded.claimed_at, \
     lease_until = excluded.lease_until, expires_at = excluded.expires_at, \
     forget_at = excluded.forget_at, status = NULL, target = NULL, \
     generation = excluded.generation, intent = excluded.intent"
);

/// Inserts a key. `None` when it is known.
async fn insert_key(
    db: &PgPool,
    sql: &'static str,
    ask: &ClaimKey,
) -> Result<Option<Claimed>, StoreError> {
    let inserted: Option<(Option<i64>, i64)> = query_as(sql)
        .bind(ask.account.as_str())
        .bind(ask.key.as_str())
        .bind(&ask.fingerprint.as_bytes()[..])
        .bind(i64::from(Token::FIRST.0))
        .bind(ask.design.lease.then(|| int(ask.lease_ms)))
        .bind(int(ask.retention_ms))
        .bind(int(ask.tombstone_ms))
        .bind(i64::from(ask.generation))
        .bind(ask.intent.as_deref())
        .fetch_optional(db)
        .await?;
    inserted
        .map(|(lease_until, generation)| {
            let generation =
                u32::try_from(generation).map_err(|_| StoreError::Corrupt("generation"))?;
            Ok(Claimed::fresh(generation, lease_until.map(ms)))
        })
        .transpose()
}

/// Takes a key over, judged again under its lock. `None` when it is gone.
async fn take_over(db: &PgPool, ask: &ClaimKey) -> Result<Option<Claimed>, StoreError> {
    let mut tx = db.begin().await?;
    let Some((known, now)) = find_locked(&mut tx, ask).await? else {
        return Ok(None);
    };
    let taken = match ask.judge(&known, now)? {
        // Somebody else was faster.
        Judged::Known(claimed) => return Ok(Some(claimed)),
        Judged::TakeOver(taken) => taken,
    };
    let times = ask.times(now);
    let written = query(
        "UPDATE keys SET state = 'running', point = $1, token = $2, claimed_at = $3, \
         lease_until = $4, expires_at = $5, forget_at = $6, status = NULL, target = NULL, \
         generation = $7 WHERE account = $8 AND key = $9 AND token = $10",
    )
    .bind(point_name(taken.point))
    .bind(i64::from(taken.token.0))
    .bind(int(now))
    .bind(times.lease_until.map(int))
    .bind(int(times.expires_at))
    .bind(int(times.forget_at))
    .bind(i64::from(taken.generation))
    .bind(ask.account.as_str())
    .bind(ask.key.as_str())
    .bind(i64::from(taken.from.0))
    .execute(&mut *tx)
    .await?;
    // We hold its lock since before we read.
    if written.rows_affected() != 1 {
        return Err(StoreError::Corrupt("token"));
    }
    tx.commit().await?;
    Ok(Some(Claimed::over(&taken, times.lease_until)))
}

/// A key, and the time when it was looked at.
#[derive(FromRow)]
struct Found {
    now: i64,
    #[sqlx(flatten)]
    known: KnownRow,
}

impl Found {
    fn read(self) -> Result<(Known, Ms), StoreError> {
        Ok((self.known.try_into()?, ms(self.now)))
    }
}

async fn find(
    db: impl PgExecutor<'_>,
    account: &AccountId,
    key: &str,
) -> Result<Option<(Known, Ms)>, StoreError> {
    query_as::<_, Found>(
        "SELECT now_ms() + a.advance_ms AS now, k.fingerprint, k.state, k.point, k.token, \
         k.claimed_at, k.lease_until, k.expires_at, k.status, k.target, k.generation \
         FROM keys k JOIN accounts a ON a.id = k.account WHERE k.account = $1 AND k.key = $2",
    )
    .bind(account.as_str())
    .bind(key)
    .fetch_optional(db)
    .await?
    .map(Found::read)
    .transpose()
}

async fn find_locked(
    db: &mut PgConnection,
    ask: &ClaimKey,
) -> Result<Option<(Known, Ms)>, StoreError> {
    query_as::<_, Found>(
        // The time is read after the lock is there: waiting for it may take long.
        "WITH k AS MATERIALIZED \
         (SELECT * FROM keys WHERE account = $1 AND key = $2 FOR UPDATE) \
         SELECT now_ms() + a.advance_ms AS now, k.fingerprint, k.state, k.point, k.token, \
         k.claimed_at, k.lease_until, k.expires_at, k.status, k.target, k.generation \
         FROM k JOIN accounts a ON a.id = k.account",
    )
    .bind(ask.account.as_str())
    .bind(ask.key.as_str())
    .fetch_optional(db)
    .await?
    .map(Found::read)
    .transpose()
}

/// The look-up of the unsafe form: what it finds may be over before it is used.
pub(super) async fn look_up(db: &PgPool, ask: &ClaimKey) -> Result<Outcome<ChargeId>, StoreError> {
    let found = find(db, &ask.account, ask.key.as_str()).await?;
    Ok(found.map_or(Outcome::Absent, |(known, now)| ask.seen(&known, now)))
}

/// The insert of the unsafe form: it writes over whatever is there by now.
pub(super) async fn force(db: &PgPool, ask: &ClaimKey) -> Result<Claimed, StoreError> {
    if !ask.room && find(db, &ask.account, ask.key.as_str()).await?.is_none() {
        return Ok(Claimed::full());
    }
    insert_key(db, WRITE_OVER, ask)
        .await?
        .ok_or(StoreError::Corrupt("account"))
}

/// Saves an answer, if the token still matches or nobody looks at it.
macro_rules! save {
    ($returning:literal) => {
        concat!(
            "UPDATE keys SET state = 'done', lease_until = NULL, status = $1, target = $2 \
             WHERE account = $3 AND key = $4 \
             AND ((token = $5 AND state = 'running') OR ($6 AND state <> 'tombstone'))",
            $returning
        )
    };
}

/// In one statement, which is a transaction of its own: both are written or neither.
const SAVE_CHARGE: &str = concat!(
    "WITH done AS (",
    save!(" RETURNING account"),
    "), made AS (\
     INSERT INTO charges (id, account, amount, currency, description, paid, created_at) \
     SELECT $7, account, $8, $9, $10, $11, $12 FROM done ON CONFLICT (id) DO NOTHING) \
     SELECT 1 FROM done"
);
const SAVE: &str = save!(" RETURNING 1");

/// Saves an answer together with what it speaks of.
pub(super) async fn complete(
    db: &PgPool,
    ask: &CompleteKey,
) -> Result<Outcome<ChargeId>, StoreError> {
    let saving = |sql| {
        query(sql)
            .bind(i64::from(ask.answer.status()))
            .bind(ask.answer.charge.as_str())
            .bind(ask.account.as_str())
            .bind(ask.key.as_str())
            .bind(i64::from(ask.token.0))
            .bind(!ask.fencing)
    };
    let written = match &ask.made {
        Made::Charge(charge) => {
            saving(SAVE_CHARGE)
                .bind(charge.id.as_str())
                .bind(i64::from(charge.amount))
                .bind(charge.currency.code())
                .bind(charge.description.as_deref())
                .bind(paid_name(charge.paid))
                .bind(int(charge.created_at))
                .fetch_optional(db)
                .await?
        }
        Made::Refund(_) => {
            let mut tx = db.begin().await?;
            let written = saving(SAVE).fetch_optional(&mut *tx).await?;
            if written.is_some() {
                common::insert(&mut tx, &ask.account, &ask.made).await?;
                tx.commit().await?;
            }
            written
        }
    };
    match written {
        Some(_) => Ok(Outcome::Written),
        None => fenced(db, &ask.account, ask.key.as_str()).await,
    }
}

/// Writes what was made without a key.
pub(super) async fn insert(
    db: &PgPool,
    account: &AccountId,
    made: &Made,
) -> Result<(), StoreError> {
    match made {
        Made::Charge(_) => common::insert(&mut *db.acquire().await?, account, made).await,
        Made::Refund(_) => {
            let mut tx = db.begin().await?;
            common::insert(&mut tx, account, made).await?;
            Ok(tx.commit().await?)
        }
    }
}

pub(super) async fn release(
    db: &PgPool,
    ask: &ReleaseKey,
) -> Result<Outcome<ChargeId>, StoreError> {
    let mut connection = db.acquire().await?;
    if common::release(&mut connection, ask).await? {
        return Ok(Outcome::Written);
    }
    drop(connection);
    fenced(db, &ask.account, ask.key.as_str()).await
}

pub(super) async fn renew(db: &PgPool, ask: &RenewLease) -> Result<bool, StoreError> {
    let renewed = query(
        "UPDATE keys k SET lease_until = now_ms() + a.advance_ms + $1 FROM accounts a \
         WHERE a.id = k.account AND k.account = $2 AND k.key = $3 AND k.token = $4 \
         AND k.state = 'running'",
    )
    .bind(int(ask.lease_ms))
    .bind(ask.account.as_str())
    .bind(ask.key.as_str())
    .bind(i64::from(ask.token.0))
    .execute(db)
    .await?;
    Ok(renewed.rows_affected() == 1)
}

/// Somebody took over: what is saved by now, if anything.
async fn fenced(
    db: &PgPool,
    account: &AccountId,
    key: &str,
) -> Result<Outcome<ChargeId>, StoreError> {
    let found = find(db, account, key).await?;
    Ok(Known::fenced(found.map(|(known, _)| known)))
}
