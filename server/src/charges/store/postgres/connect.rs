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
    /// When a connection was last found to be lost, in ms since then. What was last
    /// used before may be lost as well.
    lost: AtomicU64,
    /// Something did not come back, so connections are tested before others get them.
    doubt: AtomicBool,
}

impl Health {
    fn new() -> Self {
        Self {
            since: Instant::now(),
            success: AtomicU64::new(0),
            lost: AtomicU64::new(0),
            doubt: AtomicBool::new(false),
        }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn succeeded(&self) {
        self.success.fetch_max(self.now(), Ordering::Relaxed);
    }

    fn lost(&self) {
        // Rounded up: what was used in the same millisecond is tested too.
        self.lost.fetch_max(self.now() + 1, Ordering::Relaxed);
    }

    /// Whether a connection may be lost that was last used so long ago.
    fn doubtful(&self, idle: Duration) -> bool {
        let idle = u64::try_from(idle.as_millis()).unwrap_or(u64::MAX);
        let used = self.now().saturating_sub(idle);
        used <= self.lost.load(Ordering::Relaxed)
    }

    /// For how long nothing has succeeded, for somebody who waits since `started`.
    fn quiet(&self, started: Instant) -> Duration {
        let success = Duration::from_millis(self.success.load(Ordering::Relaxed));
        let quiet = self.since.elapsed().saturating_sub(success);
        quiet.min(started.elapsed())
    }
}

impl Connections {
    /// Two pools on one database, with at most so many connections each: what one of
    /// them finds out about the database holds for the other. No connection is made
    /// before it is needed.
    pub(super) fn two(options: &PgConnectOptions, most: [u32; 2]) -> [Self; 2] {
        let health = Arc::new(Health::new());
        most.map(|most| Self::new(options, most, &health))
    }

    fn new(options: &PgConnectOptions, most: u32, health: &Arc<Health>) -> Self {
        let (asked, told) = (health.clone(), health.clone());
        let pool = PgPoolOptions::new()
            .max_connections(most)
            .acquire_timeout(ACQUIRE)
            // A round trip before each statement would double what a claim costs.
            .test_before_acquire(false)
            .before_acquire(move |db, meta| {
                let test = meta.idle_for > UNUSED || asked.doubtful(meta.idle_for);
                Box::pin(async move {
                    if test {
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
        Self {
            pool,
            health: health.clone(),
        }
    }

    pub(super) const fn pool(&self) -> &PgPool {
        &self.pool
    }

    /// Runs an operation to its end, or until the database seems to be gone: whoever
    /// waits in a long queue goes on waiting, but nobody waits for nothing.
    ///
    /// A write whose connection is lost may have happened: it fails, and who asked for
    /// the payment asks again.
    pub(super) async fn run<T, F>(&self, work: impl FnMut() -> F) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, StoreError>>,
    {
        self.wait_for(self.again(work)).await
    }

    /// Like [`Self::run`], for what only reads: it is done again over another
    /// connection when its own is lost. A request begins with a read, so after a
    /// restart of the database it finds the lost connections before it writes.
    pub(super) async fn read<T, F>(&self, mut work: impl FnMut() -> F) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, StoreError>>,
    {
        let reading = async {
            let mut tries = 1;
            loop {
                match self.again(&mut work).await {
                    Err(StoreError::Database(error)) if tries < TRIES && is_lost(&error) => {
                        tries += 1;
                    }
                    done => return done,
                }
            }
        };
        self.wait_for(reading).await
    }

    async fn wait_for<T>(
        &self,
        work: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let started = Instant::now();
        let mut done = pin!(work);
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

    /// Runs an operation again when it and others stood in each other's way: whatever
    /// it did is rolled back then.
    async fn again<T, F>(&self, mut work: impl FnMut() -> F) -> Result<T, StoreError>
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
                Err(StoreError::Database(error)) if is_lost(&error) => {
                    self.health.lost();
                    return Err(StoreError::Database(error));
                }
                done => return done,
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

/// The connection ended before there was an answer: whether anything was done is not
/// known. PostgreSQL says so itself when it has to stop (class 57P) or when it lost
/// the connection to somebody else (class 08).
fn is_lost(error: &Error) -> bool {
    match error {
        Error::Io(_) | Error::Protocol(_) => true,
        Error::Database(error) => error
            .code()
            .is_some_and(|code| code.starts_with("57P") || code.starts_with("08")),
        _ => false,
    }
}
