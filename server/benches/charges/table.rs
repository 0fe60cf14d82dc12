//! Whether look-ups stay flat as the table grows.
//!
//! The rows are written by SQL, as the server would have written them: a finished
//! key and its charge each. Then replays ask for keys all over the table, and new
//! keys are added to it.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::load::{Keys, Until};
use super::stores::Databases;
use super::target::{Target, new_keys};
use super::{Args, Failure};

const CONNECTIONS: usize = 16;
/// The aim: the cost of a look-up in the large table, in those in the small one.
const AIM: f64 = 1.3;
/// A prime over any number of rows here: steps of it visit the table all over.
const STRIDE: u64 = 982_451_653;

struct Prepared {
    rows: u64,
    service: Target,
    token: String,
    replays: Vec<f64>,
    new: Vec<f64>,
}

pub(crate) async fn run(store: &Databases, args: &Args) -> Result<(), Failure> {
    let mut tables = Vec::new();
    for &rows in &args.tables {
        let database = store.make()?;
        let first = Target::service(&database)?;
        let token = first.sandbox(json!({})).await?;
        // One real charge is the pattern for all rows.
        let pattern: Keys = Arc::new(|_| Some(String::from("pattern")));
        first.load(&token, pattern, 1).run(Until::Count(1)).await?;
        drop(first);
        store.fill(&database, rows).await?;
        let service = Target::service(&database)?;
        tables.push(Prepared {
            rows,
            service,
            token,
            replays: Vec::new(),
            new: Vec::new(),
        });
    }
    let time = Until::Time(Duration::from_millis(args.millis));
    // In turns, so that whatever else the machine does meets them alike.
    for round in 0..args.rounds {
        for table in &mut tables {
            let rows = table.rows;
            let known: Keys =
                Arc::new(move |number| Some(format!("k{:08}", (number * STRIDE) % rows)));
            let load = table.service.load(&table.token, known, CONNECTIONS);
            let seen = load.run(time).await?;
            if seen.replayed != seen.micros.len() as u64 {
                return Err("a stored key was not replayed".into());
            }
            table.replays.push(seen.rate());
            let keys = new_keys(format!("{round}-new"));
            let load = table.service.load(&table.token, keys, CONNECTIONS);
            table.new.push(load.run(time).await?.rate());
        }
    }
    println!("| stored keys | replays/s | new keys/s |");
    println!("| --- | --- | --- |");
    let medians: Vec<_> = tables
        .iter()
        .map(|table| (table.rows, median(&table.replays), median(&table.new)))
        .collect();
    for (rows, replays, new) in &medians {
        println!("| {rows} | {replays:.0} | {new:.0} |");
    }
    if let [(small, few, few_new), .., (large, many, many_new)] = medians.as_slice() {
        println!(
            "\nCost of a look-up at {large} keys in those at {small}: {:.2} (aim {AIM}); of a new key: {:.2}\n",
            few / many,
            few_new / many_new
        );
    }
    Ok(())
}

fn median(rates: &[f64]) -> f64 {
    let mut rates = rates.to_vec();
    rates.sort_by(f64::total_cmp);
    rates.get(rates.len() / 2).copied().unwrap_or(f64::NAN)
}
