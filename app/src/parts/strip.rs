//! A tick for each call, and the one whose reply is lost.
//!
//! The ticks are the dashes of one thick line in each row: as many as a reader asks
//! for cost no more bytes than a few.

use super::diagram::burst;
use std::fmt::Write;

/// More calls than this are not drawn.
pub const MOST: u64 = 2_000;

/// The measures of a drawing: ticks in a row, px from tick to tick, the height of a
/// tick and of the room under it.
struct Plan {
    class: &'static str,
    row: u64,
    pitch: u64,
    tick: u64,
    gap: u64,
    dashes: &'static str,
}

const WIDE: Plan = Plan {
    class: "wide",
    row: 200,
    pitch: 5,
    tick: 18,
    gap: 8,
    dashes: "1.25 3.75",
};

const NARROW: Plan = Plan {
    class: "narrow",
    row: 72,
    pitch: 4,
    tick: 12,
    gap: 6,
    dashes: "1.25 2.75",
};

/// Room for the words over the lost one.
const WORDS: u64 = 22;

/// Draws so many calls, for wide and for narrow screens; nothing when there are too
/// many.
#[must_use]
pub fn strip(calls: u64) -> String {
    if !(1..=MOST).contains(&calls) {
        return String::new();
    }
    let mut svg = one(calls, &WIDE);
    svg.push_str(&one(calls, &NARROW));
    svg
}

fn one(calls: u64, plan: &Plan) -> String {
    let Plan {
        class,
        row: in_row,
        pitch,
        tick,
        gap,
        dashes,
    } = *plan;
    let width = in_row * pitch;
    // Anyone of them may be the one. This one leaves room for the words around it.
    let lost = calls * 11 / 16;
    let (mut d, mut sign) = (String::new(), String::new());
    let mut y = tick / 2;
    let mut first = 0;
    while first < calls {
        let ticks = in_row.min(calls - first);
        let mut line = |from: u64, to: u64, y: u64| {
            if from < to {
                let _ = write!(d, "M{} {y}H{}", from * pitch, (to - 1) * pitch + 2);
            }
        };
        if (first..first + ticks).contains(&lost) {
            y += WORDS;
            let at = lost - first;
            line(0, at, y);
            line(at + 1, ticks, y);
            let x = at * pitch + 1;
            let words = x.clamp(56, width - 56);
            sign = format!(
                r#"{}<text class="t-lost" x="{words}" y="{}" text-anchor="middle">this reply is lost</text>"#,
                burst(
                    i32::try_from(x).unwrap_or(0),
                    i32::try_from(y).unwrap_or(0),
                    ".75"
                ),
                y - tick / 2 - 8,
            );
        } else {
            line(0, ticks, y);
        }
        y += tick + gap;
        first += ticks;
    }
    let height = y - tick / 2 - gap + 4;
    format!(
        r#"<svg class="chart chart--{class}" viewBox="0 0 {width} {height}" aria-hidden="true"><path class="strip__t" stroke-width="{tick}" stroke-dasharray="{dashes}" d="{d}"/>{sign}</svg>"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many ticks the dashes of a path come to.
    fn ticks(svg: &str, pitch: u64) -> u64 {
        let from = svg.find(r#" d="M"#).expect("a path") + 4;
        let d = svg[from..].split('"').next().unwrap_or_default();
        d.split('M')
            .filter(|line| !line.is_empty())
            .map(|line| {
                let (from, to) = line.split_once('H').expect("a line");
                let from: u64 = from
                    .split(' ')
                    .next()
                    .unwrap_or_default()
                    .parse()
                    .expect("x");
                let to: u64 = to.parse().expect("x");
                (to - 2 - from) / pitch + 1
            })
            .sum()
    }

    #[test]
    fn every_call_but_the_lost_one_is_a_tick() {
        for calls in [2, 3, 16, 72, 199, 200, 201, 1000, 1999, 2000] {
            assert_eq!(ticks(&one(calls, &WIDE), WIDE.pitch), calls - 1, "{calls}");
            assert_eq!(
                ticks(&one(calls, &NARROW), NARROW.pitch),
                calls - 1,
                "{calls}"
            );
        }
    }

    #[test]
    fn too_many_are_not_drawn() {
        assert!(strip(MOST + 1).is_empty());
        assert!(strip(0).is_empty());
        assert_eq!(strip(1).matches("f-lost").count(), 2);
    }
}
