//! How fast the retry studio is, against stated limits:
//! `cargo bench -p model --bench retry`.
//!
//! The herd with a million clients takes under a second (all four kinds together),
//! and a call costs about the same however many clients there are: at a million at
//! most three times of what it costs at ten thousand, where everything fits into the
//! processor's caches. The calculator answers a change within a frame of 16 ms. A
//! line that is over its limit says so, and the bench fails.

use model::outage::{Herd, HerdInputs, Herds, Kind, Outage, OutageInputs, Outages, Strategy};
use model::retry::answers::Answers;
use model::retry::form::Form;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

const RUNS: u32 = 5;
/// As big as a slice of work on a page.
const SLICE: u32 = 100_000;

/// How long this thread has had a processor, where the system tells it (Linux): on a
/// machine that is busy with other things that is the cost, and the clock is not.
fn on_processor() -> Option<Duration> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(
        told.split_whitespace().next()?.parse().ok()?,
    ))
}

/// How long a run takes, on average over at least 50 ms of runs, since the system
/// counts in steps of a few ms; the best of a few such averages. And what it came to.
fn best<T>(mut run: impl FnMut() -> T) -> (Duration, T) {
    let mut it = run();
    let mut shortest = Duration::MAX;
    for _ in 0..RUNS {
        let (clock, before) = (Instant::now(), on_processor());
        let mut runs = 0;
        let took = loop {
            it = black_box(run());
            runs += 1;
            let took = match (before, on_processor()) {
                (Some(before), Some(after)) => after.saturating_sub(before),
                _ => clock.elapsed(),
            };
            if took >= Duration::from_millis(50) {
                break took;
            }
        };
        shortest = shortest.min(took / runs);
    }
    (shortest, it)
}

fn ms(took: Duration) -> f64 {
    took.as_secs_f64() * 1e3
}

/// Says whether a limit is kept.
struct Limits {
    kept: bool,
}

impl Limits {
    fn check(&mut self, what: &str, value: f64, most: f64, unit: &str) {
        let kept = value <= most;
        self.kept &= kept;
        println!(
            "  {what:<44} {value:>10.2} {unit:<5} limit {most:>7} {unit:<5} {}",
            if kept { "kept" } else { "OVER" }
        );
    }
}

fn herd(limits: &mut Limits) {
    println!("The herd: 4 attempts, a server for all clients in a second, a tenth in its queue");
    let mut costs = Vec::new();
    for clients in [10_000, 100_000, 1_000_000] {
        let inputs = HerdInputs {
            clients,
            capacity: clients,
            queue: clients / 10,
            ..HerdInputs::default()
        };
        for kind in Kind::ALL {
            let (took, calls) = best(|| {
                let mut herd = Herd::new(&inputs, kind);
                while !herd.run(SLICE).done {}
                herd.summary().calls
            });
            let rate = calls as f64 / took.as_secs_f64();
            println!(
                "  {clients:>8} clients {:<13} {calls:>9} calls {:>9.2} ms {:>7.2} M calls/s",
                kind.name(),
                ms(took),
                rate / 1e6
            );
        }
        let (took, calls) = best(|| {
            let mut herds = Herds::new(&inputs);
            let mut progress = herds.run(SLICE);
            while !progress.done {
                progress = herds.run(SLICE);
            }
            progress.calls
        });
        costs.push(took.as_secs_f64() * 1e9 / calls as f64);
        let what = format!("{clients} clients, all four kinds, {calls} calls");
        limits.check(&what, ms(took), 1000.0, "ms");
    }
    if let [small, middle, large] = costs[..] {
        println!("  ns a call: {small:.0} at 10k, {middle:.0} at 100k, {large:.0} at 1M clients");
        limits.check(
            "a call at 1M over a call at 10k",
            large / small,
            3.0,
            "times",
        );
    }
    // Twice the attempts for the same clients: calls alone.
    let cost = |attempts| {
        let inputs = HerdInputs {
            clients: 100_000,
            attempts,
            capacity: 1000,
            ..HerdInputs::default()
        };
        let (took, calls) = best(|| {
            let mut herd = Herd::new(&inputs, Kind::Full);
            while !herd.run(SLICE).done {}
            herd.summary().calls
        });
        (took.as_secs_f64() * 1e9 / calls as f64, calls)
    };
    let ((few, fewer_calls), (many, more_calls)) = (cost(5), cost(50));
    let what = format!("a call of {more_calls} over one of {fewer_calls}");
    limits.check(&what, many / few, 2.0, "times");
}

fn outage(limits: &mut Limits) {
    println!("The outage: nine strategies on the same arrivals");
    for (what, inputs, most) in [
        ("as the page opens", OutageInputs::default(), 100.0),
        (
            "100 000 requests, 10 attempts",
            OutageInputs {
                rate: 1000,
                seconds: 100,
                capacity: 1400,
                queue: 2800,
                attempts: 10,
                ..OutageInputs::default()
            },
            5000.0,
        ),
    ] {
        let (took, calls) = best(|| {
            let mut outages = Outages::new(&inputs);
            let mut progress = outages.run(SLICE);
            while !progress.done {
                progress = outages.run(SLICE);
            }
            progress.calls
        });
        limits.check(&format!("{what}, {calls} calls"), ms(took), most, "ms");
    }
    let (took, _) = best(|| {
        let mut outage = Outage::new(&OutageInputs::default(), Strategy::Fixed);
        while !outage.run(SLICE).done {}
        outage.summary().latency
    });
    println!(
        "  {:<44} {:>10.2} ms",
        "one strategy with its summary",
        ms(took)
    );
}

fn calculator(limits: &mut Limits) {
    println!("The calculator, a change: reading the address and all answers");
    for (what, pairs) in [
        ("as the page opens", &[("p", "0.1")][..]),
        (
            "20 attempts, full jitter",
            &[("attempts", "20"), ("p", "0.5")],
        ),
        (
            "100 attempts, full jitter",
            &[("attempts", "100"), ("p", "0.9")],
        ),
        (
            "6 attempts, decorrelated jitter, sampled",
            &[("attempts", "6"), ("jitter", "decorrelated"), ("p", "0.5")],
        ),
        (
            "with a deadline, sampled",
            &[("deadline", "900"), ("p", "0.5")],
        ),
    ] {
        let (took, _) = best(|| {
            let inputs = Form::read(pairs.iter().copied()).inputs;
            Answers::of(&inputs.plan, inputs.p, 1)
        });
        limits.check(what, ms(took), 16.0, "ms");
    }
}

fn main() -> ExitCode {
    println!(
        "Times are {}; the best of {RUNS} runs.",
        match on_processor() {
            Some(_) => "of the processor",
            None => "by the clock",
        }
    );
    let mut limits = Limits { kept: true };
    herd(&mut limits);
    outage(&mut limits);
    calculator(&mut limits);
    if limits.kept {
        ExitCode::SUCCESS
    } else {
        eprintln!("at least one limit was not kept");
        ExitCode::FAILURE
    }
}
