//! A bucket of tokens that successes fill.

use super::{BudgetError, Call, Outcome, ranged};

/// Thousandths of a token.
const TOKEN: u64 = 1000;

/// A retry takes a token, a success puts a part of one back. Full at the start,
/// so that a few failures are retried at any traffic; in a long outage retries
/// stop, and `per_success` is the most that they add to the load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenBucket {
    most: u64,
    per_success: u64,
    tokens: u64,
}

impl TokenBucket {
    /// A full bucket of `most` tokens that gets `per_success` back for each
    /// success (cut to three decimals).
    ///
    /// # Errors
    /// [`BudgetError`] unless `most` is 1 to 1 000 000 and `per_success` 0 to 1000.
    pub fn new(most: u32, per_success: f64) -> Result<Self, BudgetError> {
        ranged("the size of the bucket", f64::from(most), 1.0, 1e6)?;
        ranged("what a success puts back", per_success, 0.0, 1000.0)?;
        let most = u64::from(most) * TOKEN;
        Ok(Self {
            most,
            per_success: super::grpc::thousandths(per_success),
            tokens: most,
        })
    }

    /// Ten tokens, a tenth back for a success: retries add 10 % at most.
    #[must_use]
    pub const fn ten_percent() -> Self {
        Self {
            most: 10 * TOKEN,
            per_success: TOKEN / 10,
            tokens: 10 * TOKEN,
        }
    }

    /// The tokens in it, in thousandths.
    #[must_use]
    pub const fn thousandths(&self) -> u64 {
        self.tokens
    }

    pub(super) fn ask(&mut self, call: Call) -> bool {
        match call {
            Call::First => true,
            Call::Retry(_) => match self.tokens.checked_sub(TOKEN) {
                Some(left) => {
                    self.tokens = left;
                    true
                }
                None => false,
            },
        }
    }

    pub(super) fn settle(&mut self, outcome: Outcome) {
        if outcome == Outcome::Success {
            self.tokens = (self.tokens + self.per_success).min(self.most);
        }
    }
}
