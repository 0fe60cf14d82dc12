//! Connections to PostgreSQL: how they are set up, tested and given up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sqlx::migrate::MigrateError;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};
use sqlx::{Connection, Error};
use tokio::time::timeout;

use crate::charges::store::{OpenError, StoreError};

/// How long a connection is waited for: for a free one, or for a server that restarts.
const ACQUIRE: Duration = Duration::from_secs(5);
/// How long the first connection may take, so that a start fails soon.
const FIRST: Duration = Duration::from_secs(10);
/// How long a connection may take to show that it still works.
const PING: Duration = Duration::from_secs(1);
/// After so long without use a connection has to show it.
const UNUSED: Duration = Duration::from_secs(1);
/// How long one operation may take in all. The database ends a statement sooner; this
/// is for when nothing comes back at all.
const AT_MOST: Duration = Duration::from_secs(12);
/// How often an operation is tried that gets in the way of others.
const TRIES: u32 = 5;

/// What each connection is told. Several tries judged under a lock need the default
/// isolation, whatever the default of this database is.
const SETTINGS: [(&str, &str); 5] = [
    ("default_transaction_isolation", "read committed"),
    ("synchronous_commit", "on"),
    ("statement_timeout", "5s"),
    ("lock_timeout", "4s"),
    ("idle_in_transaction_session_timeout", "10s"),
];

/// Brings the schema up to date. Servers that start together do it one by one.
pub(super) async fn migrate(options: &PgConnectOptions) -> Result<(), OpenError> {
    let failed = |error: &Error| OpenError::Database(plain(error));
    let mut db = timeout(FIRST, PgConnection::connect_with(options))
        .await
        .map_err(|_| OpenError::Database(String::from("no answer")))?
        .map_err(|error| failed(&error))?;
    sqlx::migrate!("migrations/postgres")
        .run(&mut db)
        .await
        .map_err(|error| match error {
            MigrateError::VersionMissing(_) | MigrateError::VersionTooNew(..) => OpenError::Newer,
            MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => {
                failed(&error)
            }
            other => OpenError::Database(other.to_string()),
        })?;
    db.close().await.map_err(|error| failed(&error))
}

/// What PostgreSQL said, in one line.
fn plain(error: &Error) -> String {
    let text = match error {
        Error::Database(error) => error.message().to_owned(),
        Error::Io(error) => error.to_string(),
        other => other.to_string(),
    };
    text.replace('\n', " ")
}

/// A pool of connections that are all set up alike.
#[derive(Clone, Debug)]
pub(super) struct Connections {
    pool: PgPool,
    /// Something did not come back, so connections are tested before others get them.
    doubt: Arc<AtomicBool>,
}

impl Connections {
    /// No connection is made before it is needed.
    pub(super) fn new(options: &PgConnectOptions, most: u32) -> Self {
        let doubt = Arc::<AtomicBool>::default();
        let doubted = doubt.clone();
        let pool = PgPoolOptions::new()
            .max_connections(most)
            .acquire_timeout(ACQUIRE)
            // A round trip before each statement would double what a claim costs.
            .test_before_acquire(false)
            .before_acquire(|db, meta| {
                Box::pin(async move {
                    if meta.idle_for > UNUSED {
                        ping(db).await?;
                    }
                    Ok(true)
                })
            })
            .after_release(move |db, _| {
                let doubted = doubted.clone();
                Box::pin(async move {
                    if doubted.load(Ordering::Relaxed) {
                        ping(db).await?;
                        doubted.store(false, Ordering::Relaxed);
                    }
                    Ok(true)
                })
            })
            .connect_lazy_with(options.clone().options(SETTINGS));
        Self { pool, doubt }
    }

    pub(super) const fn pool(&self) -> &PgPool {
        &self.pool
    }

    /// Runs an operation to its end, within a time. It is run again when it and
    /// others stood in each other's way: whatever it did is rolled back then.
    pub(super) async fn run<T, F>(&self, mut work: impl FnMut() -> F) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, StoreError>>,
    {
        let tried = timeout(AT_MOST, async {
            let mut tries = 0;
            loop {
                tries += 1;
                match work().await {
                    Err(StoreError::Database(error)) if tries < TRIES && in_the_way(&error) => {
                        tracing::debug!(%error, tries, "tried again");
                        tokio::time::sleep(Duration::from_millis(5 << tries)).await;
                    }
                    done => return done,
                }
            }
        });
        match tried.await {
            Ok(done) => done,
            Err(_) => {
                self.doubt.store(true, Ordering::Relaxed);
                Err(StoreError::Late)
            }
        }
    }
}

async fn ping(db: &mut PgConnection) -> Result<(), Error> {
    timeout(PING, db.ping())
        .await
        .map_err(|_| Error::Io(std::io::ErrorKind::TimedOut.into()))?
}

/// A serialization failure or a deadlock: PostgreSQL chose this transaction to fail.
fn in_the_way(error: &Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    matches!(code.as_deref(), Some("40001" | "40P01"))
}
