//! Attempts, backoff, jitter, time-out.

use crate::Ms;
use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

/// How a wait is drawn from its ceiling.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Jitter {
    /// Always the ceiling.
    None,
    /// Evenly from 0 to the ceiling.
    #[default]
    Full,
    /// Half of the ceiling, and evenly from 0 to the other half.
    Equal,
}

/// A retry policy.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Policy {
    /// Attempts in all; the first call is one of them.
    pub attempts: u32,
    /// The ceiling of the first wait, in ms.
    pub base_ms: Ms,
    /// By what the ceiling grows from wait to wait.
    pub factor: f64,
    /// What no ceiling exceeds, in ms.
    pub cap_ms: Ms,
    /// How a wait is drawn.
    pub jitter: Jitter,
    /// How long one attempt waits for its reply, in ms.
    pub timeout_ms: Ms,
}

/// Why a policy cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum PolicyError {
    /// Not even the first call is made.
    #[error("at least 1 attempt is needed: the first call counts")]
    NoAttempts,
    /// More than anybody should make.
    #[error("at most {most} attempts, not {0}", most = Policy::MOST_ATTEMPTS)]
    TooManyAttempts(u32),
    /// The waits would shrink, or be no number at all.
    #[error("the factor has to be a number of 1 or more, not {0}")]
    BadFactor(f64),
    /// The first wait is already over the cap.
    #[error("the first wait of {base_ms} ms is over the cap of {cap_ms} ms")]
    BaseOverCap {
        /// The first ceiling.
        base_ms: Ms,
        /// The cap.
        cap_ms: Ms,
    },
    /// Longer than a timer can run (2³¹−1 ms).
    #[error("{0} ms is longer than a timer can run")]
    TooLong(Ms),
    /// No time to answer in.
    #[error("a time-out of 0 ms lets nothing answer")]
    NoTime,
}

impl Policy {
    /// The most attempts that a policy may make.
    pub const MOST_ATTEMPTS: u32 = 100;
    /// The longest that a browser's timer can run, in ms.
    pub const LONGEST_TIMER: Ms = 2_147_483_647;

    /// The policy of the lesson: 4 attempts, 100 ms doubling up to 2 s, full
    /// jitter, a time-out of 2 s.
    pub const LESSON: Self = Self {
        attempts: 4,
        base_ms: 100,
        factor: 2.0,
        cap_ms: 2000,
        jitter: Jitter::Full,
        timeout_ms: 2000,
    };

    /// Looks the policy over.
    ///
    /// # Errors
    /// [`PolicyError`] names the first thing that is wrong with it.
    pub fn check(&self) -> Result<(), PolicyError> {
        if self.attempts == 0 {
            return Err(PolicyError::NoAttempts);
        }
        if self.attempts > Self::MOST_ATTEMPTS {
            return Err(PolicyError::TooManyAttempts(self.attempts));
        }
        if !self.factor.is_finite() || self.factor < 1.0 {
            return Err(PolicyError::BadFactor(self.factor));
        }
        if self.base_ms > self.cap_ms {
            return Err(PolicyError::BaseOverCap {
                base_ms: self.base_ms,
                cap_ms: self.cap_ms,
            });
        }
        if self.timeout_ms == 0 {
            return Err(PolicyError::NoTime);
        }
        match [self.cap_ms, self.timeout_ms]
            .into_iter()
            .find(|ms| *ms > Self::LONGEST_TIMER)
        {
            Some(ms) => Err(PolicyError::TooLong(ms)),
            None => Ok(()),
        }
    }

    /// The ceiling of the wait before retry number `retry` (1 is the first), in
    /// ms: min(cap, base·factor^(retry−1)), and the cap where that overflows.
    #[must_use]
    pub fn ceiling_ms(&self, retry: u32) -> Ms {
        let power = i32::try_from(retry.saturating_sub(1)).unwrap_or(i32::MAX);
        // `powi` is not the same to the last bit everywhere; repeated products are.
        let mut ceiling = self.base_ms as f64;
        for _ in 0..power {
            ceiling *= self.factor;
            // NaN is 0·∞: a base of nothing stays nothing.
            if ceiling >= self.cap_ms as f64 || ceiling == 0.0 || ceiling.is_nan() {
                break;
            }
        }
        if ceiling.is_nan() {
            return 0;
        }
        ceiling.min(self.cap_ms as f64) as Ms
    }

    /// Draws the wait before retry number `retry`, in ms.
    pub fn wait_ms(&self, retry: u32, random: &mut impl Rng) -> Ms {
        let ceiling = self.ceiling_ms(retry);
        match self.jitter {
            Jitter::None => ceiling,
            Jitter::Full => random.random_range(0..=ceiling),
            Jitter::Equal => {
                let half = ceiling / 2;
                half + random.random_range(0..=ceiling - half)
            }
        }
    }

    /// The most that all waits together can be, in ms.
    #[must_use]
    pub fn worst_wait_ms(&self) -> Ms {
        (1..self.attempts)
            .map(|retry| self.ceiling_ms(retry))
            .fold(0, Ms::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand::rngs::Xoshiro256PlusPlus;

    #[test]
    fn the_lesson_adds_at_most_700_ms_of_waiting() {
        let ceilings: Vec<_> = (1..4).map(|k| Policy::LESSON.ceiling_ms(k)).collect();
        assert_eq!(ceilings, [100, 200, 400]);
        assert_eq!(Policy::LESSON.worst_wait_ms(), 700);
    }

    #[test]
    fn growth_never_leaves_the_cap() {
        let policy = Policy {
            cap_ms: 20_000,
            ..Policy::LESSON
        };
        for retry in [9, 64, 100, 1025, u32::MAX] {
            assert_eq!(policy.ceiling_ms(retry), 20_000);
        }
        let nothing = Policy {
            base_ms: 0,
            factor: f64::MAX,
            ..policy
        };
        assert_eq!(nothing.ceiling_ms(1025), 0);
    }

    #[test]
    fn a_bad_policy_is_refused_with_a_reason() {
        let bad = |change: fn(&mut Policy)| {
            let mut policy = Policy::LESSON;
            change(&mut policy);
            policy.check().unwrap_err()
        };
        assert_eq!(bad(|p| p.attempts = 0), PolicyError::NoAttempts);
        assert_eq!(bad(|p| p.attempts = 101), PolicyError::TooManyAttempts(101));
        for factor in [0.0, 0.5, -2.0, f64::NAN, f64::INFINITY] {
            let policy = Policy {
                factor,
                ..Policy::LESSON
            };
            assert!(matches!(policy.check(), Err(PolicyError::BadFactor(_))));
        }
        assert_eq!(
            bad(|p| p.cap_ms = 99),
            PolicyError::BaseOverCap {
                base_ms: 100,
                cap_ms: 99
            }
        );
        assert_eq!(bad(|p| p.timeout_ms = 0), PolicyError::NoTime);
        assert_eq!(
            bad(|p| p.timeout_ms = 1 << 31),
            PolicyError::TooLong(1 << 31)
        );
        assert_eq!(Policy::LESSON.check(), Ok(()));
    }

    proptest! {
        #[test]
        fn a_wait_lies_in_its_window(seed: u64, retry in 1_u32..40, base in 0_u64..5000, more in 0_u64..100_000) {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
            for jitter in [Jitter::None, Jitter::Full, Jitter::Equal] {
                let policy = Policy { base_ms: base, cap_ms: base + more, jitter, ..Policy::LESSON };
                let (ceiling, wait) = (policy.ceiling_ms(retry), policy.wait_ms(retry, &mut random));
                prop_assert!(wait <= ceiling);
                match jitter {
                    Jitter::None => prop_assert_eq!(wait, ceiling),
                    Jitter::Equal => prop_assert!(wait >= ceiling / 2),
                    Jitter::Full => {}
                }
            }
        }
    }
}
