//! The single writer: what arrives together is committed together.
//!
//! SQLite has one writer at a time, and a commit waits for the disk. So one task
//! owns the writing connection, takes everything that waits, runs it in one
//! transaction or few, and answers only after the commit. What comes often has a text
//! for many of its kind, since each text costs two changes of thread. Work that fails
//! is run again alone, so that it takes nobody else down.

use std::any::{Any, TypeId};

use async_trait::async_trait;
use futures::future::BoxFuture;
use sqlx::Connection;
use sqlx::sqlite::SqliteConnection;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::commit::commit;
use crate::charges::store::StoreError;

/// The most that one transaction carries.
const BATCH: usize = 256;
/// How much may wait.
const QUEUE: usize = 4096;

/// Whose transaction work belongs to. Transactions never mix the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lane {
    /// Ours: accounts, keys, charges.
    Service,
    /// The card processor's.
    Ledger,
    /// Nobody's: it only reads, each statement for itself.
    Read,
}

/// Work for the writing connection. It may be run twice: when somebody else's
/// work failed, the transaction is rolled back and each is run again alone.
#[async_trait]
pub(super) trait Write: Send + Sync + 'static {
    /// What it gives.
    type Out: Send + 'static;
    /// Whose transaction it belongs to.
    const LANE: Lane = Lane::Service;
    /// Does it.
    async fn run(&self, db: &mut SqliteConnection) -> Result<Self::Out, StoreError>;

    /// Whether [`Self::at_once`] does anything.
    const AT_ONCE: bool = false;

    /// Does several in one text with a transaction of its own, which `begin` opens.
    ///
    /// # Errors
    /// Whatever kept it from being committed. A transaction may be left open then.
    async fn at_once(
        works: &[&Self],
        _begin: &'static str,
        _db: &mut SqliteConnection,
    ) -> Result<AtOnce<Self::Out>, StoreError> {
        Ok(AtOnce::nothing(works.len()))
    }

    /// Does several, in this order or as if in it, and gives one result for each.
    async fn run_all(
        works: &[&Self],
        db: &mut SqliteConnection,
    ) -> Result<Vec<Self::Out>, StoreError> {
        let mut outs = Vec::with_capacity(works.len());
        for work in works {
            outs.push(work.run(db).await?);
        }
        Ok(outs)
    }
}

/// What works came to that were to be done at once.
pub(super) struct AtOnce<Out> {
    /// One for each. `None` for what was not done and has to be done by itself.
    pub(super) outs: Vec<Option<Out>>,
    /// Whether the transaction has changed something.
    pub(super) wrote: bool,
}

impl<Out> AtOnce<Out> {
    /// Nothing is done of so many.
    pub(super) fn nothing(works: usize) -> Self {
        Self {
            outs: (0..works).map(|_| None).collect(),
            wrote: false,
        }
    }
}

/// Runs jobs of one kind at once, and says whether anything was written.
pub(super) type RunAtOnce = for<'a> fn(
    &'a mut [Box<dyn Job>],
    &'static str,
    &'a mut SqliteConnection,
) -> BoxFuture<'a, Result<bool, StoreError>>;

/// Runs jobs that are all of one kind.
pub(super) type RunAlike = for<'a> fn(
    &'a mut [Box<dyn Job>],
    &'a mut SqliteConnection,
) -> BoxFuture<'a, Result<(), StoreError>>;

pub(super) trait Job: Send {
    fn lane(&self) -> Lane;
    fn kind(&self) -> TypeId;
    fn run_alike(&self) -> RunAlike;
    fn run_at_once(&self) -> Option<RunAtOnce>;
    fn is_done(&self) -> bool;
    fn as_any(&mut self) -> &mut dyn Any;
    fn answer(self: Box<Self>, committed: Result<(), StoreError>);
}

struct Pending<W: Write> {
    work: W,
    out: Option<W::Out>,
    reply: oneshot::Sender<Result<W::Out, StoreError>>,
}

impl<W: Write> Pending<W> {
    fn all<'a>(
        jobs: &'a mut [Box<dyn Job>],
        db: &'a mut SqliteConnection,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let mut alike = Self::alike(jobs);
            let works: Vec<_> = alike.iter().map(|job| &job.work).collect();
            let outs = W::run_all(&works, db).await?;
            for (job, out) in alike.iter_mut().zip(outs) {
                job.out = Some(out);
            }
            Ok(())
        })
    }

    fn all_at_once<'a>(
        jobs: &'a mut [Box<dyn Job>],
        begin: &'static str,
        db: &'a mut SqliteConnection,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move {
            let mut alike = Self::alike(jobs);
            let works: Vec<_> = alike.iter().map(|job| &job.work).collect();
            let AtOnce { outs, wrote } = W::at_once(&works, begin, db).await?;
            for (job, out) in alike.iter_mut().zip(outs) {
                job.out = out;
            }
            Ok(wrote)
        })
    }

    fn alike(jobs: &mut [Box<dyn Job>]) -> Vec<&mut Self> {
        jobs.iter_mut()
            .filter_map(|job| job.as_any().downcast_mut())
            .collect()
    }
}

impl<W: Write> Job for Pending<W> {
    fn lane(&self) -> Lane {
        W::LANE
    }

    fn kind(&self) -> TypeId {
        TypeId::of::<W>()
    }

    fn run_alike(&self) -> RunAlike {
        Self::all
    }

    fn run_at_once(&self) -> Option<RunAtOnce> {
        W::AT_ONCE.then_some(Self::all_at_once)
    }

    fn is_done(&self) -> bool {
        self.out.is_some()
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn answer(self: Box<Self>, committed: Result<(), StoreError>) {
        let Self { out, reply, .. } = *self;
        let answer = committed.and_then(|()| out.ok_or(StoreError::Closed));
        // Whoever asked may be gone; the work is done all the same.
        let _ = reply.send(answer);
    }
}

/// Hands work to the writing task.
#[derive(Debug)]
pub(super) struct Writer {
    jobs: mpsc::Sender<Box<dyn Job>>,
    closing: CancellationToken,
    ended: tokio::sync::Mutex<Option<JoinHandle<()>>>,
}

impl std::fmt::Debug for dyn Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Job")
    }
}

impl Writer {
    pub(super) fn start(db: SqliteConnection) -> Self {
        let (jobs, waiting) = mpsc::channel(QUEUE);
        let closing = CancellationToken::new();
        let ended = tokio::spawn(write(db, waiting, closing.clone()));
        Self {
            jobs,
            closing,
            ended: tokio::sync::Mutex::new(Some(ended)),
        }
    }

    /// Runs work and returns after its commit.
    pub(super) async fn run<W: Write>(&self, work: W) -> Result<W::Out, StoreError> {
        let (reply, answer) = oneshot::channel();
        let job = Box::new(Pending {
            work,
            out: None,
            reply,
        });
        self.jobs.send(job).await.map_err(|_| StoreError::Closed)?;
        answer.await.map_err(|_| StoreError::Closed)?
    }

    /// Ends the task after everything that already waits.
    pub(super) async fn close(&self) {
        self.closing.cancel();
        if let Some(ended) = self.ended.lock().await.take() {
            let _ = ended.await;
        }
    }
}

async fn write(
    mut db: SqliteConnection,
    mut waiting: mpsc::Receiver<Box<dyn Job>>,
    closing: CancellationToken,
) {
    let mut batch = Vec::with_capacity(BATCH);
    loop {
        let closed = waiting.is_closed();
        let count = tokio::select! {
            count = waiting.recv_many(&mut batch, BATCH) => count,
            () = closing.cancelled(), if !closed => {
                // Nothing new comes in; what waits is still done.
                waiting.close();
                continue;
            }
        };
        if count == 0 {
            break;
        }
        // Those who are just about to ask come along, for as long as somebody comes: one
        // wait for the disk less for each.
        let mut before = 0;
        while before < batch.len() && batch.len() < BATCH {
            before = batch.len();
            tokio::task::yield_now().await;
            while batch.len() < BATCH
                && let Ok(job) = waiting.try_recv()
            {
                batch.push(job);
            }
        }
        commit(&mut db, &mut batch).await;
    }
    if let Err(error) = db.close().await {
        tracing::warn!(%error, "the database was not closed cleanly");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlx::{query, query_scalar};
    use tempfile::TempDir;

    struct Add(i64);

    #[async_trait]
    impl Write for Add {
        type Out = i64;
        async fn run(&self, db: &mut SqliteConnection) -> Result<i64, StoreError> {
            query("INSERT INTO t (n) VALUES (?)")
                .bind(self.0)
                .execute(&mut *db)
                .await?;
            if self.0 < 0 {
                return Err(StoreError::Corrupt("number"));
            }
            // How much the transaction has seen so far.
            Ok(query_scalar("SELECT count(*) FROM t").fetch_one(db).await?)
        }
    }

    async fn open(folder: &TempDir) -> SqliteConnection {
        use sqlx::ConnectOptions;
        sqlx::sqlite::SqliteConnectOptions::new()
            .filename(folder.path().join("w.db"))
            .create_if_missing(true)
            .connect()
            .await
            .unwrap()
    }

    #[tokio::test]
    async fn work_that_fails_takes_nobody_else_down() {
        let folder = TempDir::new().unwrap();
        let mut db = open(&folder).await;
        query("CREATE TABLE t (n INTEGER UNIQUE)")
            .execute(&mut db)
            .await
            .unwrap();
        let writer = Writer::start(db);
        // On one thread all of them wait before the writer wakes: one batch.
        let work = [1, 2, -1, 3, 2, 4].map(|n| writer.run(Add(n)));
        let done = futures::future::join_all(work).await;
        let written: Vec<_> = done.iter().map(Result::is_ok).collect();
        assert_eq!(written, [true, true, false, true, false, true]);
        writer.close().await;
        assert!(matches!(writer.run(Add(9)).await, Err(StoreError::Closed)));
        let mut db = open(&folder).await;
        let rows: Vec<i64> = query_scalar("SELECT n FROM t ORDER BY n")
            .fetch_all(&mut db)
            .await
            .unwrap();
        assert_eq!(rows, [1, 2, 3, 4], "what failed is rolled back");
    }

    #[tokio::test]
    async fn what_waits_at_closing_is_still_written() {
        let folder = TempDir::new().unwrap();
        let mut db = open(&folder).await;
        query("CREATE TABLE t (n INTEGER UNIQUE)")
            .execute(&mut db)
            .await
            .unwrap();
        let writer = Writer::start(db);
        let (done, ()) = tokio::join!(
            futures::future::join_all((1..=600).map(|n| writer.run(Add(n)))),
            writer.close()
        );
        assert!(done.iter().filter(|done| done.is_ok()).count() > 0);
        let mut db = open(&folder).await;
        let rows: i64 = query_scalar("SELECT count(*) FROM t")
            .fetch_one(&mut db)
            .await
            .unwrap();
        assert_eq!(
            rows as usize,
            done.iter().filter(|done| done.is_ok()).count()
        );
    }
}
