//! A circuit breaker.

use super::{BudgetError, Call, Outcome, Permit, ranged};
use crate::Ms;
use std::collections::VecDeque;

/// Where a breaker stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BreakerState {
    /// Calls pass and are counted.
    Closed,
    /// Nothing passes before this time.
    Open {
        /// When a probe may go out, in ms.
        until_ms: Ms,
    },
    /// One probe is out; nothing else passes until it is back.
    HalfOpen,
}

/// Opens when too many of the last calls failed. After a while it lets one probe
/// through: when that succeeds it closes with a clean sheet, when that fails it
/// opens again.
///
/// It counts attempts, first calls and retries alike, and judges only full
/// windows, so that one failure at low traffic does not open it. What comes back
/// from calls that were sent before it opened is not counted any more.
#[derive(Clone, Debug, PartialEq)]
pub struct Breaker {
    window: usize,
    share: f64,
    open_ms: Ms,
    state: BreakerState,
    period: u64,
    /// true = failed.
    last: VecDeque<bool>,
    failed: usize,
}

impl Breaker {
    /// A closed breaker that looks at the last `window` calls, opens when at
    /// least `share` of them failed, and stays open for `open_ms`.
    ///
    /// # Errors
    /// [`BudgetError`] unless the window is 1 to 10 000, the share above 0 and at
    /// most 1, and the time 1 ms to a day.
    pub fn new(window: u32, share: f64, open_ms: Ms) -> Result<Self, BudgetError> {
        ranged("the window", f64::from(window), 1.0, 10_000.0)?;
        ranged("the share of failures", share, f64::MIN_POSITIVE, 1.0)?;
        ranged("the time it stays open", open_ms as f64, 1.0, 86_400_000.0)?;
        Ok(Self::of(window as usize, share, open_ms))
    }

    /// 20 calls, half of them failed, open for 3 s.
    #[must_use]
    pub fn twenty() -> Self {
        Self::of(20, 0.5, 3000)
    }

    fn of(window: usize, share: f64, open_ms: Ms) -> Self {
        Self {
            window,
            share,
            open_ms,
            state: BreakerState::Closed,
            period: 0,
            last: VecDeque::with_capacity(window),
            failed: 0,
        }
    }

    /// Where it stands. An open breaker turns half-open only when it is asked.
    #[must_use]
    pub const fn state(&self) -> BreakerState {
        self.state
    }

    pub(super) fn ask(&mut self, now_ms: Ms, call: Call) -> Option<Permit> {
        match self.state {
            BreakerState::Closed => {}
            BreakerState::Open { until_ms } if now_ms >= until_ms => {
                self.enter(BreakerState::HalfOpen);
            }
            BreakerState::Open { .. } | BreakerState::HalfOpen => return None,
        }
        Some(Permit {
            call,
            period: self.period,
        })
    }

    pub(super) fn settle(&mut self, now_ms: Ms, permit: Permit, outcome: Outcome) {
        if permit.period != self.period {
            return;
        }
        let failed = matches!(outcome, Outcome::Failed(_));
        match self.state {
            BreakerState::Closed => {
                self.count(failed);
                if self.last.len() == self.window
                    && self.failed as f64 >= self.share * self.window as f64
                {
                    self.open(now_ms);
                }
            }
            BreakerState::HalfOpen if failed => self.open(now_ms),
            BreakerState::HalfOpen => self.enter(BreakerState::Closed),
            // No permit is given in this period.
            BreakerState::Open { .. } => {}
        }
    }

    fn count(&mut self, failed: bool) {
        if self.last.len() == self.window && self.last.pop_front() == Some(true) {
            self.failed -= 1;
        }
        self.last.push_back(failed);
        self.failed += usize::from(failed);
    }

    fn open(&mut self, now_ms: Ms) {
        self.enter(BreakerState::Open {
            until_ms: now_ms.saturating_add(self.open_ms),
        });
    }

    fn enter(&mut self, state: BreakerState) {
        self.state = state;
        self.period += 1;
        self.last.clear();
        self.failed = 0;
    }
}
