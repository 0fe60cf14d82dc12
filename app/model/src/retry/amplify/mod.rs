//! Retries on several layers: they multiply.

mod count;
mod form;
#[cfg(test)]
mod tests;
mod working;

pub use count::Count;
pub use form::{AmplifyField, AmplifyForm, AmplifyProblem, Guess, grade, guess};
pub use working::{Step, working};

use crate::Ms;

/// A stack of callers over a service at the bottom. The first layer is the one next
/// to the user.
#[derive(Clone, Debug, PartialEq)]
pub struct Stack {
    /// How many attempts each layer makes, the first call included.
    pub layers: Vec<u32>,
    /// The probability that a call to the service at the bottom fails, each
    /// independently of the others.
    pub p: f64,
    /// User requests a second.
    pub rps: u64,
    /// The share of its first calls that a layer may retry, where there is a budget.
    pub budget: Option<f64>,
    /// Until when, from the user's request on, calls may start, in ms; handed down
    /// through all layers.
    pub deadline_ms: Option<Ms>,
    /// How long a failing call to the bottom takes, in ms.
    pub timeout_ms: Ms,
}

/// What arrives at one level of a stack for one user request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// Which layer calls it; 1 is next to the user. 0 is the user's own request.
    pub layer: u32,
    /// How many attempts that layer makes for each call that it gets itself.
    pub attempts: u32,
    /// The most calls.
    pub worst: Count,
    /// The mean number of calls.
    pub expected: Count,
    /// The probability that a call at this level fails, with all attempts of the
    /// layers below.
    pub fails: f64,
}

impl Stack {
    /// The most layers.
    pub const MOST_LAYERS: usize = 8;
    /// The most attempts of a layer.
    pub const MOST_ATTEMPTS: u32 = 1000;
    /// The most user requests a second.
    pub const MOST_RPS: u64 = 1_000_000_000;

    /// What the page opens on: three layers of three, all failing, 1000 a second.
    #[must_use]
    pub fn start() -> Self {
        Self {
            layers: vec![3, 3, 3],
            p: 1.0,
            rps: 1000,
            budget: None,
            deadline_ms: None,
            timeout_ms: 500,
        }
    }

    /// The most calls that one user request can make at the bottom: the product of
    /// the attempts. Exact: 1000⁸ is far below 2¹²⁸.
    #[must_use]
    pub fn worst_calls(&self) -> u128 {
        self.layers
            .iter()
            .map(|attempts| u128::from(*attempts))
            .fold(1, u128::saturating_mul)
    }

    /// The mean number of calls that one user request makes at the bottom.
    ///
    /// Layer by layer, from the bottom up: a layer whose callee fails with f makes
    /// Σ f^k for k = 0 … a−1 calls on average and fails itself with f^a, since it
    /// sees a failure only when every attempt below it failed. The means multiply,
    /// each attempt of a layer being like any other (Wald's equation). It comes to
    /// (1 − p^N)/(1 − p) for N = [`Stack::worst_calls`]: one success anywhere ends
    /// the whole, as if a single client made N attempts.
    #[must_use]
    pub fn expected_calls(&self) -> Count {
        self.levels()
            .last()
            .map_or(Count::Exact(1), |level| level.expected)
    }

    /// The most calls a second at the bottom.
    #[must_use]
    pub fn worst_rps(&self) -> u128 {
        self.worst_calls().saturating_mul(u128::from(self.rps))
    }

    /// The mean number of calls a second at the bottom.
    #[must_use]
    pub fn expected_rps(&self) -> Count {
        self.expected_calls().times(self.rps)
    }

    /// The probability that the user's request succeeds: 1 − p^N.
    #[must_use]
    pub fn success(&self) -> f64 {
        1.0 - self.levels().first().map_or(self.p, |level| level.fails)
    }

    /// The tree of calls, level by level, from the user's request on.
    #[must_use]
    pub fn levels(&self) -> Vec<Level> {
        // fails[i]: how often a call fails that layer i makes; the last is the service.
        let mut fails = vec![self.p];
        for attempts in self.layers.iter().rev() {
            let below = fails.last().copied().unwrap_or(self.p);
            fails.push(power(below, *attempts));
        }
        let mut worst = 1_u128;
        let mut expected = Count::Exact(1);
        let mut levels = vec![Level {
            layer: 0,
            attempts: 1,
            worst: Count::Exact(1),
            expected,
            fails: fails.last().copied().unwrap_or(self.p),
        }];
        for ((layer, attempts), below) in (1..).zip(&self.layers).zip(fails.iter().rev().skip(1)) {
            worst = worst.saturating_mul(u128::from(*attempts));
            // When every call fails each attempt is made: whole numbers stay whole.
            expected = if *below >= 1.0 {
                expected.times(u64::from(*attempts))
            } else {
                expected.scaled(powers(*below, *attempts))
            };
            levels.push(Level {
                layer,
                attempts: *attempts,
                worst: Count::Exact(worst),
                expected,
                fails: *below,
            });
        }
        levels
    }

    /// The same stack with the retries of one layer only (0 is the first); the
    /// others call once.
    #[must_use]
    pub fn only(&self, layer: usize) -> Self {
        let layers = (0..)
            .zip(&self.layers)
            .map(|(index, attempts)| if index == layer { *attempts } else { 1 })
            .collect();
        Self {
            layers,
            ..self.clone()
        }
    }

    /// The most calls at the bottom for one user request, on average over many, with
    /// a budget of `share` on every layer: each then adds at most that share, so at
    /// most Π min(a, 1 + share). 10 % on one layer is 1.1, on three 1.331.
    #[must_use]
    pub fn worst_with_budget(&self, share: f64) -> f64 {
        self.layers
            .iter()
            .map(|attempts| f64::from(*attempts).min(1.0 + share.max(0.0)))
            .product()
    }

    /// The most calls at the bottom for one user request when a deadline is handed
    /// down: failing calls follow one another, so one starts every `timeout_ms`, the
    /// last no later than the deadline. Waits between attempts would only lower it.
    #[must_use]
    pub fn worst_with_deadline(&self, deadline_ms: Ms) -> u128 {
        let fit = u128::from(deadline_ms / self.timeout_ms.max(1)) + 1;
        self.worst_calls().min(fit)
    }
}

/// base^exponent by repeated products, the same to the last bit everywhere.
fn power(base: f64, exponent: u32) -> f64 {
    (0..exponent).fold(1.0, |product, _| product * base)
}

/// Σ base^k for k from 0 to count − 1.
fn powers(base: f64, count: u32) -> f64 {
    let mut term = 1.0;
    let mut sum = 0.0;
    for _ in 0..count {
        sum += term;
        term *= base;
    }
    sum
}
