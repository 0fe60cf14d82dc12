//! A server under test: a port of its own, a folder of its own, gone at the end.

use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::command;
use crate::error::{AtPath as _, Error};

/// What the server prints in front of its URL.
const READY: &str = "Charge Once is at ";
/// How long it may take to stop when asked.
const PATIENCE: Duration = Duration::from_secs(5);

/// A running server; dropping it stops it.
#[derive(Debug)]
pub(super) struct Running {
    child: Child,
    /// Where it listens, without a slash at the end.
    pub(super) url: String,
}

impl Running {
    /// Starts the server in the empty folder `home`, on a free port, and waits for
    /// its URL. Its database is in `home`, its log is `home/server.log`.
    pub(super) fn start(binary: &Path, home: &Path) -> Result<Self, Error> {
        if home.exists() {
            fs::remove_dir_all(home).at(home)?;
        }
        fs::create_dir_all(home).at(home)?;
        let log = home.join("server.log");
        let mut command = Command::new(binary);
        command
            .current_dir(home)
            .env(
                "CHARGE_ONCE_DATABASE",
                format!("sqlite://{}", home.join("browser.db").display()),
            )
            .args(["--listen", "127.0.0.1:0"])
            // All visitors of the tests come from one address.
            .args(["--sandbox-rate", "600"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(File::create(&log).at(&log)?);
        let child = command.spawn().map_err(|source| Error::Start {
            command: command::line(&command),
            source,
        })?;
        let mut running = Self {
            child,
            url: String::new(),
        };
        running.url = running.await_url().ok_or(Error::ServerDown { log })?;
        Ok(running)
    }

    fn await_url(&mut self) -> Option<String> {
        let mut output = BufReader::new(self.child.stdout.take()?);
        let mut line = String::new();
        while output.read_line(&mut line).ok()? > 0 {
            if let Some((_, url)) = line.split_once(READY) {
                let url = url.trim().trim_end_matches('/').to_owned();
                // A full pipe would stop the server: read on, to nowhere.
                thread::spawn(move || io::copy(&mut output, &mut io::sink()));
                return Some(url);
            }
            line.clear();
        }
        None
    }

    /// Asks the server to stop as an operator would.
    fn ask_to_stop(&self) -> bool {
        command::succeeds(Command::new("kill").args(["-TERM", &self.child.id().to_string()]))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let asked = Instant::now();
        if self.ask_to_stop() {
            while asked.elapsed() < PATIENCE {
                if !matches!(self.child.try_wait(), Ok(None)) {
                    return;
                }
                thread::sleep(Duration::from_millis(20));
            }
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Where the server under test lives.
pub(super) fn home(root: &Path) -> PathBuf {
    root.join("target/browser-tests")
}
