//! The build tool: `cargo xtask run | build | test | bench`.
//!
//! It needs nothing but Rust and a package registry. What else a step needs (the
//! WASM target, Chromium, Node) it installs where it may, and otherwise stops with
//! the one command to run.

mod bench;
mod bundle;
mod client;
mod command;
mod compress;
mod debian;
mod error;
mod paths;
mod postgres;
mod server;
mod steps;
mod style;
mod test;
mod wasm;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::error::Error;
use crate::paths::Paths;
use crate::server::Profile;
use crate::steps::Steps;

/// Builds, runs and tests Charge Once.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Build everything and serve it.
    Run {
        /// Build the server optimised.
        #[arg(long)]
        release: bool,
        /// Arguments for the server, after `--`.
        #[arg(last = true)]
        server: Vec<OsString>,
    },
    /// Build the client bundle and the server that embeds it.
    Build {
        /// Build the server optimised: `target/release/charge-once` runs alone.
        #[arg(long)]
        release: bool,
    },
    /// Check everything: lints, unit and HTTP tests, browser tests.
    Test {
        /// Take longer: many more property cases, and the tests marked as ignored.
        #[arg(long)]
        soak: bool,
        /// Only these parts; all of them when none is named.
        #[arg(value_enum)]
        parts: Vec<test::Part>,
    },
    /// Measure something, beside its peers and in the same run.
    Bench {
        /// What.
        #[arg(value_enum)]
        what: bench::Bench,
        /// Arguments for the benchmark of charges, after `--`; `-- --help` lists them.
        #[arg(last = true)]
        args: Vec<OsString>,
    },
}

fn main() -> ExitCode {
    match perform(Args::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nxtask: {error}");
            ExitCode::FAILURE
        }
    }
}

fn perform(task: Task) -> Result<(), Error> {
    let paths = Paths::find()?;
    let mut steps = Steps::new();
    match task {
        Task::Run {
            release,
            server: args,
        } => {
            client::build(&paths, &mut steps)?;
            let binary = server::build(&paths, &mut steps, Profile::of(release))?;
            steps.summary();
            server::run(&binary, &args)
        }
        Task::Build { release } => {
            client::build(&paths, &mut steps)?;
            let binary = server::build(&paths, &mut steps, Profile::of(release))?;
            steps.summary();
            println!("Built {}", binary.display());
            Ok(())
        }
        Task::Test { soak, parts } => test::run(&paths, &mut steps, soak, &parts),
        Task::Bench { what, args } => bench::run(&paths, what, &args),
    }
}
