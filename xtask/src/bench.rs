//! `cargo xtask bench`: measurements, each beside its peers in the same run.

use clap::ValueEnum;

use crate::command::{self, cargo};
use crate::error::Error;
use crate::paths::Paths;

/// What can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Bench {
    /// The explorer, beside stateright on one thread.
    Explore,
}

/// Runs a measurement. It prints its own report.
pub(crate) fn run(paths: &Paths, what: Bench) -> Result<(), Error> {
    match what {
        Bench::Explore => {
            // The same world, each in the form that suits it.
            command::run(cargo(paths).args(["bench", "--package", "model", "--bench", "explore"]))?;
            // The very same states and moves: only the search differs.
            command::run(cargo(paths).args([
                "test",
                "--release",
                "--package",
                "model",
                "--lib",
                "beside_stateright",
                "--",
                "--ignored",
                "--nocapture",
            ]))
        }
    }
}
