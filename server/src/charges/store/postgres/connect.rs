//! Connections to PostgreSQL: how they are set up, tested and given up.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use sqlx::migrate::MigrateError;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};
use sqlx::{Connection, Error};
use tokio::time::timeout;

use crate::charges::store::{OpenError, StoreError};

/// How long a free connection is waited for at once. A longer wait is several such
/// ones: sqlx looks for a server that restarts in ever longer steps, up to a fifth of
/// this, and nobody should sleep on when it is back.
const ACQUIRE: Duration = Duration::from_secs(2);
/// When nothing has succeeded for so long, the database is taken for gone. Longer
/// than a statement may take.
const QUIET: Duration = Duration::from_secs(6);
/// How often it is looked at that.
const LOOK: Duration = Duration::from_millis(500);
/// How long one operation may take in all, also when only its connection is dead.
const AT_MOST: Duration = Duration::from_secs(30);
/// How long the first connection may take, so that a start fails soon.
const FIRST: Duration = Duration::from_secs(10);
/// How long a connection may take to show that it still works.
const PING: Duration = Duration::from_secs(1);
/// After so long without use a connection has to show it.
const UNUSED: Duration = Duration::from_secs(1);
/// How often an operation is tried that gets in the way of others.
const TRIES: u32 = 5;

/// What each connection is told. Several tries judged under a lock need the default
/// isolation, whatever the default of this database is.
const SETTINGS: [(&str, &str); 6] = [
    ("default_transaction_isolation", "read committed"),
    ("synchronous_commit", "on"),
    ("statement_timeout", "5s"),
    ("lock_timeout", "4s"),
    // It pays for long reports; here there are none.
    ("jit", "off"),
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
    health: Arc<Health>,
}

/// Whether the database answers.
#[derive(Debug)]
struct Health {
    since: Instant,
    /// When something last succeeded, in ms since then.
    success: AtomicU64,
    /// Something did not come back, so connections are tested before others get them.
    doubt: AtomicBool,
}

impl Health {
    fn succeeded(&self) {
        let at = u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.success.fetch_max(at, Ordering::Relaxed);
    }

    /// For how long nothing has succeeded, for somebody who waits since `started`.
    fn quiet(&self, started: Instant) -> Duration {
        let success = Duration::from_millis(self.success.load(Ordering::Relaxed));
        let quiet = self.since.elapsed().saturating_sub(success);
        quiet.min(started.elapsed())
    }
}

impl Connections {
    /// No connection is made before it is needed.
    pub(super) fn new(options: &PgConnectOptions, most: u32) -> Self {
        let health = Arc::new(Health {
            since: Instant::now(),
            success: AtomicU64::new(0),
            doubt: AtomicBool::new(false),
        });
        let told = health.clone();
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
                let told = told.clone();
                Box::pin(async move {
                    if told.doubt.load(Ordering::Relaxed) {
                        ping(db).await?;
                        told.doubt.store(false, Ordering::Relaxed);
                    }
                    Ok(true)
                })
            })
            .connect_lazy_with(options.clone().options(SETTINGS));
        Self { pool, health }
    }

    pub(super) const fn pool(&self) -> &PgPool {
        &self.pool
    }

    /// Runs an operation to its end, or until the database seems to be gone: whoever
    /// waits in a long queue goes on waiting, but nobody waits for nothing.
    pub(super) async fn run<T, F>(&self, work: impl FnMut() -> F) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, StoreError>>,
    {
        let started = Instant::now();
        let mut done = pin!(again(work));
        loop {
            match timeout(LOOK, &mut done).await {
                Ok(done) => {
                    if done.is_ok() {
                        self.health.succeeded();
                    }
                    return done;
                }
                Err(_) if self.health.quiet(started) < QUIET && started.elapsed() < AT_MOST => {}
                Err(_) => {
                    self.health.doubt.store(true, Ordering::Relaxed);
                    return Err(StoreError::Late);
                }
            }
        }
    }
}

/// Runs an operation again when it and others stood in each other's way: whatever it
/// did is rolled back then.
async fn again<T, F>(mut work: impl FnMut() -> F) -> Result<T, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    let mut tries = 1;
    loop {
        match work().await {
            Err(StoreError::Database(error)) if tries < TRIES && in_the_way(&error) => {
                tracing::debug!(%error, tries, "tried again");
                tokio::time::sleep(Duration::from_millis(5 << tries)).await;
                tries += 1;
            }
            // Nothing was done yet. Whether to wait on is decided by who called.
            Err(StoreError::Database(Error::PoolTimedOut)) => {}
            done => return done,
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
