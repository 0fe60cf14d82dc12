//! What retries add to the latency: the exact curve, and the sample over it.

use super::answers::digits;
use super::chart;
use super::timeline::{unit, write};
use crate::parts::chart::{Axis, Bar, Chart, Height, Mark, Row, Shape, Table, Tone};
use crate::studio::words::{duration, number, percent};
use maud::{Markup, html};
use model::retry::answers::{Answers, Basis};
use model::retry::form::Inputs;
use model::retry::plan::Spread;

/// Points of the exact curve; fewer where each takes long.
const CURVE: usize = 120;
/// Dots of the sample on it, and rows of its table.
const DOTS: usize = 40;
/// Parts of the histogram.
const BINS: usize = 40;

/// Both distributions, with what to see in them.
pub(super) fn draw(inputs: &Inputs, answers: &Answers, seed: u64) -> Markup {
    let sample = &answers.sample;
    let none = sample.added_ms().iter().filter(|ms| **ms <= 0.0).count();
    let none = answers.latency.as_ref().map_or_else(
        || none as f64 / sample.draws().max(1) as f64,
        |latency| latency.none,
    );
    html! {
        section class="studio__part" aria-labelledby="added" {
            h2 id="added" { "What it adds to the latency" }
            @if let Some(added) = added(inputs, answers) {
                p {
                    (percent(none)) " of all operations wait not at all. "
                    @if answers.latency.is_some() {
                        "The line is exact; the dots are " (sample.draws()) " operations drawn with seed " (seed) "."
                    } @else {
                        "There is no closed form for this policy: the line is " (sample.draws()) " operations drawn with seed " (seed) "."
                    }
                }
                (chart(&added))
            } @else {
                p { "Nothing: it never waits." }
            }
            @if let Some(total) = total(inputs, answers) {
                h3 { "When every attempt fails" }
                p {
                    "All waits together, in " (BINS) " equal parts. "
                    @if is_exact(answers) {
                        "Bars are the sample, the line is exact."
                    } @else {
                        "Bars are the sample."
                    }
                }
                (chart(&total))
            } @else if inputs.plan.spread == Spread::None && answers.worst_wait.value > 0.0 {
                p {
                    "Without jitter the waits of an operation that fails to the end always come to "
                    (duration(answers.wait_p50.value)) ": there is nothing to draw."
                }
            }
        }
    }
}

/// Whether the sum of the waits has a closed form that the deadline does not cut.
fn is_exact(answers: &Answers) -> bool {
    answers.sum.is_some() && !matches!(answers.wait_p50.basis, Basis::Sampled { .. })
}

/// The share of sorted values that are at most `ms`.
fn share(sorted: &[f64], ms: f64) -> f64 {
    sorted.partition_point(|it| *it <= ms) as f64 / sorted.len().max(1) as f64
}

/// How much wait all operations have, as a share of those that have no more. Nothing
/// where nobody waits.
pub(super) fn added(inputs: &Inputs, answers: &Answers) -> Option<Chart> {
    let sample = answers.sample.added_ms();
    let high = answers
        .latency
        .as_ref()
        .map_or_else(|| sample.last().copied().unwrap_or(0.0), |it| it.high_ms());
    if high <= 0.0 {
        return None;
    }
    // Where only a few wait, the long tail would leave the rest no room.
    let end = answers
        .latency
        .as_ref()
        .map_or(high, |it| it.quantile_ms(0.9999).clamp(high / 50.0, high));
    let retries = inputs.plan.retries().max(1) as usize;
    let count = (1200 / retries).clamp(30, CURVE);
    let at = |step: usize, of: usize| end * step as f64 / of as f64;
    let is_sampled = inputs.plan.spread != Spread::None;
    let dots: Vec<(f64, f64)> = (0..=DOTS)
        .map(|step| (at(step, DOTS), share(sample, at(step, DOTS))))
        .collect();
    let mut marks = Vec::new();
    match &answers.latency {
        Some(latency) => {
            let curve = (0..=count)
                .map(|step| (at(step, count), latency.cdf(at(step, count))))
                .collect();
            let shape = if is_sampled {
                Shape::Line(curve)
            } else {
                Shape::Step(curve)
            };
            marks.push(Mark {
                tone: Tone::Client,
                name: "exact".to_owned(),
                shape,
            });
            if is_sampled {
                marks.push(Mark {
                    tone: Tone::Lost,
                    name: format!("sample of {}", answers.sample.draws()),
                    shape: Shape::Dots(dots.clone()),
                });
            }
        }
        None => {
            let curve = (0..=CURVE)
                .map(|step| (at(step, CURVE), share(sample, at(step, CURVE))))
                .collect();
            marks.push(Mark {
                tone: Tone::Lost,
                name: format!("sample of {}", answers.sample.draws()),
                shape: Shape::Step(curve),
            });
        }
    }
    let rows = dots
        .iter()
        .map(|(ms, drawn)| {
            let exact = answers.latency.as_ref().map(|it| it.cdf(*ms));
            Row {
                at: (*ms, exact.unwrap_or(*drawn)),
                cells: vec![
                    number(*ms, digits(*ms)),
                    exact.map_or_else(|| "\u{2013}".to_owned(), percent),
                    if is_sampled || exact.is_none() {
                        percent(*drawn)
                    } else {
                        "\u{2013}".to_owned()
                    },
                ],
            }
        })
        .collect();
    Some(Chart {
        id: "c-added".to_owned(),
        title: "Operations that wait no longer than this".to_owned(),
        x: Axis::linear(
            format!("waits of an operation, {}", unit(end).1),
            0.0,
            end,
            write(end),
        ),
        y: Axis::linear("share of all operations", 0.0, 1.0, percent),
        marks,
        table: Table {
            head: ["Wait at most, ms", "Exact", "Sample"]
                .map(str::to_owned)
                .to_vec(),
            rows,
        },
        height: Height::Usual,
    })
}

/// All waits together when every attempt fails. Nothing where they are always the
/// same.
pub(super) fn total(inputs: &Inputs, answers: &Answers) -> Option<Chart> {
    let totals = answers.sample.totals_ms();
    let (low, high) = match &answers.sum {
        Some(sum) if is_exact(answers) => (sum.low_ms(), sum.high_ms()),
        _ => (*totals.first()?, *totals.last()?),
    };
    if inputs.plan.spread == Spread::None || high <= low {
        return None;
    }
    let draws = answers.sample.draws().max(1) as f64;
    let counts = answers.sample.histogram(low, high, BINS);
    let edge = |bin: usize| low + (high - low) * bin as f64 / BINS as f64;
    let sum = answers.sum.as_ref().filter(|_| is_exact(answers));
    let exact: Option<Vec<f64>> = sum.map(|sum| {
        let edges: Vec<f64> = (0..=BINS).map(|bin| sum.cdf(edge(bin))).collect();
        edges
            .iter()
            .zip(edges.iter().skip(1))
            .map(|(before, after)| (after - before).max(0.0))
            .collect()
    });
    let shares: Vec<f64> = counts
        .iter()
        .map(|count| f64::from(*count) / draws)
        .collect();
    let most = shares
        .iter()
        .chain(exact.iter().flatten())
        .fold(0.0, |most: f64, it| most.max(*it));
    let middle = |bin: usize| (edge(bin) + edge(bin + 1)) / 2.0;
    let mut marks = vec![Mark {
        tone: Tone::Lost,
        name: format!("sample of {}", answers.sample.draws()),
        shape: Shape::Bars(
            shares
                .iter()
                .enumerate()
                .map(|(bin, share)| Bar {
                    from: edge(bin),
                    to: edge(bin + 1),
                    low: 0.0,
                    high: *share,
                })
                .collect(),
        ),
    }];
    if let Some(exact) = &exact {
        marks.push(Mark {
            tone: Tone::Client,
            name: "exact".to_owned(),
            shape: Shape::Line(
                exact
                    .iter()
                    .enumerate()
                    .map(|(bin, share)| (middle(bin), *share))
                    .collect(),
            ),
        });
    }
    for (figure, words) in [(answers.wait_p50, "p50"), (answers.wait_p99, "p99")] {
        marks.push(Mark {
            tone: Tone::Ink,
            name: String::new(),
            shape: Shape::Rule(figure.value, words.to_owned()),
        });
    }
    Some(Chart {
        id: "c-total".to_owned(),
        title: "All waits together when every attempt fails".to_owned(),
        x: Axis::linear(
            format!("waits of an operation, {}", unit(high).1),
            low,
            high,
            write(high),
        ),
        y: Axis::linear("share in each part", 0.0, most * 1.1, percent),
        marks,
        table: Table {
            head: ["From, ms", "To, ms", "Exact", "Sample"]
                .map(str::to_owned)
                .to_vec(),
            rows: shares
                .iter()
                .enumerate()
                .map(|(bin, share)| Row {
                    at: (middle(bin), *share),
                    cells: vec![
                        number(edge(bin), digits(edge(bin))),
                        number(edge(bin + 1), digits(edge(bin + 1))),
                        exact
                            .as_ref()
                            .and_then(|it| it.get(bin))
                            .map_or_else(|| "\u{2013}".to_owned(), |it| percent(*it)),
                        percent(*share),
                    ],
                })
                .collect(),
        },
        height: Height::Usual,
    })
}
