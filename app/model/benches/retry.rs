//! How fast the retry studio's simulations are:
//! `cargo bench -p model --bench retry`.

use model::outage::{HerdInputs, Herds};
use std::hint::black_box;
use std::time::{Duration, Instant};

const RUNS: u32 = 5;

/// The shortest of a few runs, and what the last one came to.
fn best<T>(runs: u32, mut run: impl FnMut() -> T) -> (Duration, Option<T>) {
    let mut shortest = Duration::MAX;
    let mut last = None;
    for _ in 0..runs {
        let start = Instant::now();
        let it = black_box(run());
        shortest = shortest.min(start.elapsed());
        last = Some(it);
    }
    (shortest, last)
}

fn main() {
    for clients in [10_000, 100_000, 1_000_000] {
        let inputs = HerdInputs {
            clients,
            capacity: clients,
            queue: clients / 10,
            ..HerdInputs::default()
        };
        for herd in 0..4 {
            let kind = model::outage::Kind::ALL[herd];
            let (took, calls) = best(RUNS, || {
                let mut herd = model::outage::Herd::new(&inputs, kind);
                herd.run(u32::MAX).calls
            });
            println!("{kind:?} {clients} {took:?} {calls:?} {} ns/call", took.as_nanos() as u64/calls.unwrap());
        }
        let (took, digest) = best(RUNS, || {
            let mut herds = Herds::new(&inputs);
            herds.finish();
            herds.digest()
        });
        println!("{clients} {took:?} {digest:?}");
    }
}
