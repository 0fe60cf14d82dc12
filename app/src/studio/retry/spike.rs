//! Decorrelated jitter on its cap: clamping brings the waves back.

use super::answers::basis;
use super::chart;
use crate::parts::chart::{Axis, Bar, Chart, Height, Mark, Row, Shape, Table, Tone};
use crate::studio::words::{duration, number, percent};
use maud::{Markup, html};
use model::retry::answers::{Pile, piles, stays_on_cap};
use model::retry::plan::{Plan, Spread};

/// The most retries that are drawn.
const MOST: usize = 30;
/// How many operations are drawn for it.
const DRAWS: usize = 10_000;

fn drawn(plan: &Plan, seed: u64) -> Vec<Pile> {
    let shown = Plan {
        attempts: plan.attempts.min(MOST as u32 + 1),
        ..*plan
    };
    piles(&shown, DRAWS, seed)
}

/// The spike, for decorrelated jitter only.
pub(super) fn draw(plan: &Plan, seed: u64) -> Markup {
    let Some(picture) = picture(plan, seed) else {
        return html! {};
    };
    html! {
        section class="studio__part" aria-labelledby="spike" {
            h2 id="spike" { "The spike on the cap" }
            p {
                "A wait is drawn up to three times the one before and cut to the cap of "
                (duration(plan.cap_ms as f64)) ". Whoever is cut waits exactly the cap, in step with everybody else who is cut. "
                @if let Some(stays) = stays_on_cap(plan) {
                    "Of those that waited the cap, " output name="stays-on-cap" { (percent(stays)) }
                    " do so the next time again, exactly 2\u{b7}cap/(3\u{b7}cap \u{2212} base)."
                }
                @if plan.retries() as usize > MOST {
                    " The first " (MOST) " of " (plan.retries()) " retries are shown."
                }
                " Drawn with seed " (seed) " from " (DRAWS) " operations."
            }
            (chart(&picture))
        }
    }
}

/// The share that waits exactly the cap, by retry.
pub(super) fn picture(plan: &Plan, seed: u64) -> Option<Chart> {
    if plan.spread != Spread::Decorrelated || plan.retries() == 0 {
        return None;
    }
    let piles = drawn(plan, seed);
    Some(Chart {
        id: "c-spike".to_owned(),
        title: "Clients that wait exactly the cap".to_owned(),
        x: Axis::linear("retry", 0.5, piles.len() as f64 + 0.5, |it| {
            // Between two retries there is none.
            if it.fract() == 0.0 {
                number(it, 3)
            } else {
                String::new()
            }
        }),
        y: Axis::linear("share on the cap", 0.0, 1.0, percent),
        marks: vec![Mark {
            tone: Tone::Lost,
            name: String::new(),
            shape: Shape::Bars(
                piles
                    .iter()
                    .map(|pile| Bar {
                        from: f64::from(pile.retry) - 0.35,
                        to: f64::from(pile.retry) + 0.35,
                        low: 0.0,
                        high: pile.at_cap.value,
                    })
                    .collect(),
            ),
        }],
        table: Table {
            head: ["Retry", "Mean wait, ms", "How", "Share on the cap", "How"]
                .map(str::to_owned)
                .to_vec(),
            rows: piles
                .iter()
                .map(|pile| Row {
                    at: (f64::from(pile.retry), pile.at_cap.value),
                    cells: vec![
                        pile.retry.to_string(),
                        number(pile.mean_ms.value, 5),
                        basis(pile.mean_ms),
                        percent(pile.at_cap.value),
                        basis(pile.at_cap),
                    ],
                })
                .collect(),
        },
        height: Height::Small,
    })
}
