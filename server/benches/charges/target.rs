//! The server under load: the real binary, or this one with a bare insert.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use serde_json::{Value, json};

use super::Failure;
use super::load::{Keys, Load};

/// A process that ends with this value.
pub(crate) struct Target {
    child: Child,
    address: String,
}

impl Target {
    /// The product's binary on this database.
    pub(crate) fn service(database: &str) -> Result<Self, Failure> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_charge-once"));
        command
            .args(["--listen", "127.0.0.1:0", "--database", database])
            .args(["--rate", "10000000", "--records", "1000000000"])
            .args(["--sandbox-rate", "1000"]);
        Self::start(command)
    }

    /// One durable insert for each request.
    pub(crate) fn bare(database: &str) -> Result<Self, Failure> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["--bare", database]);
        Self::start(command)
    }

    fn start(mut command: Command) -> Result<Self, Failure> {
        let mut child = command
            .env("RUST_LOG", "error")
            .stdout(Stdio::piped())
            .spawn()?;
        let out = child.stdout.take().ok_or("no output")?;
        let mut line = String::new();
        BufReader::new(out).read_line(&mut line)?;
        let address = line
            .trim()
            .strip_prefix("Charge Once is at http://")
            .ok_or("the server did not start")?
            .trim_end_matches('/')
            .to_owned();
        Ok(Self { child, address })
    }

    /// Load for it.
    pub(crate) fn load(&self, token: &str, keys: Keys, connections: usize) -> Load {
        Load {
            address: self.address.clone(),
            token: token.to_owned(),
            keys,
            connections,
        }
    }

    /// Makes a sandbox, with these settings, and gives its token.
    pub(crate) async fn sandbox(&self, settings: Value) -> Result<String, Failure> {
        let client = reqwest::Client::new();
        let url = |path: &str| format!("http://{}{path}", self.address);
        let made: Value = client
            .post(url("/sandboxes"))
            .send()
            .await?
            .error_for_status()?
            .json()
            .await?;
        let token = made["token"].as_str().ok_or("no token")?.to_owned();
        if settings != json!({}) {
            client
                .patch(url("/lab/settings"))
                .bearer_auth(&token)
                .json(&settings)
                .send()
                .await?
                .error_for_status()?;
        }
        Ok(token)
    }

    /// The memory that it has in use, in bytes, as Linux counts it.
    pub(crate) fn memory(&self) -> Result<u64, Failure> {
        let status = PathBuf::from(format!("/proc/{}/status", self.child.id()));
        let status = std::fs::read_to_string(status)?;
        let kib: u64 = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .and_then(|rest| rest.split_whitespace().next())
            .ok_or("no VmRSS")?
            .parse()?;
        Ok(kib * 1024)
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Keys that nobody had before: `name-0`, `name-1`, …
pub(crate) fn new_keys(name: String) -> Keys {
    Arc::new(move |number| Some(format!("{name}-{number}")))
}
