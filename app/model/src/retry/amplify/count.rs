//! Numbers that stay exact for as long as they can, and say when they do not.

use std::fmt;

/// A number of calls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Count {
    /// A whole number, to the last digit.
    Exact(u128),
    /// A mean, held in floating point.
    Mean(f64),
}

impl Count {
    /// From 2⁵³ on floating point no longer tells neighbouring whole numbers apart.
    const ROUNDED_FROM: f64 = 9_007_199_254_740_992.0;

    /// As floating point.
    #[must_use]
    pub fn value(self) -> f64 {
        match self {
            Self::Exact(count) => count as f64,
            Self::Mean(mean) => mean,
        }
    }

    /// Whether digits before the decimal point are missing: say so beside it.
    #[must_use]
    pub fn is_rounded(self) -> bool {
        match self {
            Self::Exact(_) => false,
            Self::Mean(mean) => mean >= Self::ROUNDED_FROM,
        }
    }

    /// This many times as much.
    pub(super) fn times(self, factor: u64) -> Self {
        match self {
            Self::Exact(count) => Self::Exact(count.saturating_mul(u128::from(factor))),
            Self::Mean(mean) => Self::Mean(mean * factor as f64),
        }
    }

    /// A mean of this many for each.
    pub(super) fn scaled(self, factor: f64) -> Self {
        Self::Mean(self.value() * factor)
    }
}

impl fmt::Display for Count {
    /// All digits in groups of three, with a narrow no-break space between; a mean
    /// with up to two decimals.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = match self {
            Self::Exact(count) => (count.to_string(), String::new()),
            Self::Mean(mean) => {
                let text = format!("{mean:.2}");
                match text.split_once('.') {
                    Some((whole, "00")) => (whole.to_owned(), String::new()),
                    Some((whole, part)) => {
                        (whole.to_owned(), format!(".{}", part.trim_end_matches('0')))
                    }
                    None => (text, String::new()),
                }
            }
        };
        let first = whole.len() % 3;
        for (index, digit) in whole.chars().enumerate() {
            if index > 0 && index % 3 == first {
                f.write_str("\u{202f}")?;
            }
            write!(f, "{digit}")?;
        }
        f.write_str(&part)
    }
}
