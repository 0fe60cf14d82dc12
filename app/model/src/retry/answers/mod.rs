//! The calculator: what a plan comes to in figures.

mod latency;
mod sample;
mod schedule;
mod series;
mod spike;
mod subsets;
mod sum;
#[cfg(test)]
mod tests;

pub use latency::Latency;
pub use sample::Sample;
pub use schedule::{Fits, Slot, schedule};
pub use spike::{Pile, piles, stays_on_cap};
pub use sum::Sum;

use super::plan::{Plan, Spread};

/// How a figure was come by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Basis {
    /// From a formula; what is shown of it is right to the last digit.
    Exact,
    /// From a formula in which small windows had to be merged.
    Within {
        /// What it may be off by, in its own unit.
        most: f64,
    },
    /// From a seeded sample.
    Sampled {
        /// Its standard error, in its own unit.
        standard_error: f64,
    },
}

/// A figure, and how far it can be trusted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// The value.
    pub value: f64,
    /// How it was come by.
    pub basis: Basis,
}

impl Figure {
    /// One from a formula.
    #[must_use]
    pub const fn exact(value: f64) -> Self {
        Self {
            value,
            basis: Basis::Exact,
        }
    }

    /// Whether it is from a formula, to the last digit.
    #[must_use]
    pub const fn is_exact(self) -> bool {
        matches!(self.basis, Basis::Exact)
    }
}

/// The answers of the calculator. p is the probability that one attempt fails, each
/// independently of the others; times are in ms.
///
/// With a deadline, every failed attempt is taken to have run into its time-out:
/// that is the slowest way to fail, and the one in which a deadline matters.
#[derive(Clone, Debug)]
pub struct Answers {
    /// The probability that one of the attempts succeeds: 1 − pⁿ.
    pub success: Figure,
    /// How many attempts are made on average: (1 − pⁿ)/(1 − p), n at p = 1.
    pub expected_attempts: Figure,
    /// How long is waited between attempts on average: Σ p^k·E\[wait k\].
    pub expected_wait: Figure,
    /// The longest that can be waited between attempts.
    pub worst_wait: Figure,
    /// The longest from the first attempt's start to the last one's time-out.
    pub worst_total: Figure,
    /// What the waits together come to **when every attempt fails**, in half of the
    /// cases at most.
    pub wait_p50: Figure,
    /// The same, in 90 of 100 cases.
    pub wait_p90: Figure,
    /// The same, in 95 of 100 cases.
    pub wait_p95: Figure,
    /// The same, in 99 of 100 cases.
    pub wait_p99: Figure,
    /// By attempt, the probability that it starts before the deadline if all before it
    /// fail.
    pub reach: Vec<Figure>,
    /// The distribution of the waits together when every attempt fails, where it
    /// has a closed form; the deadline is not in it.
    pub sum: Option<Sum>,
    /// What is added to the latency of all operations, where there is a closed form.
    pub latency: Option<Latency>,
    /// Drawn operations, whether needed for the figures or only to lay over them.
    pub sample: Sample,
}

impl Answers {
    /// Works a plan out. `p` outside of 0 to 1 counts as the nearer end (the form
    /// refuses it before), `seed` is that of the sample.
    #[must_use]
    pub fn of(plan: &Plan, p: f64, seed: u64) -> Self {
        let p = if p.is_nan() { 0.0 } else { p.clamp(0.0, 1.0) };
        let sample = Sample::draw(plan, p, seed);
        let sum = (plan.spread != Spread::Decorrelated).then(|| Sum::new(&plan.windows()));
        let (worst_wait, worst_total) = schedule::worst_ms(plan);
        let cut = schedule(plan).iter().any(|slot| slot.fits != Fits::Always);
        let quantile = |probability: f64| match &sum {
            // Without jitter every draw is the same, the deadline included.
            _ if plan.spread == Spread::None => Figure::exact(sample.quantile(probability).value),
            Some(sum) if !cut => Figure {
                value: sum.quantile_ms(probability),
                basis: if sum.within_ms() > 0.0 {
                    Basis::Within {
                        most: sum.within_ms(),
                    }
                } else {
                    Basis::Exact
                },
            },
            _ => sample.quantile(probability),
        };
        let reach = reach(plan, cut);
        Self {
            success: match &reach {
                Some(reach) => Figure::exact(success(reach, p)),
                None => sample.success(),
            },
            expected_attempts: match &reach {
                Some(reach) => Figure::exact(attempts(reach, p)),
                None => sample.attempts(),
            },
            expected_wait: match expected_wait(plan, p) {
                _ if plan.spread == Spread::None => Figure::exact(sample.wait().value),
                Some(wait) if !cut => Figure::exact(wait),
                _ => sample.wait(),
            },
            worst_wait: Figure::exact(worst_wait),
            worst_total: Figure::exact(worst_total),
            wait_p50: quantile(0.5),
            wait_p90: quantile(0.9),
            wait_p95: quantile(0.95),
            wait_p99: quantile(0.99),
            latency: Latency::new(plan, p),
            reach: match reach {
                Some(reach) => reach.into_iter().map(Figure::exact).collect(),
                None => (0..plan.attempts)
                    .map(|retry| sample.reach(retry))
                    .collect(),
            },
            sum,
            sample,
        }
    }
}

/// By attempt, the probability that it starts before the deadline if all before it
/// failed. Nothing where that has no closed form.
fn reach(plan: &Plan, cut: bool) -> Option<Vec<f64>> {
    let attempts = plan.attempts as usize;
    let Some(deadline) = plan.deadline_ms.filter(|_| cut) else {
        return Some(vec![1.0; attempts]);
    };
    // Each attempt takes a distribution of its own.
    if plan.spread == Spread::Decorrelated || plan.retries() > Latency::MOST_RETRIES {
        return None;
    }
    let windows = plan.windows();
    let chance = |retries: usize| {
        let left = deadline as f64 - retries as f64 * plan.timeout_ms as f64;
        Sum::new(&windows[..retries]).cdf(left)
    };
    Some(
        (0..attempts)
            .map(|index| if index == 0 { 1.0 } else { chance(index) })
            .collect(),
    )
}

/// (1−p)·Σ p^(k−1)·(chance that attempt k is made), which is 1 − pⁿ where all are.
fn success(reach: &[f64], p: f64) -> f64 {
    let mut all_failed = 1.0;
    let mut success = 0.0;
    for chance in reach {
        success += all_failed * (1.0 - p) * chance;
        all_failed *= p;
    }
    if reach.iter().all(|chance| *chance == 1.0) {
        // To the last bit; the sum above is off by some.
        1.0 - all_failed
    } else {
        success
    }
}

/// Σ p^(k−1)·(chance that attempt k is made)
fn attempts(reach: &[f64], p: f64) -> f64 {
    let mut all_failed = 1.0;
    let mut attempts = 0.0;
    for chance in reach {
        attempts += all_failed * chance;
        all_failed *= p;
    }
    attempts
}

/// Σ p^k·w_k·c, where every wait has a mean in closed form.
fn expected_wait(plan: &Plan, p: f64) -> Option<f64> {
    let means: Vec<f64> = match plan.spread.mean() {
        Some(part) => plan.nominals_ms().iter().map(|wait| part * wait).collect(),
        None => {
            let means = spike::uncapped_means(plan);
            if means.len() < plan.retries() as usize {
                return None;
            }
            means
        }
    };
    let mut chance = 1.0;
    let mut wait = 0.0;
    for mean in means {
        chance *= p;
        wait += chance * mean;
    }
    Some(wait)
}
