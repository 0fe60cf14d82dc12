//! The native side of the measurement: each world, how long it takes at best in ms,
//! and what came of it, with tabs between them.

use explore_browser::{name, verdict, worlds};
use std::time::Instant;

const RUNS: usize = 15;

fn main() {
    for world in 0..worlds() {
        let (mut best, mut said) = (f64::INFINITY, String::new());
        for _ in 0..RUNS {
            let start = Instant::now();
            said = verdict(world);
            best = best.min(start.elapsed().as_secs_f64() * 1e3);
        }
        println!("{}\t{best}\t{said}", name(world));
    }
}
