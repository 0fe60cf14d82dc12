//! `cargo xtask bench`: measurements, each beside its peers in the same run.

mod chromium;
mod explore;
mod retry;

use std::ffi::OsString;

use clap::ValueEnum;

use crate::command::{self, cargo};
use crate::error::Error;
use crate::paths::Paths;
use crate::postgres;

/// What can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Bench {
    /// The explorer, beside stateright on one thread, and in Chromium.
    Explore,
    /// The charge service, beside the same work without idempotency, on both stores.
    Charges,
    /// The retry studio's herd and calculator, natively and in Chromium.
    Retry,
}

/// Runs a measurement. It prints its own report.
pub(crate) fn run(paths: &Paths, what: Bench, args: &[OsString]) -> Result<(), Error> {
    match what {
        Bench::Charges => {
            postgres::ensure()?;
            command::run(
                cargo(paths)
                    .args(["bench", "--package", "server", "--bench", "charges", "--"])
                    .args(args),
            )
        }
        Bench::Explore => explore::run(paths),
        Bench::Retry => retry::run(paths),
    }
}
