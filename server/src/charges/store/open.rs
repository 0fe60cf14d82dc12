//! Opens whichever database was asked for.

use std::sync::Arc;

use sqlx::PgPool;

use super::postgres::Postgres;
use super::sqlite::Sqlite;
use super::{Ledger, OpenError, Store};
use crate::config::Database;
use crate::orders::Orders;

/// An open database, by what can be asked of it.
#[derive(Clone)]
pub struct Opened {
    /// Accounts, keys and charges.
    pub store: Arc<dyn Store>,
    /// The card processor's books.
    pub ledger: Arc<dyn Ledger>,
    /// Orders and the queue.
    pub orders: Arc<dyn Orders>,
    which: Which,
}

#[derive(Clone)]
enum Which {
    Sqlite(Arc<Sqlite>),
    Postgres(Arc<Postgres>),
}

/// Opens a database and brings its schema up to date.
///
/// # Errors
/// [`OpenError`] when it cannot be used.
pub async fn open(database: &Database) -> Result<Opened, OpenError> {
    Ok(match database {
        Database::Sqlite(path) => {
            let it = Arc::new(Sqlite::open(path).await?);
            Opened {
                store: it.clone(),
                ledger: it.clone(),
                orders: it.clone(),
                which: Which::Sqlite(it),
            }
        }
        Database::Postgres(options) => {
            let it = Arc::new(Postgres::open(options).await?);
            Opened {
                store: it.clone(),
                ledger: it.clone(),
                orders: it.clone(),
                which: Which::Postgres(it),
            }
        }
    })
}

impl Opened {
    /// The connections to PostgreSQL, where that is what is open: for what only it
    /// can do between servers.
    #[must_use]
    pub fn postgres(&self) -> Option<&PgPool> {
        match &self.which {
            Which::Sqlite(_) => None,
            Which::Postgres(it) => Some(it.pool()),
        }
    }

    /// Finishes what waits and closes it.
    pub async fn close(&self) {
        match &self.which {
            Which::Sqlite(it) => it.close().await,
            Which::Postgres(it) => it.close().await,
        }
    }
}

impl std::fmt::Debug for Opened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.which {
            Which::Sqlite(_) => "Opened(SQLite)",
            Which::Postgres(_) => "Opened(PostgreSQL)",
        })
    }
}
