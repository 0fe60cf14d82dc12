//! The whole of a retry policy, as the studio, the simulations and the exported
//! code read it.
//!
//! [`Policy`] is the part that the lesson's own client needs and is
//! kept small for it; every such policy is a [`Plan`] too.

mod after;
#[cfg(test)]
pub(crate) mod any;
mod check;
mod draw;
mod run;
#[cfg(test)]
mod tests;

pub use after::{RetryAfter, retry_after_ms};
pub(crate) use check::ranged;
pub use check::{Bound, Field, Problem, Why};
pub use draw::Waits;
pub use run::{Halt, Runner, Step};

use super::{Jitter, Policy};
use crate::Ms;

/// How a wait is drawn, and how it meets the cap.
///
/// w is the nominal wait, base·factor^(retry−1), and never more than the cap.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Spread {
    /// w itself. The cap holds.
    None,
    /// Evenly from 0 to w. Drawn below the capped w, so the cap holds and the wait
    /// is still random there.
    #[default]
    Full,
    /// w/2, and evenly from 0 to the other half. The cap holds, as above.
    Equal,
    /// min(cap, U(base, 3·previous)), where the first previous wait is the base.
    /// Drawn first and cut to the cap afterwards, so waits pile up on the cap. The
    /// factor is not used.
    Decorrelated,
    /// w·U(1−share, 1+share), share from 0 to 1. Drawn around the capped w, so a
    /// wait may be up to `share` above the cap, as gRPC does it.
    Share(f64),
}

impl Spread {
    /// The mean wait as a part of w, where there is such a part: 1, ½, ¾, none for
    /// decorrelated, 1.
    #[must_use]
    pub const fn mean(self) -> Option<f64> {
        match self {
            Self::None | Self::Share(_) => Some(1.0),
            Self::Full => Some(0.5),
            Self::Equal => Some(0.75),
            Self::Decorrelated => None,
        }
    }

    /// The word for it in addresses and lists.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Full => "full",
            Self::Equal => "equal",
            Self::Decorrelated => "decorrelated",
            Self::Share(_) => "share",
        }
    }
}

/// A retry policy in full.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// Attempts in all; the first call is one of them.
    pub attempts: u32,
    /// The nominal first wait, in ms.
    pub base_ms: Ms,
    /// By what the nominal wait grows from retry to retry.
    pub factor: f64,
    /// What no nominal wait exceeds, in ms; [`Spread`] says how jitter meets it.
    pub cap_ms: Ms,
    /// How a wait is drawn.
    pub spread: Spread,
    /// How long one attempt waits for its reply, in ms.
    pub timeout_ms: Ms,
    /// After how long, from the start of the first attempt, no attempt starts any
    /// more, in ms. An attempt that has started may run past it.
    pub deadline_ms: Option<Ms>,
    /// What is done about a Retry-After.
    pub retry_after: RetryAfter,
}

/// From when to when a wait can end, in ms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// The shortest wait.
    pub low_ms: f64,
    /// The longest wait.
    pub high_ms: f64,
}

impl Window {
    /// How far apart the two are, in ms.
    #[must_use]
    pub fn width_ms(self) -> f64 {
        self.high_ms - self.low_ms
    }
}

impl Plan {
    /// The most attempts that a plan may make.
    pub const MOST_ATTEMPTS: u32 = 1000;
    /// The longest that a browser's timer can run: 2³¹−1 ms, nearly 25 days. A longer
    /// wait would fire at once, so [`Runner`] cuts waits to this.
    pub const LONGEST_TIMER: Ms = Policy::LONGEST_TIMER;

    /// The lesson's policy, with the time-out that the studio opens on (500 ms)
    /// and no deadline.
    pub const START: Self = Self {
        attempts: 4,
        base_ms: 100,
        factor: 2.0,
        cap_ms: 2000,
        spread: Spread::Full,
        timeout_ms: 500,
        deadline_ms: None,
        retry_after: RetryAfter::DEFAULT,
    };

    /// How many retries that is: one fewer than attempts.
    #[must_use]
    pub const fn retries(&self) -> u32 {
        self.attempts.saturating_sub(1)
    }

    /// The nominal wait before retry number `retry` (1 is the first), in ms:
    /// min(cap, base·factor^(retry−1)). Growth past what a number can hold ends at
    /// the cap.
    #[must_use]
    pub fn nominal_ms(&self, retry: u32) -> f64 {
        let cap = self.cap_ms as f64;
        let mut wait = self.base_ms as f64;
        // Repeated products come to the same bits everywhere; `powi` may not. With a
        // factor of 1, or a base of 0, nothing would end the loop early.
        if wait > 0.0 && self.factor > 1.0 {
            for _ in 1..retry {
                wait *= self.factor;
                if wait >= cap {
                    break;
                }
            }
        }
        wait.min(cap)
    }

    /// All nominal waits, in order, in ms.
    #[must_use]
    pub fn nominals_ms(&self) -> Vec<f64> {
        let cap = self.cap_ms as f64;
        let mut wait = (self.base_ms as f64).min(cap);
        let mut waits = Vec::with_capacity(self.retries() as usize);
        for _ in 0..self.retries() {
            waits.push(wait);
            // NaN and shrinking are kept out by `check`; should one come here all the
            // same, the wait stays where it is.
            let grown = wait * self.factor;
            if grown > wait {
                wait = grown.min(cap);
            }
        }
        waits
    }

    /// Between what each wait lies, in order, in ms.
    #[must_use]
    pub fn windows(&self) -> Vec<Window> {
        let (base, cap) = (self.base_ms as f64, self.cap_ms as f64);
        let mut previous = base;
        let mut window = |nominal: f64| {
            let (low_ms, high_ms) = match self.spread {
                Spread::None => (nominal, nominal),
                Spread::Full => (0.0, nominal),
                Spread::Equal => (nominal / 2.0, nominal),
                Spread::Share(share) => {
                    let share = if share.is_nan() {
                        0.0
                    } else {
                        share.clamp(0.0, 1.0)
                    };
                    (nominal * (1.0 - share), nominal * (1.0 + share))
                }
                Spread::Decorrelated => {
                    previous = (3.0 * previous).min(cap);
                    (base.min(cap), previous)
                }
            };
            Window { low_ms, high_ms }
        };
        self.nominals_ms().into_iter().map(&mut window).collect()
    }

    /// The part of it that the lesson's client understands, where nothing would be
    /// lost: no decorrelated and no share jitter, no deadline.
    #[must_use]
    pub fn policy(&self) -> Option<Policy> {
        let jitter = match self.spread {
            Spread::None => Jitter::None,
            Spread::Full => Jitter::Full,
            Spread::Equal => Jitter::Equal,
            Spread::Decorrelated | Spread::Share(_) => return None,
        };
        let policy = Policy {
            attempts: self.attempts,
            base_ms: self.base_ms,
            factor: self.factor,
            cap_ms: self.cap_ms,
            jitter,
            timeout_ms: self.timeout_ms,
        };
        (self.deadline_ms.is_none() && policy.check().is_ok()).then_some(policy)
    }
}

impl From<Policy> for Plan {
    fn from(policy: Policy) -> Self {
        Self {
            attempts: policy.attempts,
            base_ms: policy.base_ms,
            factor: policy.factor,
            cap_ms: policy.cap_ms,
            spread: match policy.jitter {
                Jitter::None => Spread::None,
                Jitter::Full => Spread::Full,
                Jitter::Equal => Spread::Equal,
            },
            timeout_ms: policy.timeout_ms,
            deadline_ms: None,
            retry_after: RetryAfter::DEFAULT,
        }
    }
}
