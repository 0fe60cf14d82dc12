//! What takes calls away: one layer only, a budget, a deadline.

use super::{digits, worst};
use crate::studio::words;
use maud::{Markup, html};
use model::Ms;
use model::retry::amplify::{Count, Stack};

/// What is reckoned with where the form names none.
const BUDGET: f64 = 0.1;
const DEADLINE: Ms = 2000;

/// A row: what is done, the name of its outputs, and the calls that are left.
struct Row {
    name: String,
    what: String,
    is_example: bool,
    calls: Count,
}

fn rows(stack: &Stack) -> Vec<Row> {
    let mut rows: Vec<_> = stack
        .layers
        .iter()
        .enumerate()
        .filter(|_| stack.layers.len() > 1)
        .map(|(index, attempts)| Row {
            name: format!("only-{}", index + 1),
            what: format!(
                "Only layer {} retries, with {}",
                index + 1,
                words::counted(u64::from(*attempts), "attempt", "attempts")
            ),
            is_example: false,
            calls: worst(&stack.only(index)),
        })
        .collect();
    let share = stack.budget.unwrap_or(BUDGET);
    rows.push(Row {
        name: "budget".to_owned(),
        what: format!("A budget of {} on every layer", words::percent(share)),
        is_example: stack.budget.is_none(),
        calls: Count::Mean(stack.worst_with_budget(share)),
    });
    let deadline_ms = stack.deadline_ms.unwrap_or(DEADLINE);
    rows.push(Row {
        name: "deadline".to_owned(),
        what: format!(
            "A deadline of {} handed down, {} a failing call",
            words::duration(deadline_ms as f64),
            words::duration(stack.timeout_ms as f64)
        ),
        is_example: stack.deadline_ms.is_none(),
        calls: Count::Exact(stack.worst_with_deadline(deadline_ms)),
    });
    rows
}

pub(super) fn draw(stack: &Stack) -> Markup {
    let all = worst(stack);
    let rows = rows(stack);
    html! {
        section class="studio__part" aria-labelledby="amp-relief" {
            h2 id="amp-relief" { "What takes calls away" }
            div class="studio__scroll" tabindex="0" role="group" aria-labelledby="amp-relief" {
                table class="amp__relief" {
                    caption { "At most, for one request of a user, each by itself" }
                    thead {
                        tr {
                            th scope="col" { "Measure" }
                            th scope="col" { "Calls left" }
                            th scope="col" { "Taken away" }
                            th scope="col" { "Calls a second" }
                        }
                    }
                    tbody {
                        tr {
                            th scope="row" { "None" }
                            td { (digits(all)) }
                            td { "0 %" }
                            td { (digits(Count::Exact(stack.worst_rps()))) }
                        }
                        @for row in &rows {
                            tr {
                                th scope="row" {
                                    (row.what)
                                    @if row.is_example { " " small { "(for example)" } }
                                }
                                td { output name={ (row.name) "-calls" } { (digits(row.calls)) } }
                                td { output name={ (row.name) "-takes" } { (taken(all, row.calls)) } }
                                td { output name={ (row.name) "-rps" } { (digits(rps(row.calls, stack.rps))) } }
                            }
                        }
                    }
                }
            }
            ul class="studio__notes" {
                li {
                    "One layer that retries is enough to get past a lost reply, and its attempts are all that the bottom sees. "
                    "Others hand the error up."
                }
                li {
                    "A budget lets a layer retry a share of its first calls, over all its requests: "
                    "so its figure is an average over many, and one request may still have all its attempts."
                }
                li {
                    "A deadline helps only when it travels with the call: failing calls follow one another, "
                    "and the one that would start after it is not made."
                }
            }
        }
    }
}

/// The share of the calls that is gone.
fn taken(all: Count, left: Count) -> String {
    words::percent((1.0 - left.value() / all.value()).max(0.0))
}

pub(super) fn rps(calls: Count, rps: u64) -> Count {
    match calls {
        Count::Exact(calls) => Count::Exact(calls.saturating_mul(u128::from(rps))),
        Count::Mean(mean) => Count::Mean(mean * rps as f64),
    }
}
