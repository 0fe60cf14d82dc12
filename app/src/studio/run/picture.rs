//! The time line of a run. The schedule stands on it as the calculator draws it.

use super::{Attempt, Came, Run, words};
use crate::parts::chart::{Axis, Bar, Chart, Height, Mark, Row, Shape, Table, Tone};
use crate::studio::words::number;
use model::retry::answers::schedule;
use model::retry::plan::Window;

/// The window in which an attempt had to start, from the end of the one before.
fn window(run: &Run, index: usize) -> Option<Window> {
    let before = run.attempts.get(index.checked_sub(1)?)?;
    let ended = before.ended_ms? as f64;
    let window = *run.plan.windows().get(index - 1)?;
    // Retry-After moves it.
    let least = match before.wait? {
        (ms, true) => ms as f64,
        _ => 0.0,
    };
    Some(Window {
        low_ms: ended + window.low_ms.max(least),
        high_ms: ended + window.high_ms.max(least),
    })
}

fn came(attempt: &Attempt) -> String {
    match attempt.came {
        Came::Open => "under way".to_owned(),
        Came::Reply {
            status,
            replayed: true,
        } => format!("{status}, the stored reply"),
        Came::Reply { status, .. } => status.to_string(),
        Came::TimedOut => "no reply in time".to_owned(),
        Came::Broke => "the connection broke".to_owned(),
    }
}

/// What was planned, and what happened.
pub(super) fn picture(run: &Run) -> Chart {
    let slots = schedule(&run.plan);
    let planned_end = slots
        .last()
        .map_or(1.0, |slot| slot.starts.high_ms + run.plan.timeout_ms as f64);
    let end = (run.attempts.iter().enumerate())
        .flat_map(|(index, it)| {
            [
                Some(it.sent_ms as f64),
                it.ended_ms.map(|ms| ms as f64),
                window(run, index).map(|window| window.high_ms),
            ]
        })
        .flatten()
        .fold(planned_end, f64::max);
    let bar = |row: usize, from: f64, to: f64, half: f64| {
        let middle = -0.5 - row as f64;
        Bar {
            from,
            to,
            low: middle - half,
            high: middle + half,
        }
    };
    let sent = |lost: bool| {
        let bars = run.attempts.iter().enumerate().filter_map(|(row, it)| {
            let is_lost = matches!(it.came, Came::TimedOut | Came::Broke);
            let to = it.ended_ms.unwrap_or(it.sent_ms).max(it.sent_ms + 1);
            (is_lost == lost).then(|| bar(row, it.sent_ms as f64, to as f64, 0.16))
        });
        Shape::Bars(bars.collect())
    };
    let planned = slots
        .iter()
        .enumerate()
        .map(|(row, slot)| bar(row, slot.starts.low_ms, slot.starts.high_ms, 0.38));
    let windows = (0..run.attempts.len())
        .filter_map(|row| window(run, row).map(|it| bar(row, it.low_ms, it.high_ms, 0.28)));
    let mark = |tone, name: &str, shape| Mark {
        tone,
        name: name.to_owned(),
        shape,
    };
    Chart {
        id: "c-run".to_owned(),
        title: "What was planned, and what happened".to_owned(),
        x: Axis::linear("ms from the start of the first attempt", 0.0, end, |ms| {
            number(ms, 4)
        }),
        y: Axis::rows("attempt", (1..=slots.len()).map(|it| it.to_string())),
        marks: vec![
            mark(
                Tone::Faint,
                "planned start, if each runs into its time-out",
                Shape::Boxes(planned.collect()),
            ),
            mark(
                Tone::Ledger,
                "had to start within, after the one before",
                Shape::Boxes(windows.collect()),
            ),
            mark(Tone::Server, "attempt with a reply", sent(false)),
            mark(Tone::Lost, "attempt without one", sent(true)),
        ],
        table: Table {
            head: [
                "Attempt",
                "What went wrong",
                "Had to start, ms",
                "Started, ms",
                "Ended, ms",
                "Came to",
            ]
            .map(str::to_owned)
            .to_vec(),
            rows: run
                .attempts
                .iter()
                .enumerate()
                .map(|(row, it)| Row {
                    at: (it.sent_ms as f64, -0.5 - row as f64),
                    cells: vec![
                        (row + 1).to_string(),
                        words(it.fault).to_owned(),
                        window(run, row).map_or_else(
                            || "\u{2013}".to_owned(),
                            |it| format!("{:.0} to {:.0}", it.low_ms, it.high_ms),
                        ),
                        it.sent_ms.to_string(),
                        it.ended_ms
                            .map_or_else(|| "\u{2013}".to_owned(), |ms| ms.to_string()),
                        came(it),
                    ],
                })
                .collect(),
        },
        height: Height::Rows(slots.len()),
    }
}
