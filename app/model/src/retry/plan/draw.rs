//! Drawing the waits of one sequence of attempts.

use super::{Plan, Spread};
use rand::{Rng, RngExt};

/// The waits of one operation, drawn one after the other.
///
/// Only +, ×, min and the generator are used, so that the same seed gives the same
/// bits on a server and in a browser.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Waits {
    spread: Spread,
    base: f64,
    factor: f64,
    cap: f64,
    nominal: f64,
    previous: f64,
    left: u32,
}

impl Waits {
    /// No wait drawn yet.
    #[must_use]
    pub fn new(plan: &Plan) -> Self {
        let (base, cap) = (plan.base_ms as f64, plan.cap_ms as f64);
        Self {
            spread: plan.spread,
            base: base.min(cap),
            factor: plan.factor,
            cap,
            nominal: base.min(cap),
            previous: base.min(cap),
            left: plan.retries(),
        }
    }

    /// How many waits are still to come.
    #[must_use]
    pub const fn left(&self) -> u32 {
        self.left
    }

    /// Draws the wait before the next retry, in ms, or nothing when the attempts
    /// are used up.
    pub fn draw(&mut self, random: &mut impl Rng) -> Option<f64> {
        self.left = self.left.checked_sub(1)?;
        let w = self.nominal;
        let wait = match self.spread {
            Spread::None => w,
            Spread::Full => w * random.random::<f64>(),
            Spread::Equal => w / 2.0 + w / 2.0 * random.random::<f64>(),
            Spread::Share(share) => w * (1.0 - share + 2.0 * share * random.random::<f64>()),
            Spread::Decorrelated => {
                let wide = 3.0 * self.previous - self.base;
                self.previous = (self.base + wide * random.random::<f64>()).min(self.cap);
                self.previous
            }
        };
        let grown = w * self.factor;
        if grown > w {
            self.nominal = grown.min(self.cap);
        }
        Some(wait)
    }
}
