//! PostgreSQL: one database that several servers share.

use sqlx::PgPool;
use sqlx::postgres::PgConnectOptions;

use super::OpenError;

/// A store in PostgreSQL.
#[derive(Debug)]
pub(super) struct Postgres {
    pool: PgPool,
}

impl Postgres {
    pub(super) async fn open(_: &PgConnectOptions) -> Result<Self, OpenError> {
        Err(OpenError::File(String::from("not yet")))
    }

    /// The connections.
    pub(super) const fn pool(&self) -> &PgPool {
        &self.pool
    }

    pub(super) async fn close(&self) {
        self.pool.close().await;
    }
}
