//! The exact distribution of a sum of a few uniform waits.

/// F(x) = 1/(d!·Πw) · Σ over subsets A of (−1)^|A| · max(0, x − Σ_A w)^d, for
/// windows w that add up to 1.
///
/// Terms of opposite sign cancel, badly so when there are many of them or when
/// they are very unequal. What rounding can do is added up when it is made, and
/// [`Subsets::new`] refuses when that is too much.
#[derive(Clone, Debug)]
pub(super) struct Subsets {
    /// (sum of the subset, sign), smallest sum first.
    terms: Vec<(f64, f64)>,
    power: i32,
    /// 1/(d!·Πw)
    scale: f64,
}

/// 2⁸ terms are computed in a microsecond.
const MOST: usize = 8;

impl Subsets {
    /// For windows that are parts of a whole, unless there are too many of them or
    /// a probability could be off by more than `tolerance`.
    pub(super) fn new(parts: &[f64], tolerance: f64) -> Option<Self> {
        if parts.is_empty() || parts.len() > MOST {
            return None;
        }
        let mut terms = vec![(0.0, 1.0)];
        for part in parts {
            for index in 0..terms.len() {
                let (sum, sign): (f64, f64) = terms[index];
                terms.push((sum + part, -sign));
            }
        }
        // Only the lower half is asked for.
        terms.retain(|(sum, _)| *sum < 0.5);
        terms.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let d = parts.len() as f64;
        let mut scale = 1.0;
        for (index, part) in parts.iter().enumerate() {
            scale /= (index + 1) as f64 * part;
        }
        let power = i32::try_from(parts.len()).ok()?;
        // Each term is off by some d roundings of itself, and by its derivative times
        // the d roundings of the sum that it holds.
        let off: f64 = terms
            .iter()
            .map(|(sum, _)| {
                let rest = 0.5 - sum;
                (d + 4.0) * rest.powi(power) + d * d * rest.powi(power - 1)
            })
            .sum::<f64>()
            * scale
            * f64::EPSILON;
        // Not `off > tolerance`: an overflow is NaN or infinite.
        (off <= tolerance).then_some(Self {
            terms,
            power,
            scale,
        })
    }

    /// The probability of at most `x`, which is 0 to ½.
    pub(super) fn cdf(&self, x: f64) -> f64 {
        self.terms
            .iter()
            .take_while(|(sum, _)| *sum < x)
            .map(|(sum, sign)| sign * (x - sum).powi(self.power))
            .sum::<f64>()
            * self.scale
    }
}
