//! Values to places, and round numbers between them.

use super::{Axis, Ticks};

/// The round numbers from `low` to `high`, at most about `most` of them.
pub(super) fn round(low: f64, high: f64, most: usize) -> Vec<f64> {
    let span = high - low;
    if !(span.is_finite() && span > 0.0) || most == 0 {
        return Vec::new();
    }
    let rough = span / most as f64;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|it| it * power)
        .find(|step| *step >= rough * 0.999)
        .unwrap_or(10.0 * power);
    let first = (low / step - 1e-9).ceil();
    let count = ((high / step + 1e-9).floor() - first + 1.0).clamp(0.0, 50.0) as u32;
    (0..count).map(|k| (first + f64::from(k)) * step).collect()
}

/// The ticks of an axis.
pub(super) fn ticks(axis: &Axis, most: usize) -> Vec<(f64, String)> {
    match &axis.ticks {
        Ticks::Round(write) => round(axis.low, axis.high, most)
            .into_iter()
            .map(|value| (value, write(value)))
            .collect(),
        Ticks::At(ticks) => ticks.clone(),
    }
}

/// Where a value lies on an axis: 0 at its start, 1 at its end, never beyond by more
/// than a little, so that no number in a picture is out of bounds.
pub(super) fn place(axis: &Axis, value: f64) -> f64 {
    let place = (value - axis.low) / (axis.high - axis.low);
    if place.is_nan() {
        0.0
    } else {
        place.clamp(-0.02, 1.02)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(
            round(0.0, 1.0, 5),
            [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]
        );
        assert_eq!(round(0.0, 1500.0, 6), [0.0, 500.0, 1000.0, 1500.0]);
        assert_eq!(round(3.0, 17.0, 4), [5.0, 10.0, 15.0]);
        for (low, high) in [
            (0.0, 0.0),
            (1.0, 0.0),
            (0.0, f64::INFINITY),
            (f64::NAN, 1.0),
        ] {
            assert!(round(low, high, 5).is_empty());
        }
        assert!(round(0.0, 4e12, 6).len() <= 8);
    }

    #[test]
    fn no_place_is_out_of_bounds() {
        let axis = Axis::linear("", 0.0, 10.0, |it| it.to_string());
        assert_eq!(place(&axis, 5.0), 0.5);
        assert_eq!(place(&axis, f64::NAN), 0.0);
        assert_eq!(place(&axis, 1e300), 1.02);
    }
}
