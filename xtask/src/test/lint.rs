//! Formatting, lints and documentation. A warning fails the stage.

use super::Report;
use crate::command::{self, cargo};
use crate::error::Error;
use crate::paths::Paths;
use crate::steps::Steps;
use crate::wasm::Toolchain;

/// Runs the stages.
pub(super) fn run(paths: &Paths, steps: &mut Steps, report: &mut Report) {
    report.stage(steps, "Format", |_| {
        command::run(cargo(paths).args(["fmt", "--all", "--check"]))
    });
    report.stage(steps, "Clippy: native, ssr", |_| {
        command::run(
            cargo(paths)
                .args(["clippy", "--workspace", "--all-targets"])
                .args(["--", "--deny", "warnings"]),
        )
    });
    report.stage(steps, "Clippy: browser, hydrate", |_| browser(paths));
    report.stage(steps, "Documentation", |_| {
        command::run(
            cargo(paths)
                .args([
                    "doc",
                    "--workspace",
                    "--no-deps",
                    "--document-private-items",
                ])
                .env("RUSTDOCFLAGS", "--deny warnings"),
        )
    });
}

/// Clippy goes with the toolchain in use. Debian's compiler can only check.
fn browser(paths: &Paths) -> Result<(), Error> {
    let toolchain = Toolchain::find(paths)?;
    let package = [
        "--package",
        "app",
        "--lib",
        "--features",
        "islands-lesson,islands-lab,islands-studio",
    ];
    match &toolchain {
        Toolchain::Own => command::run(
            toolchain
                .cargo(paths, "clippy")
                .args(package)
                .args(["--", "--deny", "warnings"]),
        ),
        Toolchain::Debian { .. } => command::run(
            toolchain
                .cargo(paths, "rustc")
                .args(package)
                // The name stands for `cargo check`, of this crate with these flags.
                .args(["--profile", "check", "--target-dir"])
                .arg(paths.client_target())
                .args(["--", "--deny", "warnings"]),
        ),
    }
}
