//! Figures in sentences.

/// A length of time with a unit that suits it: 250 ms, 1.5 s, 2 min, 3 h, 24.8 days.
pub(super) fn duration(ms: f64) -> String {
    for (unit, name) in [
        (86_400_000.0, "days"),
        (3_600_000.0, "h"),
        (60_000.0, "min"),
        (1000.0, "s"),
    ] {
        if ms >= unit {
            return format!("{} {name}", short(ms / unit));
        }
    }
    format!("{} ms", short(ms))
}

/// A part as a percentage.
pub(super) fn percent(part: f64) -> String {
    format!("{} %", short(part * 100.0))
}

/// Three digits at most after rounding, unless more stand before the point.
fn short(number: f64) -> String {
    let decimals = if number >= 100.0 {
        0
    } else if number >= 10.0 {
        1
    } else {
        2
    };
    let text = format!("{number:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_unit_that_suits_them() {
        for (ms, wanted) in [
            (0.0, "0 ms"),
            (250.0, "250 ms"),
            (337.5, "338 ms"),
            (1000.0, "1 s"),
            (1500.0, "1.5 s"),
            (90_000.0, "1.5 min"),
            (21_600_000.0, "6 h"),
            (2_147_483_647.0, "24.9 days"),
        ] {
            assert_eq!(duration(ms), wanted);
        }
        assert_eq!(percent(0.2), "20 %");
        assert_eq!(percent(0.68965), "69 %");
    }
}
