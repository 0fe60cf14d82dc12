//! Commits what the writer took: in few transactions, with one wait for the disk for
//! all of them.

use sqlx::query;
use sqlx::sqlite::SqliteConnection;

use super::writer::{Job, Lane, RunAtOnce};
use crate::charges::store::StoreError;

/// Begins a transaction whose commit waits for the disk. In one text, since each
/// text by itself costs two changes of thread.
const WAITING: &str = "PRAGMA synchronous = FULL; BEGIN IMMEDIATE";
/// Begins one whose commit does not.
const NOT_WAITING: &str = "PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE";

type Jobs = Vec<Box<dyn Job>>;
type Done = Vec<(Box<dyn Job>, Result<(), StoreError>)>;

/// Runs a batch and answers each job of it, once what it did is durable.
///
/// All transactions go to the same log, so only the last waits for the disk, and by
/// that for all. One that changed nothing waits for nothing: then it is made up for.
pub(super) async fn commit(db: &mut SqliteConnection, batch: &mut Jobs) {
    let read: Jobs = batch
        .extract_if(.., |job| job.lane() == Lane::Read)
        .collect();
    let (mut done, mut left) = (Done::new(), Jobs::new());
    let mut parts = parts(std::mem::take(batch));
    let last = parts.pop();
    let mut is_owed = false;
    for part in parts {
        is_owed |= part
            .run(db, NOT_WAITING, &mut done, &mut left)
            .await
            .is_changed();
    }
    let before = done.len();
    if let Some(part) = last
        && part.run(db, WAITING, &mut done, &mut left).await == Wrote::Something
    {
        is_owed = false;
    }
    if is_owed && wait(db).await.is_err() {
        for (_, committed) in done.iter_mut().take(before) {
            *committed = Err(StoreError::Closed);
        }
    }
    answer(done);
    answer(alone(db, WAITING, left).await);
    answer(all(db, WAITING, read).await);
}

fn answer(done: Done) {
    for (job, committed) in done {
        job.answer(committed);
    }
}

/// Jobs that share a transaction.
enum Part {
    /// Of one kind, with one text for all of them.
    AtOnce(RunAtOnce, Jobs),
    /// Of any kinds, text by text.
    Mixed(Jobs),
}

/// Whether a transaction has changed something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrote {
    Nothing,
    Something,
    /// Each job knows it, and they do not say.
    Perhaps,
}

impl Wrote {
    const fn is_changed(self) -> bool {
        matches!(self, Self::Something | Self::Perhaps)
    }
}

/// Takes a batch apart. What is known to write or not comes last; and ours never shares
/// a transaction with what is the processor's.
fn parts(mut batch: Jobs) -> Vec<Part> {
    // Alike next to alike, and among those in the order in which they came.
    batch.sort_by_key(|job| job.kind());
    let mut parts: Vec<Part> = [Lane::Service, Lane::Ledger]
        .into_iter()
        .map(|lane| {
            batch
                .extract_if(.., |job| job.lane() == lane && job.run_at_once().is_none())
                .collect()
        })
        .filter(|jobs: &Jobs| !jobs.is_empty())
        .map(Part::Mixed)
        .collect();
    while let Some(first) = batch.first() {
        let (kind, run) = (first.kind(), first.run_at_once());
        let jobs = batch.extract_if(.., |job| job.kind() == kind).collect();
        parts.push(match run {
            Some(run) => Part::AtOnce(run, jobs),
            None => Part::Mixed(jobs),
        });
    }
    parts
}

impl Part {
    /// Runs it. What is left has to be done by itself.
    async fn run(
        self,
        db: &mut SqliteConnection,
        begin: &'static str,
        done: &mut Done,
        left: &mut Jobs,
    ) -> Wrote {
        let (run, mut jobs) = match self {
            Self::AtOnce(run, jobs) => (run, jobs),
            Self::Mixed(jobs) => {
                done.extend(all(db, begin, jobs).await);
                return Wrote::Perhaps;
            }
        };
        match run(&mut jobs, begin, db).await {
            Ok(wrote) => {
                let settled = jobs.extract_if(.., |job| job.is_done());
                done.extend(settled.map(|job| (job, Ok(()))));
                left.append(&mut jobs);
                if wrote {
                    return Wrote::Something;
                }
            }
            Err(StoreError::Database(error)) if is_held(&error) => done.extend(late(&error, jobs)),
            Err(_) => {
                roll_back(db).await;
                left.append(&mut jobs);
            }
        }
        Wrote::Nothing
    }
}

/// A commit for the sake of its wait: it changes a number that nobody reads.
async fn wait(db: &mut SqliteConnection) -> Result<(), StoreError> {
    query("PRAGMA synchronous = FULL; PRAGMA user_version = 1")
        .execute(db)
        .await?;
    Ok(())
}

/// Whether another process held the file for too long: no transaction could begin.
fn is_held(error: &sqlx::Error) -> bool {
    /// SQLITE_BUSY, in the lowest byte of its extended forms.
    const BUSY: u32 = 5;
    let code = error.as_database_error().and_then(|error| error.code());
    let code = code.and_then(|code| code.parse::<u32>().ok());
    code.is_some_and(|code| code & 0xff == BUSY)
}

/// No job is to blame. Each alone would wait as long once more, one after the other.
fn late(error: &sqlx::Error, jobs: Jobs) -> Done {
    tracing::warn!(%error, jobs = jobs.len(), "no transaction can begin");
    let late = |job| (job, Err(StoreError::Late));
    jobs.into_iter().map(late).collect()
}

/// SQLite may have rolled back already, and then this fails: no harm.
async fn roll_back(db: &mut SqliteConnection) {
    let _ = query("ROLLBACK").execute(db).await;
}

/// Runs jobs together or, when that fails, each alone.
async fn all(db: &mut SqliteConnection, begin: &'static str, mut jobs: Jobs) -> Done {
    match together(db, begin, &mut jobs).await {
        Ok(()) => return jobs.into_iter().map(|job| (job, Ok(()))).collect(),
        Err(Failed::ToBegin(error)) => return late(&error, jobs),
        Err(Failed::AtWork(_)) => {}
    }
    alone(db, begin, jobs).await
}

/// Runs jobs each in a transaction of its own.
async fn alone(db: &mut SqliteConnection, begin: &'static str, jobs: Jobs) -> Done {
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
        roll_back(db).await;
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use async_trait::async_trait;
    use sqlx::{AssertSqlSafe, ConnectOptions, query_scalar};
    use tempfile::TempDir;

    use super::*;
    use crate::charges::store::sqlite::writer::{AtOnce, Write, Writer};

    /// A row, in whatever transaction.
    struct Row;

    #[async_trait]
    impl Write for Row {
        type Out = ();

        async fn run(&self, db: &mut SqliteConnection) -> Result<(), StoreError> {
            query("INSERT INTO t DEFAULT VALUES").execute(db).await?;
            Ok(())
        }
    }

    /// So many rows, in a transaction of its own.
    struct Rows(usize);

    #[async_trait]
    impl Write for Rows {
        type Out = ();
        const LANE: Lane = Lane::Ledger;
        const AT_ONCE: bool = true;

        async fn run(&self, _: &mut SqliteConnection) -> Result<(), StoreError> {
            Err(StoreError::Corrupt("it was to be done at once"))
        }

        async fn at_once(
            works: &[&Self],
            begin: &'static str,
            db: &mut SqliteConnection,
        ) -> Result<AtOnce<()>, StoreError> {
            let rows: usize = works.iter().map(|work| work.0).sum();
            let text = "INSERT INTO t DEFAULT VALUES;".repeat(rows);
            query(AssertSqlSafe(format!("{begin};{text}COMMIT")))
                .execute(db)
                .await?;
            Ok(AtOnce {
                outs: works.iter().map(|_| Some(())).collect(),
                wrote: rows > 0,
            })
        }
    }

    async fn open(folder: &TempDir) -> SqliteConnection {
        sqlx::sqlite::SqliteConnectOptions::new()
            .filename(folder.path().join("c.db"))
            .journal_mode(sqlx::sqlite::SqliteJournalMode::Wal)
            .busy_timeout(Duration::from_millis(50))
            .create_if_missing(true)
            .connect()
            .await
            .unwrap()
    }

    /// Whether the wait for the disk had to be made up for: it leaves a mark.
    async fn made_up(rows: usize) -> bool {
        let folder = TempDir::new().unwrap();
        let mut db = open(&folder).await;
        query("CREATE TABLE t (n INTEGER PRIMARY KEY)")
            .execute(&mut db)
            .await
            .unwrap();
        let writer = Writer::start(db);
        // On one thread both wait before the writer wakes: one batch.
        let (one, many) = tokio::join!(writer.run(Row), writer.run(Rows(rows)));
        one.unwrap();
        many.unwrap();
        writer.close().await;
        let mut db = open(&folder).await;
        let written: i64 = query_scalar("SELECT count(*) FROM t")
            .fetch_one(&mut db)
            .await
            .unwrap();
        assert_eq!(written, 1 + i64::try_from(rows).unwrap());
        let mark: i64 = query_scalar("PRAGMA user_version")
            .fetch_one(&mut db)
            .await
            .unwrap();
        mark == 1
    }

    #[tokio::test]
    async fn nobody_is_answered_before_a_wait_for_the_disk() {
        assert!(!made_up(2).await, "the last commit has waited for both");
        assert!(made_up(0).await, "the last commit had nothing to wait for");
    }

    #[tokio::test]
    async fn a_file_that_is_held_makes_all_late_and_none_wait_twice() {
        let folder = TempDir::new().unwrap();
        let mut db = open(&folder).await;
        query("CREATE TABLE t (n INTEGER PRIMARY KEY)")
            .execute(&mut db)
            .await
            .unwrap();
        let mut other = open(&folder).await;
        query("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
        let writer = Writer::start(db);
        let works = [1, 2, 3].map(|rows| writer.run(Rows(rows)));
        let done = futures::future::join_all(works).await;
        assert!(done.iter().all(|it| matches!(it, Err(StoreError::Late))));
        query("ROLLBACK").execute(&mut other).await.unwrap();
        writer.run(Rows(1)).await.unwrap();
    }
}
