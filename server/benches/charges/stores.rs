//! Databases for the benchmark, each new and empty.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use clap::{Parser, ValueEnum};
use server::charges::store::{self, Store};
use server::config::Config;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, SqliteConnection};
use tempfile::TempDir;

use super::Failure;
use super::cluster::Cluster;

/// Which store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// The embedded database.
    Sqlite,
    /// A server on this machine, with its usual durability.
    Postgres,
}

impl Kind {
    pub(crate) const ALL: [Self; 2] = [Self::Sqlite, Self::Postgres];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

enum Place {
    Folder(TempDir),
    Server(Cluster),
}

/// Makes databases, and deletes them with itself.
pub(crate) struct Databases {
    place: Place,
    made: AtomicU32,
}

impl Databases {
    pub(crate) fn start(kind: Kind) -> Result<Self, Failure> {
        let place = match kind {
            // Not in /tmp: there it may be memory, and memory syncs for nothing.
            Kind::Sqlite => Place::Folder(TempDir::with_prefix_in(
                "bench-",
                env!("CARGO_TARGET_TMPDIR"),
            )?),
            Kind::Postgres => Place::Server(Cluster::start(true)),
        };
        Ok(Self {
            place,
            made: AtomicU32::new(0),
        })
    }

    /// A new one, as the server's `--database` takes it.
    pub(crate) async fn make(&self) -> Result<String, Failure> {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        match &self.place {
            Place::Folder(folder) => {
                let path = folder.path().join(format!("{number}.db"));
                Ok(format!("sqlite://{}", path.display()))
            }
            Place::Server(cluster) => {
                let url = cluster.url();
                let mut db = PgConnection::connect(&format!("{url}/postgres")).await?;
                let make = format!("CREATE DATABASE bench_{number}");
                db.execute(AssertSqlSafe(make)).await?;
                Ok(format!("{url}/bench_{number}"))
            }
        }
    }

    /// Copies the pattern's row many times: keys `k00000000` and up.
    pub(crate) async fn fill(&self, database: &str, rows: u64) -> Result<(), Failure> {
        match &self.place {
            Place::Folder(_) => {
                let mut db = SqliteConnection::connect(database).await?;
                for sql in SQLITE_FILL {
                    let sql = sql.replace("ROWS", &rows.to_string());
                    db.execute(AssertSqlSafe(sql)).await?;
                }
                db.close().await?;
            }
            Place::Server(_) => {
                let mut db = PgConnection::connect(database).await?;
                for sql in POSTGRES_FILL {
                    let sql = sql.replace("ROWS", &rows.to_string());
                    db.execute(AssertSqlSafe(sql)).await?;
                }
                db.close().await?;
            }
        }
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
     SELECT account, replace(key, 'pattern', printf('k%08d', i)), fingerprint, state, point, \
     token, claimed_at, expires_at, forget_at, status, printf('ch_k%08d', i) \
     FROM n, (SELECT * FROM keys LIMIT 1)",
    "PRAGMA wal_checkpoint(TRUNCATE)",
];

const POSTGRES_FILL: [&str; 4] = [
    "SET synchronous_commit = off",
    "INSERT INTO charges (id, account, amount, currency, description, paid, created_at) \
     SELECT 'ch_k' || lpad(i::text, 8, '0'), account, amount, currency, description, paid, \
     created_at FROM generate_series(0, ROWS - 1) AS i, (SELECT * FROM charges LIMIT 1) AS p",
    "INSERT INTO keys (account, key, fingerprint, state, point, token, claimed_at, expires_at, \
     forget_at, status, target) \
     SELECT account, replace(key, 'pattern', 'k' || lpad(i::text, 8, '0')), fingerprint, state, \
     point, token, claimed_at, expires_at, forget_at, status, 'ch_k' || lpad(i::text, 8, '0') \
     FROM generate_series(0, ROWS - 1) AS i, (SELECT * FROM keys LIMIT 1) AS p",
    "VACUUM ANALYZE",
];

/// Opens a store for the bare insert.
pub(crate) async fn open(database: &str) -> Result<Arc<dyn Store>, Failure> {
    let config = Config::try_parse_from(["charge-once", "--database", database])?;
    Ok(store::open(&config.database).await?.store)
}
