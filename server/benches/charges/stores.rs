//! Databases for the benchmark, each new and empty.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use clap::ValueEnum;
use server::charges::store::Store;
use server::charges::store::sqlite::Sqlite;
use sqlx::{AssertSqlSafe, Connection};
use tempfile::TempDir;

use super::Failure;

/// Which store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// The embedded database.
    Sqlite,
}

impl Kind {
    pub(crate) const ALL: [Self; 1] = [Self::Sqlite];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
        }
    }
}

/// Makes databases, and deletes them with itself.
pub(crate) struct Databases {
    folder: TempDir,
    made: AtomicU32,
}

impl Databases {
    pub(crate) fn start(_kind: Kind) -> Result<Self, Failure> {
        Ok(Self {
            // Not in /tmp: there it may be memory, and memory syncs for nothing.
            folder: TempDir::with_prefix_in("bench-", env!("CARGO_TARGET_TMPDIR"))?,
            made: AtomicU32::new(0),
        })
    }

    /// A new one, as the server's `--database` takes it.
    pub(crate) fn make(&self) -> Result<String, Failure> {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let path: PathBuf = self.folder.path().join(format!("{number}.db"));
        Ok(format!("sqlite://{}", path.display()))
    }

    /// Copies the pattern's row many times: keys `k00000000` and up.
    pub(crate) async fn fill(&self, database: &str, rows: u64) -> Result<(), Failure> {
        let mut db = sqlx::SqliteConnection::connect(database).await?;
        for sql in SQLITE_FILL {
            sqlx::query(AssertSqlSafe(sql.replace("ROWS", &rows.to_string())))
                .execute(&mut db)
                .await?;
        }
        db.close().await?;
        Ok(())
    }
}

const SQLITE_FILL: [&str; 5] = [
    "PRAGMA synchronous = OFF",
    "PRAGMA cache_size = -500000",
    "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ROWS) \
     INSERT INTO charges (id, account, amount, currency, description, paid, created_at) \
     SELECT printf('ch_k%08d', i), account, amount, currency, description, paid, created_at \
     FROM n, (SELECT * FROM charges LIMIT 1)",
    "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ROWS) \
     INSERT INTO keys (account, key, fingerprint, state, point, token, claimed_at, expires_at, \
     forget_at, status, target) \
     SELECT account, replace(key, 'pattern', printf('k%08d', i)), fingerprint, state, point, token, \
     claimed_at, expires_at, forget_at, status, printf('ch_k%08d', i) \
     FROM n, (SELECT * FROM keys LIMIT 1)",
    "PRAGMA wal_checkpoint(TRUNCATE)",
];

/// Opens a store for the bare insert.
pub(crate) async fn open(database: &str) -> Result<Arc<dyn Store>, Failure> {
    let path = database.strip_prefix("sqlite://").ok_or("not SQLite")?;
    Ok(Arc::new(Sqlite::open(path.as_ref()).await?))
}
