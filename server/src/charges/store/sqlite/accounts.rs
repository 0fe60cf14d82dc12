//! Accounts in SQLite.

use async_trait::async_trait;
use model::Ms;
use model::fault::Fault;
use sqlx::sqlite::SqliteConnection;
use sqlx::{query, query_scalar};

use super::common;
use super::writer::Write;
use crate::charges::store::rows::{self, FURTHEST, int, ms};
use crate::charges::store::{ChangeSettings, MOST_FAULTS, StoreError};
use crate::clock;
use crate::id::AccountId;

/// Now, by the account's clock.
pub(super) async fn now(db: &mut SqliteConnection, account: &AccountId) -> Result<Ms, StoreError> {
    let advance: Option<i64> = query_scalar("SELECT advance_ms FROM accounts WHERE id = ?")
        .bind(account.as_str())
        .fetch_optional(db)
        .await?;
    Ok(clock::now().saturating_add(ms(advance.unwrap_or(0))))
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

#[async_trait]
impl Write for ChangeSettings {
    type Out = bool;
    async fn run(&self, db: &mut SqliteConnection) -> Result<bool, StoreError> {
        common::change(db, self).await
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
        common::reset(db, &self.id).await
    }
}

pub(super) struct QueueFaults {
    pub(super) id: AccountId,
    pub(super) faults: Vec<Fault>,
}

#[async_trait]
impl Write for QueueFaults {
    type Out = bool;
    async fn run(&self, db: &mut SqliteConnection) -> Result<bool, StoreError> {
        let queued = common::count_faults(db, &self.id).await?;
        if queued.saturating_add(self.faults.len() as u64) > MOST_FAULTS {
            return Ok(false);
        }
        for fault in &self.faults {
            common::insert_fault(db, &self.id, fault).await?;
        }
        Ok(true)
    }
}

pub(super) struct TakeFault {
    pub(super) id: AccountId,
}

#[async_trait]
impl Write for TakeFault {
    type Out = Fault;
    async fn run(&self, db: &mut SqliteConnection) -> Result<Fault, StoreError> {
        let fault: Option<String> = query_scalar(
            "DELETE FROM faults WHERE number = \
             (SELECT number FROM faults WHERE account = ? ORDER BY number LIMIT 1) \
             RETURNING fault",
        )
        .bind(self.id.as_str())
        .fetch_optional(db)
        .await?;
        fault.map_or(Ok(Fault::None), |text| rows::fault(&text))
    }
}

pub(super) struct ClearFaults {
    pub(super) id: AccountId,
}

#[async_trait]
impl Write for ClearFaults {
    type Out = ();
    async fn run(&self, db: &mut SqliteConnection) -> Result<(), StoreError> {
        common::clear_faults(db, &self.id).await
    }
}
