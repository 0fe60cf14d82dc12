//! `cargo xtask test`: every check there is, each a timed stage.

pub(crate) mod browser;
mod lint;
mod running;
mod unit;

use clap::ValueEnum;

use crate::error::Error;
use crate::paths::Paths;
use crate::steps::Steps;

/// A part of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// Formatting, clippy for each feature set, documentation.
    Lint,
    /// Unit, property, HTTP and documentation tests.
    Unit,
    /// The built server in Chromium.
    Browser,
}

/// What the stages leave behind: failures, and the test runners' own last words.
#[derive(Debug, Default)]
struct Report {
    failed: Vec<String>,
    said: Vec<String>,
}

impl Report {
    /// Runs one stage. A failure is noted and the next stage has its turn, so that
    /// one run shows all there is to mend.
    fn stage(
        &mut self,
        steps: &mut Steps,
        name: &str,
        work: impl FnOnce(&mut Vec<String>) -> Result<(), Error>,
    ) {
        let said = &mut self.said;
        if let Err(error) = steps.step(name, || work(said)) {
            eprintln!("xtask: {error}");
            self.failed.push(name.to_owned());
        }
    }
}

/// Runs the parts, or all of them when none is named.
pub(crate) fn run(
    paths: &Paths,
    steps: &mut Steps,
    soak: bool,
    parts: &[Part],
) -> Result<(), Error> {
    let wanted = |part| parts.is_empty() || parts.contains(&part);
    let mut report = Report::default();
    if wanted(Part::Lint) {
        lint::run(paths, steps, &mut report);
    }
    if wanted(Part::Unit) {
        unit::run(paths, steps, &mut report, soak);
    }
    if wanted(Part::Browser) {
        browser::run(paths, steps, &mut report);
    }

    steps.summary();
    println!();
    if report.failed.is_empty() {
        println!("All stages passed. The test runners said:");
    } else {
        println!("The test runners said:");
    }
    for line in &report.said {
        println!("  {}", line.trim());
    }
    if report.failed.is_empty() {
        Ok(())
    } else {
        Err(Error::Stages(report.failed.join(", ")))
    }
}
