//! Retries as a share of the first calls of the last seconds.

use super::{BudgetError, Call, ranged};
use crate::Ms;
use std::collections::VecDeque;

/// Millionths: a share is held as a whole number of them, rounded down.
const WHOLE: i64 = 1_000_000;
/// Into how many slices the window is cut. Deposits expire a slice at a time, as
/// in Finagle's `WindowedAdder`.
const SLICES: u64 = 10;

/// Finagle's `RetryBudget`: each first call deposits its share of a retry, each
/// retry takes a whole one out, deposits and withdrawals are forgotten after
/// `ttl`, and on top there is a floor for clients that send little.
///
/// Finagle counts in thousandths and rounds the price of a retry *down*, so a
/// share of .3 grants 3 001 of 9 999 there in the long run; here the share is
/// exact to a millionth and never exceeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetryBudget {
    slice_ms: Ms,
    share: i64,
    /// The floor: what may be withdrawn within the window without a deposit.
    reserve: i64,
    /// Deposits less withdrawals, by the slice's number.
    slices: VecDeque<(u64, i64)>,
    balance: i64,
}

impl RetryBudget {
    /// A budget of `share` retries for each first call, over `ttl_s` seconds, and
    /// `min_per_s` retries a second whatever was deposited. Finagle's own is
    /// (10, 10, .2).
    ///
    /// # Errors
    /// [`BudgetError`] unless `ttl_s` is 1 to 60, `min_per_s` at most 1 000 000
    /// and `share` 0 to 1000, as in Finagle.
    pub fn new(ttl_s: u32, min_per_s: u32, share: f64) -> Result<Self, BudgetError> {
        ranged("the window in seconds", f64::from(ttl_s), 1.0, 60.0)?;
        ranged("the floor", f64::from(min_per_s), 0.0, 1e6)?;
        ranged("the share", share, 0.0, 1000.0)?;
        Ok(Self {
            slice_ms: Ms::from(ttl_s) * 1000 / SLICES,
            // A share such as .29 is a hair below its millionths in binary.
            share: (share * WHOLE as f64 + 1e-6) as i64,
            reserve: i64::from(ttl_s) * i64::from(min_per_s) * WHOLE,
            slices: VecDeque::new(),
            balance: 0,
        })
    }

    /// Finagle's default: 10 s, 10 a second, 20 %.
    #[must_use]
    pub fn finagle() -> Self {
        Self::of(10, 10, 200_000)
    }

    /// The per-client budget of the SRE book, ch. 21: retries stay at 10 % of the
    /// first calls, so the load grows to at most 1.1 times. The book names no
    /// window; ten seconds are used, with no floor.
    #[must_use]
    pub fn ten_percent() -> Self {
        Self::of(10, 0, 100_000)
    }

    fn of(ttl_s: u32, min_per_s: u32, share: i64) -> Self {
        Self {
            slice_ms: Ms::from(ttl_s) * 1000 / SLICES,
            share,
            reserve: i64::from(ttl_s) * i64::from(min_per_s) * WHOLE,
            slices: VecDeque::new(),
            balance: 0,
        }
    }

    /// How many retries could be sent now.
    #[must_use]
    pub fn left(&mut self, now_ms: Ms) -> u64 {
        self.forget(now_ms);
        u64::try_from((self.balance + self.reserve) / WHOLE).unwrap_or(0)
    }

    pub(super) fn ask(&mut self, now_ms: Ms, call: Call) -> bool {
        match call {
            Call::First => {
                self.put(now_ms, self.share);
                true
            }
            Call::Retry(_) => {
                let allowed = self.left(now_ms) > 0;
                if allowed {
                    self.put(now_ms, -WHOLE);
                }
                allowed
            }
        }
    }

    fn put(&mut self, now_ms: Ms, amount: i64) {
        self.forget(now_ms);
        let number = now_ms / self.slice_ms;
        match self.slices.back_mut() {
            // A clock that went back counts into the newest slice.
            Some((newest, sum)) if *newest >= number => *sum += amount,
            _ => self.slices.push_back((number, amount)),
        }
        self.balance += amount;
    }

    fn forget(&mut self, now_ms: Ms) {
        let number = now_ms / self.slice_ms;
        while let Some((oldest, sum)) = self.slices.front().copied() {
            if oldest + SLICES > number {
                break;
            }
            self.balance -= sum;
            self.slices.pop_front();
        }
    }
}
