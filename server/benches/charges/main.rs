//! What exactly-once costs, beside the same work without it, in one run:
//! `cargo xtask bench charges`.
//!
//! The server is the real binary, in a process of its own, with every commit
//! durable. The load comes from this process over loopback, so both share the
//! machine's cores: figures are comparable with one another, not with other machines.

mod bare;
#[path = "../../tests/common/cluster.rs"]
#[allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    clippy::expect_used,
    clippy::unwrap_used
)]
mod cluster;
mod load;
mod memory;
mod ratios;
mod stores;
mod table;
mod target;

use std::process::ExitCode;

use clap::{Parser, ValueEnum};

/// Why a measurement cannot be made.
type Failure = Box<dyn std::error::Error + Send + Sync>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// New keys, replays, a hot key, beside no idempotency and a bare insert.
    Ratios,
    /// The server's memory over a million keys.
    Memory,
    /// Few stored keys beside many.
    Table,
}

#[derive(Debug, Parser)]
struct Args {
    /// What to measure; everything when none is named.
    #[arg(value_enum)]
    parts: Vec<Part>,
    /// On which store; both when none is named.
    #[arg(long, value_enum)]
    store: Option<stores::Kind>,
    /// How long each figure is taken in each round, in ms.
    #[arg(long, default_value_t = 1500)]
    millis: u64,
    /// Rounds. Each takes every figure once; the median of them is reported.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Connections in the ratios part.
    #[arg(long, default_values_t = [1, 16, 256])]
    connections: Vec<usize>,
    /// New keys for the memory part.
    #[arg(long, default_value_t = 1_000_000)]
    keys: u64,
    /// Stored keys of the small and the large table.
    #[arg(long, default_values_t = [10_000, 10_000_000])]
    tables: Vec<u64>,
    /// Serves one bare durable insert for each request. The benchmark starts itself so.
    #[arg(long, hide = true)]
    bare: Option<String>,
    /// `cargo bench` passes it.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    let done = match runtime {
        Ok(runtime) => runtime.block_on(run(&args)),
        Err(error) => Err(error.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench charges: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(args: &Args) -> Result<(), Failure> {
    if let Some(database) = &args.bare {
        return bare::serve(database).await;
    }
    let wanted = |part| args.parts.is_empty() || args.parts.contains(&part);
    for kind in stores::Kind::ALL {
        if args.store.is_some_and(|store| store != kind) {
            continue;
        }
        let store = stores::Databases::start(kind)?;
        println!("\n## {}\n", kind.name());
        if wanted(Part::Ratios) {
            ratios::run(&store, args).await?;
        }
        if wanted(Part::Memory) {
            memory::run(&store, args.keys).await?;
        }
        if wanted(Part::Table) {
            table::run(&store, args).await?;
        }
    }
    Ok(())
}
