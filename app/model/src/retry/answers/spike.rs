//! The spike of decorrelated jitter on its cap.

use super::sample::Mean;
use super::{Basis, Figure};
use crate::retry::plan::{Plan, Spread, Waits};
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;

/// One wait of decorrelated jitter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pile {
    /// Before which retry; 1 is the first.
    pub retry: u32,
    /// Its mean, in ms: exact while the cap is out of reach.
    pub mean_ms: Figure,
    /// The share of clients that wait exactly the cap, to the millisecond and in
    /// step.
    pub at_cap: Figure,
}

/// The waits of decorrelated jitter, by retry, and how many of them sit on the cap.
/// Empty for other kinds.
///
/// While the cap is out of reach the mean is 1.5·(mean before) + .5·base, from the
/// base on. Beyond that there is no closed form, and the figures are drawn from
/// `seed`.
#[must_use]
pub fn piles(plan: &Plan, draws: usize, seed: u64) -> Vec<Pile> {
    if plan.spread != Spread::Decorrelated {
        return Vec::new();
    }
    let cap = plan.cap_ms as f64;
    let mut columns = vec![(Mean::new(), Mean::new()); plan.retries() as usize];
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    for _ in 0..draws {
        let mut waits = Waits::new(plan);
        for (mean, on_cap) in &mut columns {
            let ms = waits.draw(&mut random).unwrap_or(0.0);
            mean.add(ms);
            on_cap.add(if ms >= cap { 1.0 } else { 0.0 });
        }
    }
    let exact = uncapped_means(plan);
    (1..)
        .zip(columns)
        .map(|(retry, (mean, on_cap))| {
            let exactly = |value| Figure {
                value,
                basis: Basis::Exact,
            };
            match exact.get(retry as usize - 1) {
                Some(mean_ms) => Pile {
                    retry,
                    mean_ms: exactly(*mean_ms),
                    at_cap: exactly(0.0),
                },
                None => Pile {
                    retry,
                    mean_ms: mean.figure(),
                    at_cap: on_cap.figure(),
                },
            }
        })
        .collect()
}

/// The means of the waits for as long as the cap is out of reach, in ms.
pub(super) fn uncapped_means(plan: &Plan) -> Vec<f64> {
    let (base, cap) = (plan.base_ms as f64, plan.cap_ms as f64);
    let (mut mean, mut most) = (base, base);
    let mut means = Vec::new();
    for _ in 0..plan.retries() {
        most *= 3.0;
        if most > cap {
            break;
        }
        mean = 1.5 * mean + 0.5 * base;
        means.push(mean);
    }
    means
}

/// Of the clients that waited exactly the cap, the share that does so the next time
/// again: 2·cap/(3·cap − base), since the next wait is drawn from base to 3·cap and
/// everything above the cap is cut to it. Nothing where the base is no less than
/// the cap, and then every wait is the cap.
#[must_use]
pub fn stays_on_cap(plan: &Plan) -> Option<f64> {
    let (base, cap) = (plan.base_ms as f64, plan.cap_ms as f64);
    (base < cap).then(|| 2.0 * cap / (3.0 * cap - base))
}
