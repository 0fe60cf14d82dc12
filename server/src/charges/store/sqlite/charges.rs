//! Charges in SQLite.

use async_trait::async_trait;
use sqlx::sqlite::SqliteConnection;

use super::common;
use super::writer::Write;
use crate::charges::store::{Intent, Made, StoreError};
use crate::id::AccountId;

pub(super) struct Insert {
    pub(super) account: AccountId,
    pub(super) made: Made,
}

#[async_trait]
impl Write for Insert {
    type Out = ();
    async fn run(&self, db: &mut SqliteConnection) -> Result<(), StoreError> {
        common::insert(db, &self.account, &self.made).await
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
        common::intend(db, &self.account, &self.intent).await
    }
}
