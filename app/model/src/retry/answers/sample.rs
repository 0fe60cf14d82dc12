//! Drawing many sequences of waits: what no formula gives, and a check on those
//! that do.

use super::{Basis, Figure};
use crate::retry::plan::{Plan, Spread, Waits};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

/// Many operations of which every attempt fails by running into its time-out.
#[derive(Clone, Debug)]
pub struct Sample {
    /// All waits of one operation together, in ms, shortest first.
    totals_ms: Vec<f64>,
    /// What one operation waits that stops at its first success, in ms, shortest
    /// first.
    added_ms: Vec<f64>,
    /// By retry: how many reached it in time.
    reached: Vec<u32>,
    success: Figure,
    attempts: Figure,
    wait: Figure,
}

impl Sample {
    /// How many operations are drawn, unless there are so many retries that it
    /// would take too long.
    pub const DRAWS: usize = 10_000;
    /// The fewest that are drawn.
    pub const LEAST: usize = 2_000;

    /// Draws from `seed`; `p` is the probability that an attempt fails.
    #[must_use]
    pub fn draw(plan: &Plan, p: f64, seed: u64) -> Self {
        let retries = plan.retries() as usize;
        let draws = match plan.spread {
            // All the same.
            Spread::None => 1,
            _ => (2_000_000 / retries.max(1)).clamp(Self::LEAST, Self::DRAWS),
        };
        let timeout = plan.timeout_ms as f64;
        let deadline = plan.deadline_ms.map_or(f64::INFINITY, |ms| ms as f64);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        // Of its own, so that the waits are the same whatever p is.
        let mut luck = Xoshiro256PlusPlus::seed_from_u64(seed ^ 0x5EED);
        let mut totals_ms = Vec::with_capacity(draws);
        let mut added_ms = Vec::with_capacity(draws);
        let mut reached = vec![0; retries];
        let (mut success, mut attempts, mut wait) = (Mean::new(), Mean::new(), Mean::new());
        for _ in 0..draws {
            let mut waits = Waits::new(plan);
            let mut total = 0.0;
            let mut spent = timeout;
            // The chance that this attempt is made at all, and what was expected so far.
            let mut chance = 1.0;
            let (mut made, mut waited) = (1.0, 0.0);
            let (mut added, mut failing) = (0.0, luck.random::<f64>() < p);
            for reached in &mut reached {
                let Some(ms) = waits.draw(&mut random) else {
                    break;
                };
                // A wait that would outlast the deadline is not begun.
                if spent + ms > deadline {
                    break;
                }
                *reached += 1;
                total += ms;
                spent += ms + timeout;
                chance *= p;
                made += chance;
                waited += chance * ms;
                if failing {
                    added = total;
                    failing = luck.random::<f64>() < p;
                }
            }
            totals_ms.push(total);
            added_ms.push(added);
            success.add(1.0 - chance * p);
            attempts.add(made);
            wait.add(waited);
        }
        totals_ms.sort_unstable_by(f64::total_cmp);
        added_ms.sort_unstable_by(f64::total_cmp);
        Self {
            totals_ms,
            added_ms,
            reached,
            success: success.figure(),
            attempts: attempts.figure(),
            wait: wait.figure(),
        }
    }

    /// How many operations were drawn.
    #[must_use]
    pub fn draws(&self) -> usize {
        self.totals_ms.len()
    }

    /// All waits of one operation together, in ms, shortest first.
    #[must_use]
    pub fn totals_ms(&self) -> &[f64] {
        &self.totals_ms
    }

    /// The share of operations that came to this retry before the deadline; 1 is the
    /// first retry, and everybody comes to retry 0, the first call.
    #[must_use]
    pub fn reach(&self, retry: u32) -> Figure {
        let Some(index) = (retry as usize).checked_sub(1) else {
            return Figure::exact(1.0);
        };
        let n = self.draws() as f64;
        let share = self
            .reached
            .get(index)
            .map_or(0.0, |count| f64::from(*count) / n);
        Figure {
            value: share,
            basis: Basis::Sampled {
                standard_error: (share * (1.0 - share) / n).sqrt(),
            },
        }
    }

    /// The probability of success.
    #[must_use]
    pub const fn success(&self) -> Figure {
        self.success
    }

    /// The expected number of attempts.
    #[must_use]
    pub const fn attempts(&self) -> Figure {
        self.attempts
    }

    /// The expected time waited, in ms.
    #[must_use]
    pub const fn wait(&self) -> Figure {
        self.wait
    }

    /// What each operation waits that stops at its first success, in ms, shortest
    /// first; those that fail in the end are among them with all their waits.
    #[must_use]
    pub fn added_ms(&self) -> &[f64] {
        &self.added_ms
    }

    /// A quantile of the waits together when every attempt fails, in ms.
    #[must_use]
    pub fn quantile(&self, probability: f64) -> Figure {
        quantile(&self.totals_ms, probability)
    }

    /// A quantile of what is added to the latency of all operations, in ms.
    #[must_use]
    pub fn added_quantile(&self, probability: f64) -> Figure {
        quantile(&self.added_ms, probability)
    }

    /// How many of the drawn sums lie in each of `bins` equal parts of this range.
    #[must_use]
    pub fn histogram(&self, low_ms: f64, high_ms: f64, bins: usize) -> Vec<u32> {
        let mut counts = vec![0; bins];
        let scale = bins as f64 / (high_ms - low_ms);
        for total in &self.totals_ms {
            let index = (total - low_ms) * scale;
            // The upper end belongs to the last bin; `as` takes NaN to 0.
            let index = (index.max(0.0) as usize).min(bins.saturating_sub(1));
            if let Some(count) = counts.get_mut(index) {
                *count += 1;
            }
        }
        counts
    }
}

/// A quantile of sorted values. Its error is half the distance between the values one
/// standard deviation of the rank to either side.
fn quantile(sorted: &[f64], probability: f64) -> Figure {
    let n = sorted.len() as f64;
    let at = |rank: f64| {
        let index = rank.clamp(0.0, (n - 1.0).max(0.0)) as usize;
        sorted.get(index).copied().unwrap_or(0.0)
    };
    let rank = (probability * n).ceil() - 1.0;
    let spread = (n * probability * (1.0 - probability)).max(0.0).sqrt();
    Figure {
        value: at(rank),
        basis: Basis::Sampled {
            standard_error: (at(rank + spread) - at(rank - spread)) / 2.0,
        },
    }
}

/// A running mean with its variance (Welford).
#[derive(Clone, Copy, Debug)]
pub(super) struct Mean {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Mean {
    pub(super) const fn new() -> Self {
        Self {
            count: 0.0,
            mean: 0.0,
            squares: 0.0,
        }
    }

    pub(super) fn add(&mut self, value: f64) {
        self.count += 1.0;
        let off = value - self.mean;
        self.mean += off / self.count;
        self.squares += off * (value - self.mean);
    }

    pub(super) fn figure(self) -> Figure {
        let variance = self.squares / (self.count - 1.0).max(1.0);
        Figure {
            value: self.mean,
            basis: Basis::Sampled {
                standard_error: (variance / self.count.max(1.0)).sqrt(),
            },
        }
    }
}
