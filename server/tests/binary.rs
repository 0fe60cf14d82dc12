//! The real binary: how it starts, refuses to start, ends and comes back.

// Helpers outside of test functions fail the test as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use common::database::{self, Database};
use common::{ORDER, Sandbox, client};
use serde_json::{Value, json};
use tempfile::TempDir;

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_charge-once"));
    command.args(args);
    for name in [
        "LISTEN",
        "DATABASE",
        "LEASE",
        "RETENTION",
        "TOMBSTONES",
        "KEYLESS",
    ] {
        command.env_remove(format!("CHARGE_ONCE_{name}"));
    }
    command
}

fn run(args: &[&str]) -> (Option<i32>, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

struct Running {
    child: Child,
    url: String,
}

impl Running {
    fn start(database: &Database) -> Self {
        let mut child = command(&["--listen", "127.0.0.1:0", "--database", database.url()])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let url = line.trim().strip_prefix("Charge Once is at ").unwrap();
        Self {
            url: url.trim_end_matches('/').to_owned(),
            child,
        }
    }

    async fn sandbox(&self) -> Sandbox {
        let client = client();
        let made = client
            .post(format!("{}/sandboxes", self.url))
            .send()
            .await
            .unwrap();
        let made: Value = made.json().await.unwrap();
        self.with(made["token"].as_str().unwrap())
    }

    fn with(&self, token: &str) -> Sandbox {
        Sandbox {
            url: self.url.clone(),
            address: self.url.trim_start_matches("http://").to_owned(),
            client: client(),
            token: token.to_owned(),
        }
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args([name, &self.child.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
    }

    fn end(mut self, at_most: Duration) -> Option<i32> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            if start.elapsed() > at_most {
                let _ = self.child.kill();
                panic!("it did not end");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn help_says_all_of_it() {
    let (code, out, _) = run(&["--help"]);
    assert_eq!(code, Some(0));
    for option in [
        "--listen",
        "--database",
        "--lease",
        "--retention",
        "--tombstones",
        "--keyless",
        "--rate",
        "--records",
        "--idle",
    ] {
        assert!(out.contains(option), "{option}");
        let variable = format!(
            "CHARGE_ONCE_{}",
            option.trim_start_matches('-').to_uppercase()
        );
        assert!(out.contains(&variable), "{variable}");
    }
    assert_eq!(run(&["--version"]).0, Some(0));
}

#[test]
fn a_wrong_value_is_one_line_and_exit_code_2() {
    for args in [
        ["--lease", "soon"],
        ["--listen", "nowhere"],
        ["--database", "postgres://x:y"],
        ["--keyless", "grace"],
        ["--retention", "0s"],
        ["--nonsense", "1"],
    ] {
        let (code, out, err) = run(&args);
        assert_eq!(code, Some(2), "{args:?}");
        assert!(out.is_empty());
        assert_eq!(err.lines().count(), 1, "{err}");
        assert!(err.contains(args[0]), "{err}");
    }
    let output = command(&[])
        .env("CHARGE_ONCE_LEASE", "soon")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_password_of_a_database_is_shown_nowhere() {
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = nobody.local_addr().unwrap();
    drop(nobody);
    let unreachable = format!("postgres://me:hunter2@{address}/shop");
    for (args, database, code) in [
        (&[][..], unreachable.as_str(), 1),
        (&[], "postgres://me:hunter2@db.example:port/shop", 2),
        (&[], "postgres://me:hunter2@db.example/shop?pass=hunter2", 2),
        (&[], "mysql://me:hunter2@db.example/shop", 2),
        (&["--help"], "postgres://me:hunter2@db.example/shop", 0),
    ] {
        let output = command(&[&["--listen", "127.0.0.1:0"], args].concat())
            .env("CHARGE_ONCE_DATABASE", database)
            .env("RUST_LOG", "trace")
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(code), "{database}");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).unwrap();
        assert!(!said.contains("hunter2"), "{said}");
        let named = said.contains("--database") || said.contains("postgres://me@127.0.0.1");
        assert!(named, "{said}");
    }
}

/// Expects a start to fail, with one line that says why.
fn refused(listen: &str, database: &str, why: &str) {
    let (code, out, err) = run(&["--listen", listen, "--database", database]);
    assert_eq!(code, Some(1), "{why}: {err}");
    assert!(out.is_empty());
    assert_eq!(err.lines().count(), 1, "{err}");
    assert!(err.starts_with("error: ") && err.contains(why), "{err}");
}

#[tokio::test]
async fn what_stands_in_the_way_of_a_start_is_one_line_and_exit_code_1() {
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = other.local_addr().unwrap().to_string();
    let database = Database::new();
    refused(&taken, database.url(), "in use");
    // A later version of this program was here.
    let running = Running::start(&database);
    running.signal("-TERM");
    assert_eq!(running.end(Duration::from_secs(5)), Some(0));
    database
        .execute(
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
             SELECT 9999, 'later', TRUE, checksum, 0 FROM _sqlx_migrations LIMIT 1",
        )
        .await;
    refused("127.0.0.1:0", database.url(), "newer");
}

#[test]
fn a_file_that_cannot_be_used_stands_in_the_way_on_sqlite() {
    let folder = TempDir::new().unwrap();
    let url = |name: &str| format!("sqlite://{}", folder.path().join(name).display());
    let text = "this is a text and no database, as anyone can see. ";
    std::fs::write(folder.path().join("text.db"), text).unwrap();
    let missing = url("no/such/folder/a.db");
    refused("127.0.0.1:0", &missing, "cannot use the database");
    refused("127.0.0.1:0", &url("text.db"), "not a database");
}

#[test]
fn a_server_that_cannot_be_used_stands_in_the_way_on_postgres() {
    let database = Database::postgres();
    let missing = format!("{}_missing", database.url());
    refused("127.0.0.1:0", &missing, "does not exist");
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = nobody.local_addr().unwrap();
    drop(nobody);
    let nobody = format!("postgres://nobody@{address}/nothing");
    refused("127.0.0.1:0", &nobody, "refused");
}

#[tokio::test]
async fn sigterm_lets_running_work_finish_and_ends_with_0() {
    let database = Database::new();
    let running = Running::start(&database);
    let sandbox = running.sandbox().await;
    sandbox.faults(json!([{"fault":"slow","ms":700}])).await;
    let slow = tokio::spawn(sandbox.charge("k", ORDER).send());
    tokio::time::sleep(Duration::from_millis(300)).await;
    running.signal("-TERM");
    assert_eq!(slow.await.unwrap().unwrap().status(), 201);
    assert_eq!(running.end(Duration::from_secs(8)), Some(0));
    if !database::on_postgres() {
        let file = database.url().trim_start_matches("sqlite://");
        let log = format!("{file}-wal");
        assert!(!Path::new(&log).exists(), "{log} was not tidied away");
    }
}

#[tokio::test]
async fn sigterm_waits_for_work_whose_client_has_left() {
    let database = Database::new();
    let running = Running::start(&database);
    let sandbox = running.sandbox().await;
    sandbox.faults(json!([{"fault":"slow","ms":900}])).await;
    let left = sandbox
        .charge("k", ORDER)
        .timeout(Duration::from_millis(200));
    assert!(left.send().await.is_err());
    // The client's own task has to run to close the connection.
    tokio::time::sleep(Duration::from_millis(100)).await;
    running.signal("-TERM");
    assert_eq!(running.end(Duration::from_secs(8)), Some(0));
    let running = Running::start(&database);
    let sandbox = running.with(&sandbox.token);
    let retry = sandbox.charge("k", ORDER).send().await.unwrap();
    assert_eq!(retry.status(), 201);
    assert_eq!(retry.headers()["idempotency-replayed"], "true");
    assert_eq!(sandbox.taken().await, [4000]);
    running.signal("-TERM");
    assert_eq!(running.end(Duration::from_secs(8)), Some(0));
}

#[tokio::test]
async fn a_finished_charge_survives_kill_9_and_its_replay_too() {
    let database = Database::new();
    let running = Running::start(&database);
    let sandbox = running.sandbox().await;
    let first = sandbox.charge("done", ORDER).send().await.unwrap();
    assert_eq!(first.status(), 201);
    let first = first.bytes().await.unwrap();
    sandbox.faults(json!([{"fault":"slow","ms":20000}])).await;
    let slow = tokio::spawn(sandbox.charge("half", ORDER).send());
    tokio::time::sleep(Duration::from_millis(300)).await;
    running.signal("-KILL");
    assert!(slow.await.unwrap().is_err());
    assert_eq!(running.end(Duration::from_secs(5)), None);

    let running = Running::start(&database);
    let sandbox = running.with(&sandbox.token);
    let again = sandbox.charge("done", ORDER).send().await.unwrap();
    assert_eq!(again.headers()["idempotency-replayed"], "true");
    assert_eq!(again.bytes().await.unwrap(), first);
    // The killed process left its lease, and whoever takes over charges no second time.
    assert_eq!(
        sandbox.charge("half", ORDER).send().await.unwrap().status(),
        409
    );
    sandbox.advance(30_001).await;
    assert_eq!(
        sandbox.charge("half", ORDER).send().await.unwrap().status(),
        201
    );
    assert_eq!(sandbox.taken().await, [4000, 4000]);
    running.signal("-INT");
    assert_eq!(running.end(Duration::from_secs(5)), Some(0));
}
