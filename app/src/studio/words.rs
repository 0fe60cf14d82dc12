//! Numbers as the studio writes them.

use maud::{Markup, html};

/// A number with about so many significant digits after rounding, groups of three
/// and no zeros at its end.
#[must_use]
pub fn number(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return "out of range".to_owned();
    }
    let whole = value.abs().log10().floor();
    let decimals = if value == 0.0 {
        0
    } else {
        (digits as f64 - 1.0 - whole).clamp(0.0, 12.0) as usize
    };
    let text = format!("{:.decimals$}", value.abs());
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    let rest = rest.trim_end_matches('0');
    let mut out = grouped(whole);
    if !rest.is_empty() {
        out.push('.');
        out.push_str(rest);
    }
    if value < 0.0 && out.bytes().any(|byte| (b'1'..=b'9').contains(&byte)) {
        out.insert(0, '\u{2212}');
    }
    out
}

/// Digits in groups of three.
#[must_use]
pub fn grouped(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number in groups of three, whose groups are set apart by style alone: who copies
/// it, or reads the page with a program, gets one plain number.
#[must_use]
pub fn apart(number: &str) -> Markup {
    let mut groups = number.split(',');
    html! {
        (groups.next().unwrap_or_default())
        @for group in groups {
            span class="digits" { (group) }
        }
    }
}

/// A length of time in ms with a unit that suits it; ms up to 10 s, so that figures
/// stand beside the inputs in the same unit.
#[must_use]
pub fn duration(ms: f64) -> String {
    for (unit, name) in [
        (86_400_000.0, "days"),
        (3_600_000.0, "h"),
        (60_000.0, "min"),
        (1000.0, "s"),
    ] {
        if ms >= 10_000.0 && ms >= unit {
            return format!("{} {name}", number(ms / unit, 4));
        }
    }
    format!("{} ms", number(ms, 5))
}

/// A part as a percentage.
#[must_use]
pub fn percent(part: f64) -> String {
    format!("{} %", number(part * 100.0, 4))
}

/// A count with its noun: 1 retry, 3 retries.
#[must_use]
pub fn counted(count: u64, one: &str, many: &str) -> String {
    format!(
        "{} {}",
        grouped(&count.to_string()),
        if count == 1 { one } else { many }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_and_grouped() {
        for (value, digits, wanted) in [
            (0.0, 5, "0"),
            (0.9999, 4, "0.9999"),
            (6.24, 5, "6.24"),
            (1298.7234, 6, "1,298.72"),
            (750.0, 5, "750"),
            (1_234_567.8, 5, "1,234,568"),
            (-0.5, 3, "\u{2212}0.5"),
            (f64::NAN, 3, "out of range"),
        ] {
            assert_eq!(number(value, digits), wanted, "{value}");
        }
        assert_eq!(
            apart("1,298.72").into_string(),
            r#"1<span class="digits">298.72</span>"#
        );
        assert_eq!(apart("none").into_string(), "none");
        assert_eq!(duration(1298.72), "1,298.7 ms");
        assert_eq!(duration(240_000.0), "4 min");
        assert_eq!(percent(0.148), "14.8 %");
        assert_eq!(counted(1, "retry", "retries"), "1 retry");
    }
}
