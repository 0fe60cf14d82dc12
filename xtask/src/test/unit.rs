//! The tests that Cargo runs: unit, property, HTTP, documentation.

use std::process::Command;

use super::Report;
use crate::command::{self, cargo};
use crate::error::Error;
use crate::paths::Paths;
use crate::steps::Steps;
use crate::{debian, postgres};

/// Tests that are about one store only say so at the end of their names, and are left
/// out of the run on the other: those of SQLite's files, and those that need what
/// only PostgreSQL has, such as a second server process.
const ONLY: [&str; 2] = ["on_sqlite", "on_postgres"];
/// Cases of each property test in a soak; proptest's own default is 256.
const SOAK_CASES: &str = "20000";

/// Runs the stages.
pub(super) fn run(paths: &Paths, steps: &mut Steps, report: &mut Report, soak: bool) {
    report.stage(steps, "Tests: unit, property, HTTP", |said| {
        interpreters()?;
        let mut command = cargo(paths);
        command.args([
            "test",
            "--workspace",
            "--exclude",
            "xtask",
            "--no-fail-fast",
        ]);
        // Documentation tests marked `ignore` are not meant to run: not `--doc`.
        command.args(["--lib", "--bins", "--tests"]);
        command.args(["--", "--skip", ONLY[1]]);
        if soak {
            command.env("PROPTEST_CASES", SOAK_CASES);
            command.arg("--include-ignored");
        }
        keeping_results(&mut command, said)
    });
    report.stage(steps, "Tests: the server on PostgreSQL", |said| {
        postgres::ensure()?;
        println!(
            "    without those that are about SQLite only: *_{}",
            ONLY[0]
        );
        let mut command = cargo(paths);
        command.env("CHARGE_ONCE_TEST_STORE", "postgres");
        // The programs of the tests: each starts a PostgreSQL of its own.
        command.args(["test", "--package", "server", "--no-fail-fast"]);
        command.args(["--test", "*", "--", "--skip", ONLY[0]]);
        if soak {
            command.arg("--include-ignored");
        }
        keeping_results(&mut command, said)
    });
    report.stage(steps, "Tests: documentation", |said| {
        let mut command = cargo(paths);
        command.args([
            "test",
            "--workspace",
            "--exclude",
            "xtask",
            "--no-fail-fast",
            "--doc",
        ]);
        keeping_results(&mut command, said)
    });
    report.stage(steps, "Tests: xtask", |said| {
        // The profile that this tool itself is built with: nothing to compile twice.
        let mut command = cargo(paths);
        command.args(["test", "--package", "xtask", "--profile", "xtask"]);
        keeping_results(&mut command, said)
    });
}

/// What runs the code that the studio exports.
fn interpreters() -> Result<(), Error> {
    for (program, package) in [("node", "nodejs"), ("python3", "python3")] {
        if !command::succeeds(Command::new(program).arg("--version")) {
            debian::ensure(program, &[package])?;
        }
    }
    Ok(())
}

fn keeping_results(command: &mut Command, said: &mut Vec<String>) -> Result<(), Error> {
    // Crates without tests of a kind have a result too, which says nothing.
    command::run_keeping(command, said, |line| {
        line.starts_with("test result:") && !line.contains(" 0 passed; 0 failed; 0 ignored;")
    })
}
