//! The exported programs: two that are run, one that is compiled in.

use crate::plans::Sample;
use model::retry::export::{Language, Style, Target, export};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

// As they are exported, so not formatted again.
#[rustfmt::skip]
#[allow(missing_docs, unreachable_pub, dead_code)]
#[path = "deadline.rs"]
mod deadline;
#[rustfmt::skip]
#[allow(missing_docs, unreachable_pub, dead_code)]
#[path = "decorrelated.rs"]
mod decorrelated;
#[rustfmt::skip]
#[allow(missing_docs, unreachable_pub, dead_code)]
#[path = "equal.rs"]
mod equal;
#[rustfmt::skip]
#[allow(missing_docs, unreachable_pub, dead_code)]
#[path = "full.rs"]
mod full;
#[rustfmt::skip]
#[allow(missing_docs, unreachable_pub, dead_code)]
#[path = "hurried.rs"]
mod hurried;
#[rustfmt::skip]
#[allow(missing_docs, unreachable_pub, dead_code)]
#[path = "last.rs"]
mod last;
#[rustfmt::skip]
#[allow(missing_docs, unreachable_pub, dead_code)]
#[path = "share.rs"]
mod share;

pub(crate) const LANGUAGES: [Language; 3] =
    [Language::JavaScript, Language::Python, Language::Rust];

/// After how long a program that has not ended fails the test.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

const ORDER: &str = r#"{"amount":4000,"currency":"usd"}"#;

/// What a program came back with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// A reply.
    Status(u16),
    /// No reply.
    Failed,
}

const NODE: &str = r#"
import { send } from "./send.mjs";
const [url, body] = process.argv.slice(2);
try {
  console.log((await send(url, JSON.parse(body))).status);
} catch {
  console.log("failed");
}
"#;

const PYTHON: &str = r#"
import http.client
import json
import sys

from send import send

try:
    print(send(sys.argv[1], json.loads(sys.argv[2])).status)
except (OSError, http.client.HTTPException):
    print("failed")
"#;

fn by_hand(sample: Sample, language: Language) -> (Target, String) {
    let target = Target {
        language,
        style: Style::ByHand,
    };
    (target, export(&sample.plan(), target))
}

/// Runs it to its end.
pub(crate) async fn run(sample: Sample, language: Language, url: &str) -> Ended {
    tokio::time::timeout(PATIENCE, async {
        match language {
            Language::JavaScript => program(sample, language, "node", "run.mjs", NODE, url).await,
            Language::Python => program(sample, language, "python3", "run.py", PYTHON, url).await,
            _ => compiled(sample, url).await,
        }
    })
    .await
    .expect("it waits after the last failure, or hangs")
}

async fn program(
    sample: Sample,
    language: Language,
    interpreter: &str,
    name: &str,
    driver: &str,
    url: &str,
) -> Ended {
    let folder = tempfile::tempdir().unwrap();
    let (target, code) = by_hand(sample, language);
    std::fs::write(folder.path().join(target.file_name()), code).unwrap();
    std::fs::write(folder.path().join(name), driver).unwrap();
    let (out, errors) = (folder.path().join("out"), folder.path().join("errors"));
    let mut child = Running(
        Command::new(interpreter)
            .args([name, url, ORDER])
            .current_dir(folder.path())
            // No proxy between it and the service.
            .env("no_proxy", "127.0.0.1")
            .stdin(Stdio::null())
            .stdout(File::create(&out).unwrap())
            .stderr(File::create(&errors).unwrap())
            .spawn()
            .unwrap_or_else(|error| panic!("{interpreter}: {error}")),
    );
    let status = loop {
        match child.0.try_wait().unwrap() {
            Some(status) => break status,
            None => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    };
    let said = std::fs::read_to_string(out).unwrap();
    let errors = std::fs::read_to_string(errors).unwrap();
    assert!(status.success(), "{interpreter}: {errors}");
    match said.trim() {
        "failed" => Ended::Failed,
        status => Ended::Status(status.parse().unwrap_or_else(|_| panic!("{said} {errors}"))),
    }
}

/// A program that ends with the test, however that ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It has mostly ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

async fn compiled(sample: Sample, url: &str) -> Ended {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    macro_rules! send {
        ($($sample:ident => $module:ident),*) => {
            match sample {
                $(Sample::$sample => $module::send(&client, url, ORDER)
                    .await
                    .map(|reply| reply.status),)*
            }
        };
    }
    let status = send!(
        Equal => equal, Share => share, Decorrelated => decorrelated, Full => full,
        Last => last, Deadline => deadline, Hurried => hurried
    );
    status.map_or(Ended::Failed, Ended::Status)
}

fn fixture(sample: Sample) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/exported")
        .join(sample.file())
}

/// The files that are compiled in are what is exported. `UPDATE_EXPORTED=1` writes
/// them anew.
#[test]
fn what_is_compiled_is_what_is_exported() {
    for sample in Sample::ALL {
        let (_, code) = by_hand(sample, Language::Rust);
        if std::env::var_os("UPDATE_EXPORTED").is_some() {
            std::fs::write(fixture(sample), &code).unwrap();
        }
        let compiled = std::fs::read_to_string(fixture(sample)).unwrap();
        assert_eq!(compiled, code, "{}", sample.file());
    }
}
