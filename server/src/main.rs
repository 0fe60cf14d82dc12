//! `charge-once`: serves the lesson and the charge API.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;
use server::Server;
use server::config::Config;
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    let config = match Config::try_parse() {
        Ok(config) => config,
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
            ) =>
        {
            let _ = error.print();
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            // The first line says it all; the usage behind it would bury it.
            let text = error.to_string();
            let line = text.lines().next().unwrap_or("error: wrong arguments");
            eprintln!("{line} (--help says more)");
            return ExitCode::from(2);
        }
    };
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_env_filter(
            EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info,sqlx=warn")),
        )
        .init();
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&error),
    };
    match runtime.block_on(run(config)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&*error),
    }
}

async fn run(config: Config) -> Result<(), Box<dyn std::error::Error>> {
    let signal = server::shutdown::signal()?;
    #[cfg(unix)]
    server::shutdown::outlive_file_limit()?;
    let server = Server::start(config).await?;
    // Whoever reads this may be gone, which is no reason to stop.
    let _ = writeln!(
        std::io::stdout(),
        "Charge Once is at http://{}/",
        server.address()
    );
    signal.await;
    tracing::info!("shutting down");
    server.stop().await;
    Ok(())
}

fn failed(error: &dyn std::error::Error) -> ExitCode {
    eprintln!("error: {error}");
    ExitCode::FAILURE
}
