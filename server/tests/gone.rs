//! The store fails: no room left on its disk, or somebody else holds its file. What
//! cannot be done is answered with 503, nothing that was done is lost, and when the
//! store is back, every retry succeeds and every payment was made once.
//!
//! These tests are about the file of SQLite.

// Helpers outside of test functions fail the test as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![cfg(target_os = "linux")]

mod common;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use common::{ORDER, Sandbox, client, problem, until};
use futures::future::join_all;
use serde_json::Value;
use sqlx::{ConnectOptions, Connection, query};
use tempfile::TempDir;

/// The lease of a key whose owner could not save its answer.
const LEASE: &str = "500ms";

/// The server as a process of its own. It ends with this value.
struct Process {
    child: Child,
    url: String,
    sandbox: Sandbox,
}

impl Process {
    /// Starts it by a shell command in which `$0` and what follows is the server.
    async fn start(shell: &str, database: &Path) -> Self {
        let database = format!("sqlite://{}", database.display());
        let mut child = Command::new("sh")
            .args(["-c", shell, env!("CARGO_BIN_EXE_charge-once")])
            .args(["--listen", "127.0.0.1:0", "--database", &database])
            .args(["--lease", LEASE, "--rate", "1000000"])
            .env("RUST_LOG", "off")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("Charge Once is at ");
        let url = url.expect("it starts").trim_end_matches('/').to_owned();
        let made = client()
            .post(format!("{url}/sandboxes"))
            .send()
            .await
            .unwrap();
        let made: Value = made.json().await.unwrap();
        let sandbox = Sandbox {
            token: made["token"].as_str().unwrap().to_owned(),
            client: client(),
            address: url.trim_start_matches("http://").to_owned(),
            url: url.clone(),
        };
        Self {
            child,
            url,
            sandbox,
        }
    }

    fn lives(&mut self) {
        assert_eq!(self.child.try_wait().unwrap(), None, "it ended");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A body that takes room.
fn large(amount: u32) -> String {
    let words = "x".repeat(500);
    format!(r#"{{"amount":{amount},"currency":"usd","description":"{words}"}}"#)
}

/// Sends payments until the store cannot take any more. Gives the names of those
/// that were refused, and how many succeeded before.
async fn until_full(process: &mut Process) -> (Vec<u32>, usize) {
    let (mut refused, mut done) = (Vec::new(), 0);
    for amount in 1..20_000 {
        let key = format!("key-{amount}");
        let answer = process.sandbox.charge(&key, &large(amount)).send().await;
        let answer = answer.expect("there is an answer");
        match answer.status().as_u16() {
            201 => done += 1,
            503 => {
                unavailable(answer).await;
                refused.push(amount);
            }
            other => panic!("{other}: {}", answer.text().await.unwrap()),
        }
        if refused.len() == 12 {
            return (refused, done);
        }
    }
    panic!("it was never full");
}

/// 503 as the contract has it.
async fn unavailable(answer: reqwest::Response) {
    let after = answer.headers()["retry-after"].to_str().unwrap();
    assert!(after.parse::<u32>().unwrap() >= 1);
    let (status, slug, _) = problem(answer).await;
    assert_eq!((status, slug.as_str()), (503, "unavailable"));
}

/// Each payment is sent again until it succeeds, and was made once.
async fn retried(process: &mut Process, refused: &[u32], done: usize) {
    process.lives();
    let sandbox = &process.sandbox;
    for amount in refused {
        let (key, body) = (format!("key-{amount}"), large(*amount));
        until("the retry succeeds", || async {
            let answer = sandbox.charge(&key, &body).send().await.unwrap();
            assert!(matches!(answer.status().as_u16(), 201 | 409 | 503));
            answer.status() == 201
        })
        .await;
    }
    let mut taken = sandbox.taken().await;
    assert_eq!(taken.len(), done + refused.len());
    taken.sort_unstable();
    taken.dedup();
    assert_eq!(
        taken.len(),
        done + refused.len(),
        "no payment was made twice"
    );
    let keys = sandbox.get("/lab/keys").await;
    let keys = keys["keys"].as_array().unwrap();
    assert!(keys.iter().all(|key| key["state"] == "done"), "{keys:?}");
    // What was answered before is still answered.
    let first = sandbox.charge("key-1", &large(1)).send().await.unwrap();
    assert_eq!(first.headers()["idempotency-replayed"], "true");
    let ready = client().get(format!("{}/readyz", process.url)).send().await;
    assert_eq!(ready.unwrap().status(), 200);
}

/// The largest file that a process may write: SQLite is told "file too large", and
/// the kernel would end a process that does not listen to its signal.
#[tokio::test]
async fn a_file_that_may_not_grow_loses_nothing() {
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("small.db");
    // In units of 512 bytes: 2 MB. The soft limit only, so that it can be raised.
    let shell = "ulimit -S -f 4000 && exec \"$0\" \"$@\"";
    let mut process = Process::start(shell, &database).await;
    let (refused, done) = until_full(&mut process).await;
    process.lives();
    assert!(done > 10, "{done}");
    // What can be read is still read.
    let first = process.sandbox.charge("key-1", &large(1)).send().await;
    assert!(matches!(first.unwrap().status().as_u16(), 201 | 503));
    assert_eq!(
        process.sandbox.get("/lab/keys").await["keys"][0]["token"],
        1
    );
    let raised = Command::new("prlimit")
        .args([
            "--pid",
            &process.child.id().to_string(),
            "--fsize=unlimited",
        ])
        .status();
    assert!(raised.unwrap().success());
    retried(&mut process, &refused, done).await;
}

/// A disk that is full, in a mount namespace of the server's own.
#[tokio::test]
async fn a_full_disk_loses_nothing() {
    let allowed = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "true"])
        .stderr(Stdio::null())
        .status();
    if !allowed.is_ok_and(|status| status.success()) {
        eprintln!("skipped: a_full_disk_loses_nothing (no mount namespace is allowed here)");
        return;
    }
    let folder = TempDir::new().unwrap();
    let disk = folder.path().join("disk");
    fs::create_dir(&disk).unwrap();
    let shell = format!(
        "exec unshare --user --map-root-user --mount sh -c \
         'mount -t tmpfs -o size=2400k none {0} && exec \"$0\" \"$@\"' \"$0\" \"$@\"",
        disk.display()
    );
    let mut process = Process::start(&shell, &disk.join("test.db")).await;
    // Our way into the namespace.
    let inside = format!("/proc/{}/root{}", process.child.id(), disk.display());
    let ballast = Path::new(&inside).join("ballast");
    fs::write(&ballast, vec![0; 800_000]).unwrap();
    let (refused, done) = until_full(&mut process).await;
    process.lives();
    assert!(done > 10, "{done}");
    fs::remove_file(&ballast).unwrap();
    retried(&mut process, &refused, done).await;
}

/// Another process holds the file for longer than anybody waits.
#[tokio::test]
async fn a_file_that_somebody_else_holds_loses_nothing() {
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("held.db");
    let mut process = Process::start("exec \"$0\" \"$@\"", &database).await;
    let before = process
        .sandbox
        .charge("before", ORDER)
        .send()
        .await
        .unwrap();
    assert_eq!(before.status(), 201);
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&database);
    let mut other = options.connect().await.unwrap();
    query("BEGIN EXCLUSIVE").execute(&mut other).await.unwrap();
    let held = (0..4).map(|n| {
        let request = process.sandbox.charge(&format!("held-{n}"), ORDER);
        request.timeout(Duration::from_secs(120)).send()
    });
    for answer in join_all(held).await {
        unavailable(answer.unwrap()).await;
    }
    process.lives();
    assert_eq!(process.sandbox.taken().await, [4000]);
    query("ROLLBACK").execute(&mut other).await.unwrap();
    other.close().await.unwrap();
    for n in 0..4 {
        let key = format!("held-{n}");
        until("the retry succeeds", || async {
            let answer = process.sandbox.charge(&key, ORDER).send().await.unwrap();
            answer.status() == 201
        })
        .await;
    }
    assert_eq!(process.sandbox.taken().await, [4000; 5]);
}
