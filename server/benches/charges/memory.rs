//! Whether the server's memory grows with the keys that it has seen.

use serde_json::json;

use super::Failure;
use super::load::Until;
use super::stores::Databases;
use super::target::{Target, new_keys};

/// Figures on the way.
const STEPS: u64 = 10;
const CONNECTIONS: usize = 64;

pub(crate) async fn run(store: &Databases, keys: u64) -> Result<(), Failure> {
    let service = Target::service(&store.make()?)?;
    let token = service.sandbox(json!({})).await?;
    println!("| new keys so far | server's memory, MB | requests/s | p99 ms |");
    println!("| --- | --- | --- | --- |");
    for step in 1..=STEPS {
        let load = service.load(&token, new_keys(format!("m{step}")), CONNECTIONS);
        let seen = load.run(Until::Count(keys / STEPS)).await?;
        println!(
            "| {} | {:.1} | {:.0} | {:.2} |",
            keys / STEPS * step,
            service.memory()? as f64 / 1e6,
            seen.rate(),
            seen.quantile(0.99)
        );
    }
    println!();
    Ok(())
}
