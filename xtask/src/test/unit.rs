//! The tests that Cargo runs: unit, property, HTTP, documentation.

use std::process::Command;

use super::Report;
use crate::command::{self, cargo};
use crate::error::Error;
use crate::paths::Paths;
use crate::steps::Steps;

/// Cases of each property test in a soak; proptest's own default is 256.
const SOAK_CASES: &str = "20000";

/// Runs the stages.
pub(super) fn run(paths: &Paths, steps: &mut Steps, report: &mut Report, soak: bool) {
    report.stage(steps, "Tests: unit, property, HTTP", |said| {
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
        if soak {
            command
                .env("PROPTEST_CASES", SOAK_CASES)
                .args(["--", "--include-ignored"]);
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

fn keeping_results(command: &mut Command, said: &mut Vec<String>) -> Result<(), Error> {
    // Crates without tests of a kind have a result too, which says nothing.
    command::run_keeping(command, said, |line| {
        line.starts_with("test result:") && !line.contains(" 0 passed; 0 failed; 0 ignored;")
    })
}
