//! What retries add to the latency of an operation, success or not.

use super::sum::{Sum, invert};
use crate::retry::plan::{Plan, Spread};

/// The distribution of the time that one operation spends waiting between its
/// attempts, over all operations: most wait not at all, some once, few the whole
/// way, and those that fail in the end are counted with all their waits.
///
/// It is a mixture of the sums of the first waits: with probability p^j·(1−p) there
/// are j of them, with p^d all d.
#[derive(Clone, Debug)]
pub struct Latency {
    /// The probability of no wait at all.
    pub none: f64,
    parts: Vec<(f64, Sum)>,
}

impl Latency {
    /// The most retries for which it is computed; each takes a distribution of its
    /// own.
    pub const MOST_RETRIES: u32 = 40;

    /// The distribution for attempts that fail with probability `p`. Nothing for
    /// decorrelated jitter, for more than [`Latency::MOST_RETRIES`], or with a
    /// deadline.
    #[must_use]
    pub fn new(plan: &Plan, p: f64) -> Option<Self> {
        if plan.spread == Spread::Decorrelated
            || plan.retries() > Self::MOST_RETRIES
            || plan.deadline_ms.is_some()
        {
            return None;
        }
        let windows = plan.windows();
        let mut weight = 1.0;
        let mut parts = Vec::new();
        for count in 1..=windows.len() {
            weight *= p;
            let last = count == windows.len();
            let share = if last { weight } else { weight * (1.0 - p) };
            if share > 0.0 {
                parts.push((share, Sum::new(&windows[..count])));
            }
        }
        Some(Self {
            none: if windows.is_empty() { 1.0 } else { 1.0 - p },
            parts,
        })
    }

    /// The probability that at most this is added, in ms.
    #[must_use]
    pub fn cdf(&self, ms: f64) -> f64 {
        if ms.is_nan() || ms < 0.0 {
            return 0.0;
        }
        let parts: f64 = self
            .parts
            .iter()
            .map(|(share, sum)| share * sum.cdf(ms))
            .sum();
        (self.none + parts).min(1.0)
    }

    /// The most that can be added, in ms.
    #[must_use]
    pub fn high_ms(&self) -> f64 {
        self.parts.last().map_or(0.0, |(_, sum)| sum.high_ms())
    }

    /// The least time that is not exceeded with at least this probability, in ms.
    #[must_use]
    pub fn quantile_ms(&self, probability: f64) -> f64 {
        if probability.is_nan() || probability <= self.none {
            return 0.0;
        }
        let high = self.high_ms();
        if probability >= 1.0 {
            return high;
        }
        // The shares may add up to a bit less than 1; the most is never exceeded.
        let ms = invert(|ms| self.cdf(ms), probability, 0.0, high);
        // A step is met from above, to within the last halving.
        self.parts
            .iter()
            .filter_map(|(_, sum)| sum.point_ms())
            .find(|point| (ms - point).abs() <= 1e-9 * high)
            .unwrap_or(ms)
    }
}
