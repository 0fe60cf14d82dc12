//! Key records in SQLite: claim, complete, release, renew.

use async_trait::async_trait;
use model::protocol::{Outcome, Token};
use sqlx::sqlite::{SqliteConnection, SqlitePool};
use sqlx::{query, query_as, query_scalar};

use super::writer::{AtOnce, Write};
use super::{accounts, bulk, common};
use crate::charges::store::judge::{Judged, Times};
use crate::charges::store::rows::{Known, KnownRow, int, point_name};
use crate::charges::store::{ClaimKey, Claimed, CompleteKey, ReleaseKey, RenewLease, StoreError};
use crate::id::{AccountId, ChargeId};

#[async_trait]
impl Write for ClaimKey {
    type Out = Claimed;
    const AT_ONCE: bool = true;

    async fn run(&self, db: &mut SqliteConnection) -> Result<Claimed, StoreError> {
        let now = accounts::now(db, &self.account).await?;
        let times = self.times(now);
        // Known keys go on to be answered; only new ones find no room.
        if !self.room && find(db, &self.account, self.key.as_str()).await?.is_none() {
            return Ok(Claimed::full());
        }
        // No look-up before it: two requests that look could both find nothing.
        if let Some(generation) = insert(db, self, times).await? {
            return Ok(Claimed::fresh(generation, times.lease_until));
        }
        let known = find(db, &self.account, self.key.as_str())
            .await?
            .ok_or(StoreError::Corrupt("key"))?;
        let taken = match self.judge(&known, now)? {
            Judged::Known(claimed) => return Ok(claimed),
            Judged::TakeOver(taken) => taken,
        };
        let written = query(
            "UPDATE keys SET state = 'running', point = ?, token = ?, claimed_at = ?, \
             lease_until = ?, expires_at = ?, forget_at = ?, status = NULL, target = NULL, \
             generation = ? WHERE account = ? AND key = ? AND token = ?",
        )
        .bind(point_name(taken.point))
        .bind(taken.token.0)
        .bind(int(now))
        .bind(times.lease_until.map(int))
        .bind(int(times.expires_at))
        .bind(int(times.forget_at))
        .bind(taken.generation)
        .bind(self.account.as_str())
        .bind(self.key.as_str())
        .bind(taken.from.0)
        .execute(db)
        .await?;
        // We hold the write lock since before we read.
        if written.rows_affected() != 1 {
            return Err(StoreError::Corrupt("token"));
        }
        Ok(Claimed::over(&taken, times.lease_until))
    }

    async fn at_once(
        asks: &[&Self],
        begin: &'static str,
        db: &mut SqliteConnection,
    ) -> Result<AtOnce<Claimed>, StoreError> {
        bulk::claim(asks, begin, db).await
    }
}

/// Inserts a new key and gives its generation. `None` when it is known.
async fn insert(
    db: &mut SqliteConnection,
    ask: &ClaimKey,
    times: Times,
) -> Result<Option<u32>, StoreError> {
    query_scalar(
        "INSERT INTO keys (account, key, fingerprint, state, point, token, claimed_at, \
         lease_until, expires_at, forget_at, generation, intent) \
         SELECT id, ?, ?, 'running', 'claimed', ?, ?, ?, ?, ?, max(?, forgotten), ? \
         FROM accounts WHERE id = ? ON CONFLICT (account, key) DO NOTHING RETURNING generation",
    )
    .bind(ask.key.as_str())
    .bind(&ask.fingerprint.as_bytes()[..])
    .bind(Token::FIRST.0)
    .bind(int(times.now))
    .bind(times.lease_until.map(int))
    .bind(int(times.expires_at))
    .bind(int(times.forget_at))
    .bind(ask.generation)
    .bind(ask.intent.as_deref())
    .bind(ask.account.as_str())
    .fetch_optional(db)
    .await
    .map_err(StoreError::from)
}

/// The look-up of the unsafe form: what it finds may be over before it is used.
pub(super) async fn look_up(
    db: &SqlitePool,
    ask: &ClaimKey,
) -> Result<Outcome<ChargeId>, StoreError> {
    let mut db = db.acquire().await?;
    let now = accounts::now(&mut db, &ask.account).await?;
    let known = find(&mut db, &ask.account, ask.key.as_str()).await?;
    Ok(known.map_or(Outcome::Absent, |known| ask.seen(&known, now)))
}

/// The insert of the unsafe form: it writes over whatever is there by now.
pub(super) struct Force(pub(super) ClaimKey);

#[async_trait]
impl Write for Force {
    type Out = Claimed;

    async fn run(&self, db: &mut SqliteConnection) -> Result<Claimed, StoreError> {
        let ask = &self.0;
        let times = ask.times(accounts::now(db, &ask.account).await?);
        let gone = query("DELETE FROM keys WHERE account = ? AND key = ?")
            .bind(ask.account.as_str())
            .bind(ask.key.as_str())
            .execute(&mut *db)
            .await?;
        if !ask.room && gone.rows_affected() == 0 {
            return Ok(Claimed::full());
        }
        let generation = insert(db, ask, times).await?;
        let generation = generation.ok_or(StoreError::Corrupt("key"))?;
        Ok(Claimed::fresh(generation, times.lease_until))
    }
}

#[async_trait]
impl Write for CompleteKey {
    type Out = Outcome<ChargeId>;
    const AT_ONCE: bool = true;

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
            let known = find(db, &self.account, self.key.as_str()).await?;
            return Ok(Known::fenced(known));
        }
        common::insert(db, &self.account, &self.made).await?;
        Ok(Outcome::Written)
    }

    async fn at_once(
        asks: &[&Self],
        begin: &'static str,
        db: &mut SqliteConnection,
    ) -> Result<AtOnce<Outcome<ChargeId>>, StoreError> {
        bulk::complete(asks, begin, db).await
    }
}

#[async_trait]
impl Write for ReleaseKey {
    type Out = Outcome<ChargeId>;

    async fn run(&self, db: &mut SqliteConnection) -> Result<Outcome<ChargeId>, StoreError> {
        if common::release(db, self).await? {
            return Ok(Outcome::Written);
        }
        let known = find(db, &self.account, self.key.as_str()).await?;
        Ok(Known::fenced(known))
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

async fn find(
    db: &mut SqliteConnection,
    account: &AccountId,
    key: &str,
) -> Result<Option<Known>, StoreError> {
    query_as::<_, KnownRow>(
        "SELECT fingerprint, state, point, token, claimed_at, lease_until, expires_at, status, \
         target, generation FROM keys WHERE account = ? AND key = ?",
    )
    .bind(account.as_str())
    .bind(key)
    .fetch_optional(db)
    .await?
    .map(Known::try_from)
    .transpose()
}
