//! A database for each test: a file of SQLite, or one on a PostgreSQL.

use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use sqlx::{Connection, SqliteConnection};
use tempfile::TempDir;

use super::cluster::{self, Cluster};

/// Which store the tests run on that do not say: `sqlite`, or `postgres`.
const STORE: &str = "CHARGE_ONCE_TEST_STORE";
/// A PostgreSQL that is there, as a URL without the name of a database. Without it
/// the tests start one.
const POSTGRES: &str = "CHARGE_ONCE_TEST_POSTGRES";

/// A database of one test. The last who holds it deletes it.
#[derive(Clone)]
pub struct Database(Arc<Held>);

struct Held {
    url: String,
    place: Place,
}

enum Place {
    File(TempDir),
    Server { admin: String, name: String },
}

impl Database {
    /// One on the store that this run is about.
    pub fn new() -> Self {
        if on_postgres() {
            Self::postgres()
        } else {
            Self::sqlite()
        }
    }

    /// A file of SQLite's.
    pub fn sqlite() -> Self {
        let folder = TempDir::new().unwrap();
        let url = format!("sqlite://{}", folder.path().join("test.db").display());
        let place = Place::File(folder);
        Self(Arc::new(Held { url, place }))
    }

    /// One on the PostgreSQL that all tests of this process share.
    pub fn postgres() -> Self {
        static SHARED: OnceLock<Cluster> = OnceLock::new();
        match std::env::var(POSTGRES) {
            Ok(url) => Self::at(url.trim_end_matches('/')),
            Err(_) => Self::at(&SHARED.get_or_init(|| Cluster::start(false)).url()),
        }
    }

    /// A new one on a PostgreSQL at this address.
    pub fn at(server: &str) -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("test_{}_{number}", std::process::id());
        let admin = format!("{server}/postgres");
        let made = psql(&admin, &format!("CREATE DATABASE {name}"));
        assert!(made.success(), "no new database at {server}");
        let url = format!("{server}/{name}");
        let place = Place::Server { admin, name };
        Self(Arc::new(Held { url, place }))
    }

    /// For `--database`.
    pub fn url(&self) -> &str {
        &self.0.url
    }

    /// Does something to it behind the server's back.
    pub async fn execute(&self, statement: &'static str) {
        if let Place::Server { .. } = self.0.place {
            assert!(psql(self.url(), statement).success(), "{statement}");
            return;
        }
        let mut db = SqliteConnection::connect(self.url()).await.unwrap();
        sqlx::query(statement).execute(&mut db).await.unwrap();
        db.close().await.unwrap();
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Place::Server { admin, name } = &self.place {
            // The server under test may still be connected. Nothing depends on it:
            // the whole cluster goes in the end.
            psql(
                admin,
                &format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"),
            );
        }
    }
}

/// Whether this run is about PostgreSQL.
pub fn on_postgres() -> bool {
    match std::env::var(STORE).as_deref() {
        Err(_) | Ok("sqlite") => false,
        Ok("postgres") => true,
        Ok(other) => panic!("{STORE} is {other}: it has to be sqlite or postgres"),
    }
}

/// Runs one statement.
fn psql(url: &str, statement: &str) -> std::process::ExitStatus {
    Command::new(cluster::bin().join("psql"))
        .args(["--no-psqlrc", "--quiet", "--command", statement, url])
        .status()
        .unwrap()
}
