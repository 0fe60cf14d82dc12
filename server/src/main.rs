//! `charge-once`: serves the lesson and the charge API.

use std::io;
use std::net::SocketAddr;

use clap::Parser;
use tokio::net::TcpListener;

/// Serves the lesson and the charge API.
#[derive(Debug, Parser)]
#[command(version)]
struct Args {
    /// Address and port; port 0 takes a free one.
    #[arg(long, env = "CHARGE_ONCE_LISTEN", default_value = "127.0.0.1:3000")]
    listen: SocketAddr,
}

#[tokio::main]
async fn main() -> io::Result<()> {
    let args = Args::parse();
    let listener = TcpListener::bind(args.listen).await?;
    println!("Charge Once is at http://{}/", listener.local_addr()?);
    axum::serve(listener, server::router()).await
}
