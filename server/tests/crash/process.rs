//! The server as a process of its own.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::common::database::Database;

/// The lease of a key. No key may be stuck when it is over.
pub(crate) const LEASE: Duration = Duration::from_millis(400);

/// A server process. It ends with this value, also when the test fails.
pub(crate) struct Process {
    child: Child,
    pub(crate) url: String,
}

impl Process {
    pub(crate) fn start(database: &Database) -> Self {
        let lease = format!("{}ms", LEASE.as_millis());
        let binary = std::env::var("CRASH_BINARY");
        let binary = binary
            .as_deref()
            .unwrap_or(env!("CARGO_BIN_EXE_charge-once"));
        let child = Command::new(binary)
            .args(["--listen", "127.0.0.1:0", "--database", database.url()])
            .args(["--lease", &lease, "--rate", "1000000"])
            .args(["--records", "100000000"])
            // Each strike would be told at length.
            .env(
                "RUST_LOG",
                std::env::var("CRASH_LOG").as_deref().unwrap_or("off"),
            )
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut process = Self {
            child,
            url: String::new(),
        };
        let mut line = String::new();
        BufReader::new(process.child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let url = line.trim().strip_prefix("Charge Once is at ");
        url.expect("it starts again on the same database")
            .trim_end_matches('/')
            .clone_into(&mut process.url);
        process
    }

    /// It still runs.
    pub(crate) fn alive(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// SIGKILL, to this process and no other.
    pub(crate) fn kill(mut self) {
        assert!(self.alive(), "it ended by itself before it was killed");
        self.child.kill().unwrap();
        assert_eq!(self.child.wait().unwrap().code(), None, "by a signal");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
