//! Client-side throttling that adapts to what the service accepts.

use super::{BudgetError, Outcome, ranged};
use crate::Ms;
use std::collections::VecDeque;

/// Adaptive throttling of the SRE book, ch. 21: over the last two minutes a
/// client counts what it wanted to send and what the service accepted, and
/// refuses itself with probability
/// max(0, (requests − K·accepts) / (requests + 1)).
///
/// A request that it refuses itself still counts as wanted, which is what makes
/// the probability grow in an outage. An answer that is no success was accepted
/// all the same, unless the service said that it is overloaded or did not answer.
#[derive(Clone, Debug, PartialEq)]
pub struct AdaptiveThrottle {
    k: f64,
    /// (second, wanted, accepted)
    seconds: VecDeque<(u64, u64, u64)>,
    requests: u64,
    accepts: u64,
}

impl AdaptiveThrottle {
    /// How far back is counted, in s.
    pub const WINDOW_S: u64 = 120;

    /// A throttle with this K: 2 in the book, less is stricter.
    ///
    /// # Errors
    /// [`BudgetError`] unless K is 1 to 1000.
    pub fn new(k: f64) -> Result<Self, BudgetError> {
        ranged("K", k, 1.0, 1000.0)?;
        Ok(Self {
            k,
            ..Self::default()
        })
    }

    /// The formula: the probability that a request is refused.
    #[must_use]
    pub fn probability(requests: u64, accepts: u64, k: f64) -> f64 {
        let (requests, accepts) = (requests as f64, accepts as f64);
        ((requests - k * accepts) / (requests + 1.0)).max(0.0)
    }

    /// The probability now.
    #[must_use]
    pub fn refuses(&mut self, now_ms: Ms) -> f64 {
        self.forget(now_ms);
        Self::probability(self.requests, self.accepts, self.k)
    }

    pub(super) fn ask(&mut self, now_ms: Ms, draw: f64) -> bool {
        let refused = draw < self.refuses(now_ms);
        self.count(now_ms, 1, 0);
        !refused
    }

    pub(super) fn settle(&mut self, now_ms: Ms, outcome: Outcome) {
        match outcome {
            Outcome::Success | Outcome::Final => self.count(now_ms, 0, 1),
            Outcome::Failed(_) => {}
        }
    }

    fn count(&mut self, now_ms: Ms, wanted: u64, accepted: u64) {
        self.forget(now_ms);
        let second = now_ms / 1000;
        match self.seconds.back_mut() {
            Some((newest, w, a)) if *newest >= second => {
                *w += wanted;
                *a += accepted;
            }
            _ => self.seconds.push_back((second, wanted, accepted)),
        }
        self.requests += wanted;
        self.accepts += accepted;
    }

    fn forget(&mut self, now_ms: Ms) {
        let second = now_ms / 1000;
        while let Some((oldest, wanted, accepted)) = self.seconds.front().copied() {
            if oldest + Self::WINDOW_S > second {
                break;
            }
            self.requests -= wanted;
            self.accepts -= accepted;
            self.seconds.pop_front();
        }
    }
}

impl Default for AdaptiveThrottle {
    /// K = 2.
    fn default() -> Self {
        Self {
            k: 2.0,
            seconds: VecDeque::new(),
            requests: 0,
            accepts: 0,
        }
    }
}
