//! Accounts in SQLite.

use async_trait::async_trait;
use model::Ms;
use sqlx::sqlite::{SqliteConnection, SqlitePool};
use sqlx::{Row, query, query_scalar};

use super::writer::Write;
use crate::charges::store::rows::{int, ms};
use crate::charges::store::{Account, StoreError};
use crate::clock;
use crate::id::AccountId;
use crate::lab::settings::Changes;

/// The furthest that a sandbox's clock can be ahead, in ms: 100 years. Sums of
/// times then never overflow.
const FURTHEST: Ms = 100 * 366 * 86_400_000;

/// Now, by the account's clock.
pub(super) async fn now(db: &mut SqliteConnection, account: &AccountId) -> Result<Ms, StoreError> {
    let advance: Option<i64> = query_scalar("SELECT advance_ms FROM accounts WHERE id = ?")
        .bind(account.as_str())
        .fetch_optional(db)
        .await?;
    Ok(clock::now().saturating_add(ms(advance.unwrap_or(0))))
}

pub(super) async fn by_token(
    db: &SqlitePool,
    token_hash: &[u8],
) -> Result<Option<Account>, StoreError> {
    let row = query("SELECT id, settings FROM accounts WHERE token_hash = ? AND closed_at IS NULL")
        .bind(token_hash)
        .fetch_optional(db)
        .await?;
    row.map(|row| {
        let changes: &str = row.try_get("settings")?;
        Ok(Account {
            id: row.try_get::<String, _>("id")?.into(),
            changes: serde_json::from_str(changes).map_err(|_| StoreError::Corrupt("setting"))?,
        })
    })
    .transpose()
}

pub(super) struct Create {
    pub(super) id: AccountId,
    pub(super) token_hash: [u8; 32],
}

#[async_trait]
impl Write for Create {
    type Out = ();
    async fn run(&self, db: &mut SqliteConnection) -> Result<(), StoreError> {
        query("INSERT INTO accounts (id, token_hash, created_at, seen_at) VALUES (?1, ?2, ?3, ?3)")
            .bind(self.id.as_str())
            .bind(&self.token_hash[..])
            .bind(int(clock::now()))
            .execute(db)
            .await?;
        Ok(())
    }
}

pub(super) struct Change {
    pub(super) id: AccountId,
    pub(super) changes: Changes,
    pub(super) sweeps: bool,
}

#[async_trait]
impl Write for Change {
    type Out = ();
    async fn run(&self, db: &mut SqliteConnection) -> Result<(), StoreError> {
        let text =
            serde_json::to_string(&self.changes).map_err(|_| StoreError::Corrupt("setting"))?;
        query("UPDATE accounts SET settings = ?, sweeps = ? WHERE id = ?")
            .bind(text)
            .bind(self.sweeps)
            .bind(self.id.as_str())
            .execute(db)
            .await?;
        Ok(())
    }
}

pub(super) struct Advance {
    pub(super) id: AccountId,
    pub(super) by_ms: Ms,
}

#[async_trait]
impl Write for Advance {
    type Out = Ms;
    async fn run(&self, db: &mut SqliteConnection) -> Result<Ms, StoreError> {
        let ahead: i64 = query_scalar(
            "UPDATE accounts SET advance_ms = min(advance_ms + ?, ?) WHERE id = ? RETURNING advance_ms",
        )
        .bind(int(self.by_ms.min(FURTHEST)))
        .bind(int(FURTHEST))
        .bind(self.id.as_str())
        .fetch_one(db)
        .await?;
        Ok(ms(ahead))
    }
}

pub(super) struct Reset {
    pub(super) id: AccountId,
}

#[async_trait]
impl Write for Reset {
    type Out = ();
    async fn run(&self, db: &mut SqliteConnection) -> Result<(), StoreError> {
        for sql in [
            "DELETE FROM keys WHERE account = ?",
            "DELETE FROM charges WHERE account = ?",
            "DELETE FROM intents WHERE account = ?",
            "DELETE FROM orders WHERE account = ?",
            "DELETE FROM order_changes WHERE account = ?",
            "DELETE FROM messages WHERE account = ?",
            "DELETE FROM consumed WHERE account = ?",
        ] {
            query(sql).bind(self.id.as_str()).execute(&mut *db).await?;
        }
        Ok(())
    }
}
