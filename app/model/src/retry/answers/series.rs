//! The distribution of a sum of many uniform waits, as a Fourier series.

use std::f64::consts::PI;

/// For windows ρ that add up to 1, the sum lies in [0, 1], and its distribution,
/// continued with that period, has the exact series
/// F(x) = x + Σ φₙ·sin(2πn(x − ½))/(πn), φₙ = Π sinc(πnρ),
/// since φ is the characteristic function of the centred sum.
///
/// |φₙ| falls at least like 1/n for each window with πnρ > 1, so with m of these
/// the rest after N terms is at most φ̂(N)/(πm), φ̂ being the product of these
/// 1/(πNρ).
#[derive(Clone, Debug)]
pub(super) struct Series {
    /// φₙ/(πn) from n = 1, the sign of sin(2πn(x − ½)) = (−1)ⁿ·sin(2πnx) included.
    coefficients: Vec<f64>,
}

/// Where to give up: by then a sum of two comparable windows is still off by 10⁻⁹,
/// but such few windows have the exact polynomial.
const MOST: usize = 1 << 13;

impl Series {
    /// For windows that are parts of a whole, unless that takes too many terms.
    pub(super) fn new(parts: &[f64], tolerance: f64) -> Option<Self> {
        let mut count = 16;
        while Self::rest(parts, count) > tolerance {
            count *= 2;
            if count > MOST {
                return None;
            }
        }
        let coefficients = (1..=count)
            .map(|n| {
                let sign = if n % 2 == 0 { 1.0 } else { -1.0 };
                let x = PI * n as f64;
                let mut product = sign / x;
                for part in parts {
                    product *= sinc(x * part);
                    // What follows cannot bring it back.
                    if product.abs() < 1e-30 {
                        break;
                    }
                }
                product
            })
            .collect();
        Some(Self { coefficients })
    }

    fn rest(parts: &[f64], count: usize) -> f64 {
        let x = PI * count as f64;
        let mut falling = 0.0;
        let mut product = 1.0;
        for part in parts.iter().filter(|part| x * **part > 1.0) {
            falling += 1.0;
            product /= x * part;
        }
        if falling > 0.0 {
            product / (PI * falling)
        } else {
            f64::INFINITY
        }
    }

    /// The probability of at most `x`, which is 0 to 1.
    pub(super) fn cdf(&self, x: f64) -> f64 {
        // Clenshaw's recurrence: one sine and one cosine in all.
        let angle = 2.0 * PI * x;
        let (sine, cosine) = angle.sin_cos();
        let (mut b1, mut b2) = (0.0, 0.0);
        for coefficient in self.coefficients.iter().rev() {
            (b1, b2) = (coefficient + 2.0 * cosine * b1 - b2, b1);
        }
        x + b1 * sine
    }
}

/// sin(x)/x
fn sinc(x: f64) -> f64 {
    if x.abs() < 1e-8 { 1.0 } else { x.sin() / x }
}
