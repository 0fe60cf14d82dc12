//! Numbers as people type them.

use crate::retry::plan::{Bound, Why};

/// A whole number that is at least 0. Too many digits give the largest there is,
/// which every limit then refuses.
pub(crate) fn whole(text: &str, least: Bound) -> Result<u64, Why> {
    let text = text.trim();
    if let Some(why) = grouped(text, &['.', ',', ' ', '\u{a0}', '\u{202f}', '\'']) {
        return Err(why);
    }
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(text.parse().unwrap_or(u64::MAX));
    }
    let number = decimal(text)?;
    if number < 0.0 {
        Err(Why::TooSmall(least))
    } else if number.fract() != 0.0 {
        Err(Why::NotWhole)
    } else {
        // 1e3 and 100.0; saturates.
        Ok(number as u64)
    }
}

/// A number with a decimal point or a decimal comma.
pub(crate) fn decimal(text: &str) -> Result<f64, Why> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Why::Empty);
    }
    if let Some(why) = grouped(text, &[',', ' ', '\u{a0}', '\u{202f}', '\'']) {
        return Err(why);
    }
    let number: f64 = text
        .replace(',', ".")
        .parse()
        .map_err(|_| Why::NotANumber)?;
    if number.is_finite() {
        // −0 is 0.
        Ok(number + 0.0)
    } else {
        Err(Why::NotFinite)
    }
}

/// Whether this looks like thousands in groups, by one of these separators: 1,000
/// but not 0,500 and not 1,50.
fn grouped(text: &str, separators: &[char]) -> Option<Why> {
    let digits = text.trim_start_matches(['-', '+']);
    let separator = digits.chars().find(|c| separators.contains(c))?;
    let mut groups = digits.split(separator);
    let first = groups.next()?;
    let is_digits = |group: &str| !group.is_empty() && group.bytes().all(|b| b.is_ascii_digit());
    let starts = is_digits(first) && first.len() <= 3 && !first.starts_with('0');
    (starts && groups.all(|group| group.len() == 3 && is_digits(group))).then(|| Why::Ambiguous {
        without: digits.replace(separator, ""),
        one: first.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_understood_with_a_point_or_a_comma() {
        for (text, wanted) in [
            ("0.5", 0.5),
            ("0,5", 0.5),
            (",5", 0.5),
            (" 1,25 ", 1.25),
            ("0,500", 0.5),
            ("2.000", 2.0),
            ("1e-3", 0.001),
            ("-0", 0.0),
            ("+2", 2.0),
        ] {
            let number = decimal(text).unwrap();
            assert_eq!(number, wanted, "{text}");
            assert!(number != 0.0 || number.is_sign_positive());
        }
        for text in ["NaN", "inf", "-infinity", "1e999"] {
            assert_eq!(decimal(text), Err(Why::NotFinite), "{text}");
        }
        for text in ["x", "1.2.3", "1,2,3", "1.000,5", "0x10", "٣", "--1", "5%"] {
            assert_eq!(decimal(text), Err(Why::NotANumber), "{text}");
        }
        assert_eq!(decimal("  "), Err(Why::Empty));
    }

    #[test]
    fn a_thousand_is_never_taken_for_one() {
        for text in ["1,000", "1.000", "1 000", "1'000", "1\u{202f}000"] {
            assert_eq!(
                whole(text, Bound::Ms(0)),
                Err(Why::Ambiguous {
                    without: "1000".to_owned(),
                    one: "1".to_owned()
                }),
                "{text}"
            );
        }
        assert!(matches!(
            whole("12.345.678", Bound::Ms(0)),
            Err(Why::Ambiguous { .. })
        ));
        assert!(matches!(decimal("1,000"), Err(Why::Ambiguous { .. })));
    }

    #[test]
    fn whole_numbers() {
        for (text, wanted) in [
            ("0", 0),
            (" 42 ", 42),
            ("007", 7),
            ("1e3", 1000),
            ("100.0", 100),
            ("100,0", 100),
            ("99999999999999999999999", u64::MAX),
            ("1e300", u64::MAX),
        ] {
            assert_eq!(whole(text, Bound::Ms(0)), Ok(wanted), "{text}");
        }
        for (text, why) in [
            ("", Why::Empty),
            ("1.5", Why::NotWhole),
            ("-3", Why::TooSmall(Bound::Ms(0))),
            ("NaN", Why::NotFinite),
            ("four", Why::NotANumber),
        ] {
            assert_eq!(whole(text, Bound::Ms(0)), Err(why), "{text}");
        }
    }
}
