//! The retry quota of the AWS SDKs, 2026.

use super::{BudgetError, Call, Failure, Outcome, ranged};
use crate::Ms;

/// The retry quota that the AWS SDKs' standard mode uses under
/// `AWS_NEW_RETRIES_2026`: 500 tokens, 14 for a retry, 5 for a retry after
/// throttling. A retry that succeeds gives back what it cost, a first try that
/// succeeds gives 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AwsBucket {
    cost: u32,
    throttled_cost: u32,
    tokens: u32,
}

impl AwsBucket {
    /// The nominal first wait that goes with it, in ms.
    pub const BASE_MS: Ms = 50;
    /// The same after throttling, in ms.
    pub const THROTTLED_BASE_MS: Ms = 1000;
    /// The cap that goes with it, in ms.
    pub const CAP_MS: Ms = 20_000;
    /// The attempts that go with it.
    pub const ATTEMPTS: u32 = 3;
    /// The tokens at the start, and the most there are.
    pub const CAPACITY: u32 = 500;
    /// What a first try that succeeds gives back.
    const FIRST_TRY: u32 = 1;

    /// As of 2026.
    pub const NEW: Self = Self {
        cost: 14,
        throttled_cost: 5,
        tokens: Self::CAPACITY,
    };

    /// Before 2026, after a failure that was not a time-out: 5 for any retry.
    /// (Time-outs cost 10 then; this model does not tell them apart.)
    pub const OLD: Self = Self {
        cost: 5,
        throttled_cost: 5,
        tokens: Self::CAPACITY,
    };

    /// The tokens left.
    #[must_use]
    pub const fn tokens(&self) -> u32 {
        self.tokens
    }

    const fn cost(&self, failure: Failure) -> u32 {
        match failure {
            Failure::Transient => self.cost,
            Failure::Throttled => self.throttled_cost,
        }
    }

    #[cfg(test)]
    pub(super) fn tokens_for_test(&mut self, tokens: u32) {
        self.tokens = tokens;
    }

    pub(super) fn ask(&mut self, call: Call) -> bool {
        match call {
            Call::First => true,
            Call::Retry(failure) => match self.tokens.checked_sub(self.cost(failure)) {
                Some(left) => {
                    self.tokens = left;
                    true
                }
                None => false,
            },
        }
    }

    pub(super) fn settle(&mut self, call: Call, outcome: Outcome) {
        if outcome == Outcome::Success {
            let back = match call {
                Call::First => Self::FIRST_TRY,
                Call::Retry(failure) => self.cost(failure),
            };
            self.tokens = (self.tokens + back).min(Self::CAPACITY);
        }
    }
}

/// How long the AWS SDKs wait, from 2026 on, when they would wait `backoff_ms` of
/// themselves and the service asks for `asked_ms` (`x-amz-retry-after`): what it asks
/// for, held to \[backoff, backoff + 5 s\].
#[must_use]
pub const fn held_wait_ms(backoff_ms: Ms, asked_ms: Ms) -> Ms {
    let most_ms = backoff_ms.saturating_add(5000);
    if asked_ms < backoff_ms {
        backoff_ms
    } else if asked_ms > most_ms {
        most_ms
    } else {
        asked_ms
    }
}

/// The share of failing calls above which the quota drains, with up to three
/// attempts at `cost` tokens a retry: the root of
/// (1−p) − c·p²(1−p) − 2c·p³ = 0, whose left side is what an operation adds to the
/// bucket on average. One that succeeds at once adds 1; at its second attempt 0,
/// for the refund; at its third −c; one that fails three times −2c.
///
/// # Errors
/// [`BudgetError`] unless the cost is above 0 and at most 1 000 000.
pub fn drain_share(cost: f64) -> Result<f64, BudgetError> {
    let c = ranged("the cost", cost, f64::MIN_POSITIVE, 1e6)?;
    let flow = |p: f64| (1.0 - p) - c * p * p * (1.0 - p) - 2.0 * c * p * p * p;
    // 1 at p = 0, −2c at p = 1, and falling all the way: one root. After 60 halvings
    // the interval is the last bit of an f64.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if flow(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    Ok(f64::midpoint(low, high))
}
