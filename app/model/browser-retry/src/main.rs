//! The native side of the measurement: each case, how long it takes at best in ms, and
//! what came of it, with tabs between them.

use retry_browser::{Case, cases};
use std::time::Instant;

const RUNS: usize = 3;

fn main() {
    for case in 0..cases() {
        let (mut best, mut name, mut said) = (f64::INFINITY, String::new(), String::new());
        for _ in 0..RUNS {
            let start = Instant::now();
            let mut it = Case::new(case);
            while !it.step(100_000) {}
            said = it.verdict();
            name = it.name();
            best = best.min(start.elapsed().as_secs_f64() * 1e3);
        }
        println!("{name}\t{best}\t{said}");
    }
}
