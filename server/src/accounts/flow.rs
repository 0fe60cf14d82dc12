//! How fast one sandbox may send.

use std::num::NonZeroU32;

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::id::AccountId;

/// A full bucket holds this many seconds' worth of requests.
const BURST_S: u32 = 10;

/// A token bucket for each sandbox.
#[derive(Debug)]
pub struct Flow {
    buckets: DefaultKeyedRateLimiter<AccountId>,
    clock: DefaultClock,
}

impl Flow {
    /// So many requests a second, ten times as many at once.
    #[must_use]
    pub fn new(a_second: NonZeroU32) -> Self {
        let burst = a_second.saturating_mul(NonZeroU32::MIN.saturating_add(BURST_S - 1));
        Self {
            buckets: RateLimiter::keyed(Quota::per_second(a_second).allow_burst(burst)),
            clock: DefaultClock::default(),
        }
    }

    /// Takes a token, or says when to come back, in seconds.
    #[must_use]
    pub fn over(&self, account: &AccountId) -> Option<u32> {
        let not_until = self.buckets.check_key(account).err()?;
        let wait = not_until.wait_time_from(self.clock.now());
        Some(
            u32::try_from(wait.as_secs())
                .unwrap_or(60)
                .saturating_add(1),
        )
    }

    /// Forgets the buckets that are full again.
    pub fn tidy(&self) {
        self.buckets.retain_recent();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_runs_dry_and_belongs_to_one_sandbox() {
        let flow = Flow::new(NonZeroU32::MIN);
        let (one, two) = (AccountId::random(), AccountId::random());
        for _ in 0..BURST_S {
            assert_eq!(flow.over(&one), None);
        }
        assert!(matches!(flow.over(&one), Some(1 | 2)));
        assert_eq!(flow.over(&two), None);
    }
}
