//! The figures, how they come about, and the tree.

use super::{calls, digits, figure, relief, tree, worst};
use crate::parts::chart::{
    Axis, Bar, Chart, Height, Mark, Row, Shape, Table, Ticks, Tone, draw as plot,
};
use crate::studio::words;
use maud::{Markup, html};
use model::retry::amplify::{Count, Level, Stack, working};

/// The result in a sentence.
pub(super) fn sentence(stack: &Stack) -> String {
    format!(
        "One request becomes at most {} at the bottom, {} on average.",
        calls(worst(stack)),
        calls(stack.expected_calls())
    )
}

pub(super) fn draw(stack: &Stack) -> Markup {
    html! {
        section class="studio__part" aria-labelledby="amp-figures" {
            h2 id="amp-figures" { "What arrives at the bottom" }
            dl class="figs" {
                div {
                    dt { "Calls for one request, at most" }
                    dd { (figure("worst-calls", worst(stack))) }
                }
                div {
                    dt { "on average" }
                    dd { (figure("expected-calls", stack.expected_calls())) }
                }
                div {
                    dt { "Calls a second, at most" }
                    dd { (figure("worst-rps", Count::Exact(stack.worst_rps()))) }
                }
                div {
                    dt { "on average" }
                    dd { (figure("expected-rps", stack.expected_rps())) }
                }
                div {
                    dt { "Users who get an answer" }
                    dd { output name="success" { (words::percent(stack.success())) } }
                }
            }
            p { (gist(stack)) }
        }
        section class="studio__part" aria-labelledby="amp-working" {
            h2 id="amp-working" { "Step by step" }
            ol class="amp__steps" {
                @for step in working(stack) {
                    li {
                        (step.text)
                        @if !step.sum.is_empty() { " " span class="amp__sum" { (step.sum) } }
                    }
                }
            }
            p { (mean(stack)) }
        }
        section class="studio__part" aria-labelledby="amp-tree" {
            h2 id="amp-tree" { "The tree of calls" }
            (tree::draw(stack))
            (plot(&chart(stack)))
        }
        (relief::draw(stack))
    }
}

/// What to take from the figures.
fn gist(stack: &Stack) -> Markup {
    html! {
        @if stack.p >= 1.0 {
            "The service is down, so every attempt is made and none helps: the average is the worst case."
        } @else if stack.p <= 0.0 {
            "Nothing fails, so nobody tries again: one request is one call."
        } @else {
            "With independent failures one success ends the whole, as if a single client made "
            (calls(worst(stack))) " at most. In an outage failures are not independent: "
            "the worst case is the one to plan for, and it comes just when the service can do least."
        }
    }
}

/// How the average is worked out.
fn mean(stack: &Stack) -> Markup {
    html! {
        "On average: a layer whose callee fails with f makes 1 + f + f² + … calls, a term for each attempt, and fails "
        "itself when all of them do. The averages of the layers multiply; it comes to (1 − pᴺ)/(1 − p), N = "
        (digits(worst(stack))) ", p = " (words::number(stack.p, 6))
        @if stack.p >= 1.0 { ", and to N at p = 1" }
        "."
    }
}

/// The levels as bars. Each tick is so many times the one before: a product is a sum of
/// lengths there.
fn chart(stack: &Stack) -> Chart {
    let levels = stack.levels();
    let reach = |count: Count| count.value().max(1.0).log10();
    let bars = |count: fn(&Level) -> Count| {
        let bar = |(row, level): (u32, &Level)| Bar {
            from: 0.0,
            to: reach(count(level)),
            low: -f64::from(row) - 0.8,
            high: -f64::from(row) - 0.2,
        };
        Shape::Bars((0..).zip(&levels).map(bar).collect())
    };
    let most = reach(worst(stack)).max(1.0).ceil() as u32;
    let step = most.div_ceil(4).max(1);
    let ticks = (0..=most)
        .step_by(step as usize)
        .map(|power| (f64::from(power), power_of_ten(power)))
        .collect();
    Chart {
        id: "amp-levels".to_owned(),
        title: "Calls at each level, for one request of a user".to_owned(),
        x: Axis {
            label: "calls, on a logarithmic scale".to_owned(),
            low: 0.0,
            high: f64::from(most),
            ticks: Ticks::At(ticks),
        },
        y: Axis::rows("", levels.iter().map(|level| tree::caller(level.layer))),
        marks: vec![
            Mark {
                tone: Tone::Lost,
                name: "at most".to_owned(),
                shape: match bars(|level| level.worst) {
                    Shape::Bars(bars) => Shape::Boxes(bars),
                    other => other,
                },
            },
            Mark {
                tone: Tone::Client,
                name: "on average".to_owned(),
                shape: bars(|level| level.expected),
            },
        ],
        table: Table {
            head: [
                "Caller",
                "Attempts",
                "Calls at most",
                "Calls on average",
                "A call fails",
            ]
            .map(str::to_owned)
            .to_vec(),
            rows: (0..)
                .zip(&levels)
                .map(|(row, level)| Row {
                    at: (reach(level.worst), -f64::from(row) - 0.5),
                    cells: vec![
                        tree::caller(level.layer),
                        level.attempts.to_string(),
                        level.worst.to_string(),
                        level.expected.to_string(),
                        words::percent(level.fails),
                    ],
                })
                .collect(),
        },
        height: Height::Rows(levels.len()),
    }
}

fn power_of_ten(power: u32) -> String {
    match power {
        0 => "1".to_owned(),
        1..=5 => words::grouped(&10_u32.pow(power).to_string()),
        _ => format!("1e{power}"),
    }
}

/// The charts of the picture file.
pub(super) fn charts(stack: &Stack) -> Vec<Chart> {
    vec![chart(stack)]
}
