//! `cargo xtask bench`: measurements, each beside its peers in the same run.

mod chromium;
mod explore;
mod retry;

use clap::ValueEnum;

use crate::error::Error;
use crate::paths::Paths;

/// What can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Bench {
    /// The explorer, beside stateright on one thread, and in Chromium.
    Explore,
    /// The retry studio's herd and calculator, natively and in Chromium.
    Retry,
}

/// Runs a measurement. It prints its own report.
pub(crate) fn run(paths: &Paths, what: Bench) -> Result<(), Error> {
    match what {
        Bench::Explore => explore::run(paths),
        Bench::Retry => retry::run(paths),
    }
}
