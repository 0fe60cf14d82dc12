//! What lost replies cost a shop that retries without a key.

/// How many seconds a day has.
pub const DAY_S: f64 = 86_400.0;

/// The opening's three numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stakes {
    /// Payments a second.
    pub payments_per_s: f64,
    /// One call in how many has its reply lost after the card was charged.
    pub one_lost_in: f64,
    /// What one payment is worth, in minor units.
    pub amount: f64,
}

impl Default for Stakes {
    /// 100 payments a second of $40, one reply lost in 1,000.
    fn default() -> Self {
        Self {
            payments_per_s: 100.0,
            one_lost_in: 1000.0,
            amount: 4000.0,
        }
    }
}

impl Stakes {
    /// Double charges a second: each lost reply is retried, each such retry charges again.
    #[must_use]
    pub fn doubles_per_s(&self) -> f64 {
        self.payments_per_s / self.one_lost_in
    }

    /// Double charges a day.
    #[must_use]
    pub fn doubles_per_day(&self) -> f64 {
        self.payments_per_s * DAY_S / self.one_lost_in
    }

    /// What is to be handed back a day, in minor units.
    #[must_use]
    pub fn refund_per_day(&self) -> f64 {
        self.doubles_per_day() * self.amount
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_opening_figures() {
        let stakes = Stakes::default();
        assert_eq!(stakes.doubles_per_s(), 0.1);
        assert_eq!(stakes.doubles_per_day(), 8640.0);
        assert_eq!(stakes.refund_per_day(), 34_560_000.0);
    }
}
