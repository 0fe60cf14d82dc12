//! The browser tests: the built server in the system's Chromium.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Report;
use super::running::{self, Running};
use crate::error::Error;
use crate::paths::Paths;
use crate::server::{self, Profile};
use crate::steps::Steps;
use crate::{client, command, debian};

/// Chromium by the names that systems give it.
const CHROMIUM: [&str; 4] = [
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
    "/usr/bin/google-chrome-stable",
];
/// Without fonts the pictures show boxes.
const FONTS: [&str; 3] = ["fonts-dejavu-core", "fonts-liberation", "fonts-noto-core"];

/// Runs the stages. Each needs the one before it.
pub(super) fn run(paths: &Paths, steps: &mut Steps, report: &mut Report) {
    if let Err(error) = prepared(paths, steps, report) {
        eprintln!("xtask: {error}");
        report
            .failed
            .push(String::from("browser tests: preparation"));
    }
}

fn prepared(paths: &Paths, steps: &mut Steps, report: &mut Report) -> Result<(), Error> {
    client::build(paths, steps)?;
    let binary = server::build(paths, steps, Profile::Dev)?;
    let tests = paths.browser_tests();
    let chromium = steps.step("Browser: Chromium and Node", tools)?;
    steps.step("Browser: npm ci", || packages(&tests))?;
    report.stage(steps, "Tests: browser", |said| {
        let running = Running::start(&binary, &running::home(&paths.root))?;
        command::run_keeping(
            Command::new("npx")
                .current_dir(&tests)
                .args(["playwright", "test"])
                .env("BASE_URL", &running.url)
                .env("CHROMIUM", &chromium),
            said,
            is_summary,
        )
    });
    Ok(())
}

/// Chromium's path, once it and Node are there.
pub(crate) fn tools() -> Result<PathBuf, Error> {
    let missing = |program| !command::succeeds(Command::new(program).arg("--version"));
    if missing("node") || missing("npm") {
        debian::ensure("Node with npm", &["nodejs", "npm"])?;
    }
    if let Some(path) = chromium() {
        return Ok(path);
    }
    let packages: Vec<_> = ["chromium"].into_iter().chain(FONTS).collect();
    debian::ensure("Chromium", &packages)?;
    chromium().ok_or_else(|| Error::Missing {
        what: String::from("Chromium"),
        command: String::from("export CHROMIUM=/path/to/chromium"),
    })
}

fn chromium() -> Option<PathBuf> {
    match env::var_os("CHROMIUM") {
        Some(path) => Some(PathBuf::from(path)),
        None => CHROMIUM
            .iter()
            .map(PathBuf::from)
            .find(|path| path.exists()),
    }
}

/// Installs what the lock file says, unless that is what is there.
pub(crate) fn packages(tests: &Path) -> Result<(), Error> {
    let modified = |path: &str| {
        tests
            .join(path)
            .metadata()
            .and_then(|meta| meta.modified())
            .ok()
    };
    // npm writes this file last, as its record of what it installed.
    let installed = modified("node_modules/.package-lock.json");
    if installed.is_some() && installed >= modified("package-lock.json") {
        println!("    unchanged");
        return Ok(());
    }
    command::run(
        Command::new("npm")
            .current_dir(tests)
            .args(["ci", "--no-audit", "--no-fund"])
            // The system's Chromium is used; nothing else is to be downloaded.
            .env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1"),
    )
}

/// Playwright's last lines: "  12 passed (4.5s)", "  1 failed".
fn is_summary(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("  ") else {
        return false;
    };
    let mut words = rest.split_whitespace();
    match (words.next(), words.next()) {
        (Some(count), Some(word)) => {
            count.parse::<u32>().is_ok()
                && matches!(
                    word,
                    "passed" | "failed" | "flaky" | "skipped" | "interrupted" | "did"
                )
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_summary;

    #[test]
    fn playwrights_summary_is_told_from_its_list() {
        assert!(is_summary("  12 passed (4.5s)"));
        assert!(is_summary("  2 did not run"));
        assert!(!is_summary(
            "  ok 1 [chromium] › smoke.spec.ts:3:1 › opens (1.2s)"
        ));
        assert!(!is_summary("Running 12 tests using 2 workers"));
    }
}
