//! When each attempt can start, as windows on a time line.

use super::chart;
use crate::parts::chart::{Axis, Bar, Chart, Height, Mark, Row, Shape, Table, Tone};
use crate::studio::words::{counted, duration, number};
use maud::{Markup, html};
use model::retry::answers::{Fits, Slot, schedule};
use model::retry::plan::{Plan, Window};

/// The most attempts that are drawn; the table has no more either, and says so.
const MOST: usize = 24;

/// The chart and what to see in it.
pub(super) fn draw(plan: &Plan) -> Markup {
    let slots = schedule(plan);
    html! {
        section class="studio__part" aria-labelledby="schedule" {
            h2 id="schedule" { "When attempts come" }
            p {
                "Every attempt is taken to run into its time-out of " (duration(plan.timeout_ms as f64)) ". "
                "A window grows with each wait before it: the later the attempt, the less can be said of when it comes."
                @if slots.len() > MOST {
                    " The first " (MOST) " of " (counted(slots.len() as u64, "attempt", "attempts")) " are shown."
                }
            }
            (chart(&picture(plan)))
        }
    }
}

/// The time line.
pub(super) fn picture(plan: &Plan) -> Chart {
    let all = schedule(plan);
    let slots = all.get(..MOST.min(all.len())).unwrap_or_default();
    let timeout = plan.timeout_ms as f64;
    let end = slots
        .iter()
        .map(|slot| slot.starts.high_ms + timeout)
        .fold(1.0, f64::max);
    let bar = |row: usize, from: f64, to: f64, half: f64| {
        let middle = -0.5 - row as f64;
        Bar {
            from,
            to,
            low: middle - half,
            high: middle + half,
        }
    };
    let rows = || slots.iter().enumerate();
    let may_run =
        rows().map(|(row, slot)| bar(row, slot.starts.low_ms, slot.starts.high_ms + timeout, 0.34));
    let starts = |never: bool| {
        rows()
            .filter(move |(_, slot)| (slot.fits == Fits::Never) == never)
            .map(|(row, slot)| bar(row, slot.starts.low_ms, slot.starts.high_ms, 0.34))
            .collect::<Vec<_>>()
    };
    let never = starts(true);
    let mut marks = vec![
        Mark {
            tone: Tone::Faint,
            name: "may be running".to_owned(),
            shape: Shape::Boxes(may_run.collect()),
        },
        Mark {
            tone: Tone::Client,
            name: "starts within".to_owned(),
            shape: Shape::Bars(starts(false)),
        },
    ];
    if !never.is_empty() {
        marks.push(Mark {
            tone: Tone::Lost,
            name: "never starts: past the deadline".to_owned(),
            shape: Shape::Bars(never),
        });
    }
    if let Some(deadline) = plan.deadline_ms.map(|ms| ms as f64).filter(|ms| *ms <= end) {
        marks.push(Mark {
            tone: Tone::Ledger,
            name: String::new(),
            shape: Shape::Rule(deadline, format!("deadline {}", duration(deadline))),
        });
    }
    Chart {
        id: "c-schedule".to_owned(),
        title: "When each attempt can start and run".to_owned(),
        x: Axis::linear(
            format!("from the start of the first attempt, {}", unit(end).1),
            0.0,
            end,
            write(end),
        ),
        y: Axis::rows("attempt", slots.iter().map(|slot| slot.attempt.to_string())),
        marks,
        table: Table {
            head: [
                "Attempt",
                "Nominal wait, ms",
                "Wait before it, ms",
                "Starts, ms from the first",
                "Before the deadline",
            ]
            .map(str::to_owned)
            .to_vec(),
            rows: rows()
                .map(|(row, slot)| Row {
                    at: (slot.starts.high_ms, -0.5 - row as f64),
                    cells: cells(slot, plan.deadline_ms.is_some()),
                })
                .collect(),
        },
        height: Height::Rows(slots.len()),
    }
}

fn cells(slot: &Slot, has_deadline: bool) -> Vec<String> {
    vec![
        slot.attempt.to_string(),
        slot.nominal_ms
            .map_or_else(|| "\u{2013}".to_owned(), |ms| number(ms, 6)),
        slot.wait.map_or_else(|| "\u{2013}".to_owned(), window),
        window(slot.starts),
        match slot.fits {
            _ if !has_deadline => "no deadline",
            Fits::Always => "always",
            Fits::Perhaps => "if the waits are short",
            Fits::Never => "never",
        }
        .to_owned(),
    ]
}

/// From when to when.
pub(super) fn window(window: Window) -> String {
    if window.width_ms() > 0.0 {
        format!(
            "{} to {}",
            number(window.low_ms, 6),
            number(window.high_ms, 6)
        )
    } else {
        number(window.low_ms, 6)
    }
}

/// The unit of an axis of times that ends there: how many ms, and its name.
pub(super) fn unit(end_ms: f64) -> (f64, &'static str) {
    match end_ms {
        ms if ms >= 4.0 * 86_400_000.0 => (86_400_000.0, "days"),
        ms if ms >= 4.0 * 3_600_000.0 => (3_600_000.0, "h"),
        ms if ms >= 240_000.0 => (60_000.0, "min"),
        ms if ms >= 10_000.0 => (1000.0, "s"),
        _ => (1.0, "ms"),
    }
}

/// Writes the ticks of such an axis.
pub(super) fn write(end_ms: f64) -> fn(f64) -> String {
    match unit(end_ms).1 {
        "days" => |ms| number(ms / 86_400_000.0, 3),
        "h" => |ms| number(ms / 3_600_000.0, 3),
        "min" => |ms| number(ms / 60_000.0, 3),
        "s" => |ms| number(ms / 1000.0, 3),
        _ => |ms| number(ms, 4),
    }
}
