//! gRPC's retry throttling.

use super::{BudgetError, Call, Outcome, ranged};

const TOKEN: u64 = 1000;

/// Cut (not rounded) to three decimals, as gRPC does: .5466 is .546.
pub(super) fn thousandths(number: f64) -> u64 {
    // .29 · 1000 is 289.99… in binary; what was typed counts.
    (number * TOKEN as f64 + 1e-9) as u64
}

/// Retry throttling of gRPC (proposal A6): a failure that would be retried takes
/// a token, a success puts `ratio` back, and there are retries only while more
/// than half of the tokens are left. A retry itself costs nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrpcThrottle {
    most: u64,
    ratio: u64,
    tokens: u64,
}

impl GrpcThrottle {
    /// The most attempts that gRPC makes unless its client raises that: a higher
    /// `maxAttempts` counts as this.
    pub const MOST_ATTEMPTS: u32 = 5;

    /// A throttle with `maxTokens` and `tokenRatio`; the ratio is cut to three
    /// decimals.
    ///
    /// # Errors
    /// [`BudgetError`] unless `max_tokens` is 1 to 1000 and the ratio, cut, is
    /// above 0 (and at most 1000).
    pub fn new(max_tokens: u32, ratio: f64) -> Result<Self, BudgetError> {
        ranged("maxTokens", f64::from(max_tokens), 1.0, 1000.0)?;
        ranged("tokenRatio", ratio, 0.001, 1000.0)?;
        let most = u64::from(max_tokens) * TOKEN;
        Ok(Self {
            most,
            ratio: thousandths(ratio),
            tokens: most,
        })
    }

    /// The example of the proposal: 10 tokens, ratio .1.
    #[must_use]
    pub const fn example() -> Self {
        Self {
            most: 10 * TOKEN,
            ratio: TOKEN / 10,
            tokens: 10 * TOKEN,
        }
    }

    /// How many attempts are made of a configured `maxAttempts`, which counts the
    /// first call.
    #[must_use]
    pub const fn attempts(max_attempts: u32) -> u32 {
        if max_attempts > Self::MOST_ATTEMPTS {
            Self::MOST_ATTEMPTS
        } else {
            max_attempts
        }
    }

    /// The tokens left, in thousandths.
    #[must_use]
    pub const fn thousandths(&self) -> u64 {
        self.tokens
    }

    /// What a success puts back, in thousandths.
    #[must_use]
    pub const fn ratio_thousandths(&self) -> u64 {
        self.ratio
    }

    pub(super) fn ask(&self, call: Call) -> bool {
        call == Call::First || self.tokens > self.most / 2
    }

    pub(super) fn settle(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Success => self.tokens = (self.tokens + self.ratio).min(self.most),
            Outcome::Failed(_) => self.tokens = self.tokens.saturating_sub(TOKEN),
            Outcome::Final => {}
        }
    }
}
