//! Commits what the writer took: everything of one lane in one transaction, and both
//! transactions with one wait for the disk.

use sqlx::query;
use sqlx::sqlite::SqliteConnection;

use super::writer::{Job, Lane};
use crate::charges::store::StoreError;

/// Begins a transaction whose commit waits for the disk. In one text, since each
/// statement by itself costs two changes of thread.
const WAITING: &str = "PRAGMA synchronous = FULL; BEGIN IMMEDIATE";
/// Begins one whose commit does not.
const NOT_WAITING: &str = "PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE";

type Jobs = Vec<Box<dyn Job>>;
type Done = Vec<(Box<dyn Job>, Result<(), StoreError>)>;

/// Runs a batch and answers each job of it, once what it did is durable.
pub(super) async fn commit(db: &mut SqliteConnection, batch: &mut Jobs) {
    let mut take = |lane| -> Jobs { batch.extract_if(.., |job| job.lane() == lane).collect() };
    let (service, ledger, read) = (take(Lane::Service), take(Lane::Ledger), take(Lane::Read));
    let done = if service.is_empty() || ledger.is_empty() {
        let mut done = all(db, WAITING, service).await;
        done.extend(all(db, WAITING, ledger).await);
        done
    } else {
        both(db, service, ledger).await
    };
    answer(done);
    answer(all(db, WAITING, read).await);
}

fn answer(done: Done) {
    for (job, committed) in done {
        job.answer(committed);
    }
}

/// Two transactions, the first without a wait for the disk: the second's wait is for
/// the same log, and so for both. Nobody is answered before it.
async fn both(db: &mut SqliteConnection, first: Jobs, second: Jobs) -> Done {
    let mut done = all(db, NOT_WAITING, first).await;
    let second = all(db, WAITING, second).await;
    let waited = second.iter().any(|(_, committed)| committed.is_ok());
    if !waited && wait(db).await.is_err() {
        for (_, committed) in &mut done {
            *committed = Err(StoreError::Closed);
        }
    }
    done.extend(second);
    done
}

/// A commit for the sake of its wait: it changes a number that nobody reads.
async fn wait(db: &mut SqliteConnection) -> Result<(), StoreError> {
    query("PRAGMA synchronous = FULL; PRAGMA user_version = 1")
        .execute(db)
        .await?;
    Ok(())
}

/// Runs jobs together or, when that fails, each alone.
async fn all(db: &mut SqliteConnection, begin: &'static str, mut jobs: Jobs) -> Done {
    // Alike next to alike, and among those in the order in which they came.
    jobs.sort_by_key(|job| job.kind());
    match together(db, begin, &mut jobs).await {
        Ok(()) => return jobs.into_iter().map(|job| (job, Ok(()))).collect(),
        Err(Failed::ToBegin(error)) => {
            // No job is to blame: another process holds the file. Each alone would
            // wait for it as long once more, one after the other.
            tracing::warn!(%error, jobs = jobs.len(), "no transaction can begin");
            let late = |job| (job, Err(StoreError::Late));
            return jobs.into_iter().map(late).collect();
        }
        Err(Failed::AtWork(_)) => {}
    }
    let mut done = Vec::with_capacity(jobs.len());
    for mut job in jobs {
        let committed = together(db, begin, std::slice::from_mut(&mut job)).await;
        done.push((job, committed.map_err(Failed::into_error)));
    }
    done
}

/// Where a transaction failed.
enum Failed {
    /// Before any job ran.
    ToBegin(sqlx::Error),
    /// In a job, or when it was to be committed.
    AtWork(StoreError),
}

impl Failed {
    fn into_error(self) -> StoreError {
        match self {
            Self::ToBegin(error) => error.into(),
            Self::AtWork(error) => error,
        }
    }
}

async fn together(
    db: &mut SqliteConnection,
    begin: &'static str,
    jobs: &mut [Box<dyn Job>],
) -> Result<(), Failed> {
    match jobs.first().map(|job| job.lane()) {
        None => return Ok(()),
        Some(Lane::Read) => return run(db, jobs).await.map_err(Failed::AtWork),
        Some(Lane::Service | Lane::Ledger) => {}
    }
    let begun = query(begin).execute(&mut *db).await;
    begun.map_err(Failed::ToBegin)?;
    let mut done = run(db, jobs).await;
    if done.is_ok() {
        done = query("COMMIT")
            .execute(&mut *db)
            .await
            .map(drop)
            .map_err(StoreError::from);
    }
    if done.is_err() {
        // SQLite may have rolled back already, and then this fails: no harm.
        let _ = query("ROLLBACK").execute(&mut *db).await;
    }
    done.map_err(Failed::AtWork)
}

/// Runs all jobs, kind by kind.
async fn run(db: &mut SqliteConnection, jobs: &mut [Box<dyn Job>]) -> Result<(), StoreError> {
    for alike in jobs.chunk_by_mut(|a, b| a.kind() == b.kind()) {
        if let [first, ..] = alike {
            first.run_alike()(alike, db).await?;
        }
    }
    Ok(())
}
