//! The real binary: how it starts, refuses to start, ends and comes back.

// Helpers outside of test functions fail the test as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

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
    fn start(database: &Path) -> Self {
        let database = format!("sqlite://{}", database.display());
        let mut child = command(&["--listen", "127.0.0.1:0", "--database", &database])
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
        ["--database", "postgres://x"],
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

#[tokio::test]
async fn what_stands_in_the_way_of_a_start_is_one_line_and_exit_code_1() {
    let folder = TempDir::new().unwrap();
    let file = |name: &str| folder.path().join(name);
    let url = |name: &str| format!("sqlite://{}", file(name).display());
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = other.local_addr().unwrap().to_string();
    std::fs::write(
        file("text.db"),
        "this is a text and no database, as anyone can see. ",
    )
    .unwrap();
    // A later version of this program was here.
    let running = Running::start(&file("newer.db"));
    running.signal("-TERM");
    assert_eq!(running.end(Duration::from_secs(5)), Some(0));
    {
        use sqlx::Connection;
        let mut db = sqlx::SqliteConnection::connect(&url("newer.db"))
            .await
            .unwrap();
        sqlx::query(
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
             VALUES (9999, 'later', 1, x'00', 0)",
        )
        .execute(&mut db)
        .await
        .unwrap();
        db.close().await.unwrap();
    }
    for (listen, database, word) in [
        (taken.as_str(), url("a.db"), "in use"),
        (
            "127.0.0.1:0",
            url("no/such/folder/a.db"),
            "cannot use the database",
        ),
        ("127.0.0.1:0", url("text.db"), "not a database"),
        ("127.0.0.1:0", url("newer.db"), "newer"),
    ] {
        let (code, out, err) = run(&["--listen", listen, "--database", &database]);
        assert_eq!(code, Some(1), "{word}: {err}");
        assert!(out.is_empty());
        assert_eq!(err.lines().count(), 1, "{err}");
        assert!(err.starts_with("error: ") && err.contains(word), "{err}");
    }
}

#[tokio::test]
async fn sigterm_lets_running_work_finish_and_ends_with_0() {
    let folder = TempDir::new().unwrap();
    let running = Running::start(&folder.path().join("a.db"));
    let sandbox = running.sandbox().await;
    sandbox.faults(json!([{"fault":"slow","ms":700}])).await;
    let slow = tokio::spawn(sandbox.charge("k", ORDER).send());
    tokio::time::sleep(Duration::from_millis(300)).await;
    running.signal("-TERM");
    assert_eq!(slow.await.unwrap().unwrap().status(), 201);
    assert_eq!(running.end(Duration::from_secs(8)), Some(0));
    assert!(
        !folder.path().join("a.db-wal").exists(),
        "the log was tidied away"
    );
}

#[tokio::test]
async fn sigterm_waits_for_work_whose_client_has_left() {
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("a.db");
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
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("a.db");
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
