//! The four ways to spread retries that the herd and contention compare.

use super::server::Us;
use rand::{Rng, RngExt};

/// How a wait is drawn.
///
/// Source: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The whole window.
    None,
    /// Evenly from 0 to the window.
    Full,
    /// Half of the window, and evenly from 0 to the other half.
    Equal,
    /// min(cap, evenly from base to three times the last wait); before the first
    /// retry the last wait counts as the base. It has no windows: the factor is not
    /// used.
    Decorrelated,
}

impl Kind {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 4] = [Self::None, Self::Full, Self::Equal, Self::Decorrelated];

    /// Its name in a query string.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Full => "full",
            Self::Equal => "equal",
            Self::Decorrelated => "decorrelated",
        }
    }

    /// A wait in µs from a window, or from `last` and `base`.
    pub(super) fn draw(self, window: Us, range: Range, last: Us, random: &mut impl Rng) -> Us {
        match self {
            Self::None => window,
            Self::Full => random.random_range(0..=window),
            Self::Equal => {
                let half = window / 2;
                half + random.random_range(0..=window - half)
            }
            Self::Decorrelated => {
                let most = last.saturating_mul(3).max(range.base);
                random.random_range(range.base..=most).min(range.cap)
            }
        }
    }
}

/// Between what decorrelated jitter draws, in µs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub(super) base: Us,
    pub(super) cap: Us,
}
