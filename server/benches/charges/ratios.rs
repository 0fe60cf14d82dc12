//! New keys, replays and a hot key, beside the same handler without idempotency and
//! a bare insert.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::load::{Keys, Outcome, Until};
use super::stores::Databases;
use super::target::{Target, new_keys};
use super::{Args, Failure};

/// Keys that replays ask for.
const KNOWN: u64 = 10_000;
/// Requests that share one hot key before the next key is hot.
const HOT: u64 = 100;
/// Aims at 16 connections and more: the cost of a new key in bare inserts.
const AIM: f64 = 2.5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    New,
    Replay,
    Hot,
    NoKey,
    Bare,
}

impl What {
    const ALL: [Self; 5] = [Self::New, Self::Replay, Self::Hot, Self::NoKey, Self::Bare];

    const fn name(self) -> &'static str {
        match self {
            Self::New => "new keys",
            Self::Replay => "replays",
            Self::Hot => "hot key, 100 requests each",
            Self::NoKey => "(a) same handler, no idempotency",
            Self::Bare => "(b) one bare durable insert",
        }
    }

    fn keys(self, round: usize, connections: usize) -> Keys {
        match self {
            Self::New => new_keys(format!("n{round}c{connections}")),
            Self::Replay => Arc::new(|number| Some(format!("known-{}", number % KNOWN))),
            Self::Hot => {
                Arc::new(move |number| Some(format!("h{round}c{connections}-{}", number / HOT)))
            }
            Self::NoKey | Self::Bare => Arc::new(|_| None),
        }
    }

    /// Whether the load did what it is named after.
    fn check(self, seen: &Outcome) -> Result<(), Failure> {
        let total = seen.micros.len() as u64;
        let right = match self {
            Self::New | Self::NoKey | Self::Bare => seen.made == total,
            Self::Replay => seen.replayed == total,
            Self::Hot => seen.made == total.div_ceil(HOT) || seen.made == total / HOT,
        };
        if right {
            Ok(())
        } else {
            Err(format!(
                "{}: {} made, {} replayed, {} running of {total}",
                self.name(),
                seen.made,
                seen.replayed,
                seen.running
            )
            .into())
        }
    }
}

/// One figure: requests a second, and quantiles in ms.
#[derive(Clone, Copy, Debug)]
struct Figure {
    rate: f64,
    p50: f64,
    p99: f64,
}

pub(crate) async fn run(store: &Databases, args: &Args) -> Result<(), Failure> {
    let service = Target::service(&store.make().await?)?;
    let bare = Target::bare(&store.make().await?)?;
    let keyed = service.sandbox(json!({})).await?;
    let keyless = service.sandbox(json!({ "keyless": "allow" })).await?;
    let known: Keys = Arc::new(|number| Some(format!("known-{number}")));
    service
        .load(&keyed, known, 16)
        .run(Until::Count(KNOWN))
        .await?;
    let time = Until::Time(Duration::from_millis(args.millis));
    println!("| connections | what | requests/s | p50 ms | p99 ms | cost in (a) | cost in (b) |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for &connections in &args.connections {
        let mut figures: [Vec<Figure>; 5] = Default::default();
        for round in 0..args.rounds {
            for (what, figures) in What::ALL.into_iter().zip(&mut figures) {
                let (target, token) = match what {
                    What::Bare => (&bare, ""),
                    What::NoKey => (&service, keyless.as_str()),
                    _ => (&service, keyed.as_str()),
                };
                let load = target.load(token, what.keys(round, connections), connections);
                let seen = load.run(time).await?;
                what.check(&seen)?;
                figures.push(Figure {
                    rate: seen.rate(),
                    p50: seen.quantile(0.5),
                    p99: seen.quantile(0.99),
                });
            }
        }
        let figures = figures.map(median);
        let [new, _, _, none, insert] = figures;
        for (what, figure) in What::ALL.into_iter().zip(figures) {
            println!(
                "| {connections} | {} | {:.0} | {:.2} | {:.2} | {:.2} | {:.2} |",
                what.name(),
                figure.rate,
                figure.p50,
                figure.p99,
                none.rate / figure.rate,
                insert.rate / figure.rate
            );
        }
        if connections >= 16 {
            let cost = insert.rate / new.rate;
            let verdict = if cost <= AIM { "within" } else { "over" };
            eprintln!(
                "new keys at {connections}: {cost:.2} bare inserts, {verdict} the aim of {AIM}"
            );
        }
    }
    println!();
    Ok(())
}

/// The figure with the median rate.
fn median(mut figures: Vec<Figure>) -> Figure {
    figures.sort_by(|a, b| a.rate.total_cmp(&b.rate));
    let none = Figure {
        rate: f64::NAN,
        p50: f64::NAN,
        p99: f64::NAN,
    };
    figures.get(figures.len() / 2).copied().unwrap_or(none)
}
