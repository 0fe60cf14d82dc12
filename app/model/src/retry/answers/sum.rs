//! How long several waits take together: the sum of independent waits, each
//! evenly spread over a window of its own.

use super::series::Series;
use super::subsets::Subsets;
use crate::retry::plan::Window;

/// The distribution of a sum of independent waits, each uniform on its window.
///
/// Up to eight windows the exact piecewise polynomial is used where rounding leaves
/// it at least ten digits; else the Fourier series of the distribution, which has
/// compact support and so an exact series, cut where the rest is bounded by 10⁻¹⁰.
/// Windows so unequal that neither converges lose their smallest members, which
/// then count with their middle: that moves a quantile by at most
/// [`Sum::within_ms`].
#[derive(Clone, Debug)]
pub struct Sum {
    low_ms: f64,
    width_ms: f64,
    within_ms: f64,
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    /// No randomness at all.
    Point,
    Subsets(Subsets),
    Series(Series),
}

/// What a probability may be off by.
const TOLERANCE: f64 = 1e-10;

impl Sum {
    /// The sum of waits in these windows.
    #[must_use]
    pub fn new(windows: &[Window]) -> Self {
        let mut low_ms = windows.iter().map(|it| it.low_ms).sum::<f64>();
        let mut widths: Vec<f64> = windows
            .iter()
            .map(|it| it.width_ms())
            .filter(|width| *width > 0.0)
            .collect();
        // Largest first: the smallest leave first.
        widths.sort_unstable_by(|a, b| b.total_cmp(a));
        let mut within_ms = 0.0;
        loop {
            let width_ms = widths.iter().sum::<f64>();
            if let Some(form) = Self::form(&widths, width_ms) {
                return Self {
                    low_ms,
                    width_ms,
                    within_ms,
                    form,
                };
            }
            let smallest = widths.pop().unwrap_or(0.0);
            low_ms += smallest / 2.0;
            within_ms += smallest / 2.0;
        }
    }

    fn form(widths: &[f64], total: f64) -> Option<Form> {
        if widths.is_empty() {
            return Some(Form::Point);
        }
        let parts: Vec<f64> = widths.iter().map(|width| width / total).collect();
        Subsets::new(&parts, TOLERANCE)
            .map(Form::Subsets)
            .or_else(|| Series::new(&parts, TOLERANCE).map(Form::Series))
    }

    /// The least that it can be, in ms.
    #[must_use]
    pub fn low_ms(&self) -> f64 {
        self.low_ms - self.within_ms
    }

    /// The most that it can be, in ms.
    #[must_use]
    pub fn high_ms(&self) -> f64 {
        self.low_ms + self.width_ms + self.within_ms
    }

    /// What a quantile may be off by, in ms; 0 unless windows had to be merged.
    #[must_use]
    pub const fn within_ms(&self) -> f64 {
        self.within_ms
    }

    /// The one value that it can have, in ms, where there is only one.
    #[must_use]
    pub fn point_ms(&self) -> Option<f64> {
        matches!(self.form, Form::Point).then_some(self.low_ms)
    }

    /// The probability that the sum is at most this.
    #[must_use]
    pub fn cdf(&self, ms: f64) -> f64 {
        let from_low = ms - self.low_ms;
        let part = match &self.form {
            Form::Point => return if from_low >= 0.0 { 1.0 } else { 0.0 },
            Form::Subsets(_) | Form::Series(_) => from_low / self.width_ms,
        };
        // NaN is nowhere.
        if part.is_nan() || part <= 0.0 {
            return 0.0;
        }
        if part >= 1.0 {
            return 1.0;
        }
        // The sum is symmetric: only the lower half is ever computed, where there is
        // less to cancel.
        let (lower, mirrored) = if part <= 0.5 {
            (part, false)
        } else {
            (1.0 - part, true)
        };
        let below = match &self.form {
            Form::Point => 1.0,
            Form::Subsets(it) => it.cdf(lower),
            Form::Series(it) => it.cdf(lower),
        }
        .clamp(0.0, 0.5);
        if mirrored { 1.0 - below } else { below }
    }

    /// The least sum with at least this probability of not being exceeded, in ms.
    /// A probability of 0 or less gives the least sum there is, 1 or more the most.
    #[must_use]
    pub fn quantile_ms(&self, probability: f64) -> f64 {
        if let Some(point) = self.point_ms() {
            return point;
        }
        if probability.is_nan() || probability <= 0.0 {
            return self.low_ms;
        }
        if probability >= 1.0 {
            return self.low_ms + self.width_ms;
        }
        invert(
            |ms| self.cdf(ms),
            probability,
            self.low_ms,
            self.low_ms + self.width_ms,
        )
    }
}

/// Where a distribution reaches a probability, by halving: after 50 steps the
/// interval is 10⁻¹⁵ of what it was.
pub(super) fn invert(
    cdf: impl Fn(f64) -> f64,
    probability: f64,
    mut low: f64,
    mut high: f64,
) -> f64 {
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        if cdf(middle) < probability {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}
