//! Envoy's retry budget: a share of what is in flight.

use super::{BudgetError, Call, ranged};

/// Retries in flight may be a share of all requests in flight, and a few in any
/// case. Envoy's defaults: 20 %, at least 3.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvoyBudget {
    /// In hundredths of a percent.
    share: u64,
    least: u64,
    active: u64,
    retries: u64,
}

impl EnvoyBudget {
    /// Envoy's defaults: `budget_percent` 20, `min_retry_concurrency` 3.
    pub const DEFAULT: Self = Self {
        share: 2000,
        least: 3,
        active: 0,
        retries: 0,
    };

    /// A budget of `percent` of the requests in flight, at least `least`.
    ///
    /// # Errors
    /// [`BudgetError`] unless the percentage is 0 to 100.
    pub fn new(percent: f64, least: u32) -> Result<Self, BudgetError> {
        ranged("the percentage", percent, 0.0, 100.0)?;
        Ok(Self {
            share: (percent * 100.0 + 1e-9) as u64,
            least: u64::from(least),
            ..Self::DEFAULT
        })
    }

    /// How many retries may be in flight beside `active` requests: the share,
    /// rounded down, and never fewer than the floor.
    #[must_use]
    pub const fn allowed(&self, active: u64) -> u64 {
        let share = (active as u128 * self.share as u128 / 10_000) as u64;
        if share > self.least {
            share
        } else {
            self.least
        }
    }

    pub(super) fn ask(&mut self, call: Call) -> bool {
        if let Call::Retry(_) = call {
            if self.retries >= self.allowed(self.active) {
                return false;
            }
            self.retries += 1;
        }
        self.active += 1;
        true
    }

    pub(super) fn settle(&mut self, call: Call) {
        self.active = self.active.saturating_sub(1);
        if let Call::Retry(_) = call {
            self.retries = self.retries.saturating_sub(1);
        }
    }
}
