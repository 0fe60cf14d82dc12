//! A scale that several pictures share, and its ticks.

use model::money::grouped;

/// From 0 to a most, with a unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    /// The far end; above 0.
    pub(crate) most: f64,
    unit: &'static str,
}

impl Scale {
    /// Up to a value, which is taken as 1 where it is not above 0.
    pub(crate) fn new(most: f64, unit: &'static str) -> Self {
        Self {
            most: if most > 0.0 && most.is_finite() {
                most
            } else {
                1.0
            },
            unit,
        }
    }

    /// Where a value lies between 0 and the most, as a share.
    pub(crate) fn share(&self, value: f64) -> f64 {
        (value / self.most).clamp(0.0, 1.0)
    }

    /// Round values from 0 on, three to six of them.
    pub(crate) fn ticks(&self) -> Vec<f64> {
        let step = self.step();
        let count = (self.most / step * (1.0 + 1e-9)).floor() as u32;
        (0..=count).map(|at| f64::from(at) * step).collect()
    }

    fn step(&self) -> f64 {
        let rough = self.most / 4.0;
        let size = 10_f64.powf(rough.log10().floor());
        let step = match rough / size {
            ..1.5 => 1.0,
            1.5..3.5 => 2.0,
            3.5..7.5 => 5.0,
            _ => 10.0,
        };
        step * size
    }

    /// A tick with the unit where it is the last one.
    pub(crate) fn label(&self, tick: f64) -> String {
        let last = tick + self.step() > self.most * (1.0 + 1e-9);
        if last && !self.unit.is_empty() {
            format!("{} {}", short(tick), self.unit)
        } else {
            short(tick)
        }
    }
}

/// A number as it stands in a table: grouped from five digits on, up to three
/// decimals below 10, one below 1000.
pub(crate) fn short(number: f64) -> String {
    let decimals = match number.abs() {
        ..10.0 => 1000.0,
        10.0..1000.0 => 10.0,
        _ => 1.0,
    };
    let rounded = (number * decimals).round() / decimals;
    if rounded >= 10_000.0 {
        grouped(rounded as u64)
    } else {
        format!("{rounded}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within() {
        for (most, ticks) in [
            (1000.0, vec![0.0, 200.0, 400.0, 600.0, 800.0, 1000.0]),
            (1090.0, vec![0.0, 200.0, 400.0, 600.0, 800.0, 1000.0]),
            (60.0, vec![0.0, 20.0, 40.0, 60.0]),
            (0.0, vec![0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]),
        ] {
            assert_eq!(Scale::new(most, "").ticks(), ticks, "{most}");
        }
        for most in [1.0, 3.0, 7.0, 99.0, 1e6, 123_456.0, f64::NAN, f64::INFINITY] {
            let ticks = Scale::new(most, "").ticks();
            assert!((3..=8).contains(&ticks.len()), "{most}: {ticks:?}");
        }
    }

    #[test]
    fn numbers_are_short() {
        for (number, text) in [
            (0.0, "0"),
            (0.6000000000000001, "0.6"),
            (1.2345, "1.235"),
            (123.456, "123.5"),
            (9999.0, "9999"),
            (10_000.4, "10,000"),
            (1_000_000.0, "1,000,000"),
        ] {
            assert_eq!(short(number), text);
        }
        assert_eq!(Scale::new(1000.0, "ms").label(1000.0), "1000 ms");
        assert_eq!(Scale::new(1000.0, "ms").label(800.0), "800");
    }
}
