//! What the store of keys and the card processor hold.

use super::icons;
use super::shot::Shot;
use super::words;
use leptos::prelude::*;
use maud::{Markup, html};
use model::Ms;
use model::money::Money;
use model::world::{Actor, KeyLine, KeyStage};

/// The key records and the ledger, side by side.
#[component]
pub fn Holdings(
    /// What is shown.
    shot: Memo<Shot>,
) -> impl IntoView {
    let tables = move || shot.with(|shot| html! { (keys(shot)) (ledger(shot)) }.0);
    view! { <div class="held" inner_html=tables></div> }
}

fn keys(shot: &Shot) -> Markup {
    let frame = &shot.frame;
    html! {
        table class="state state--kv tone-server" {
            caption {
                (icons::sign(Actor::Keys)) " " b { "Idempotency keys" } ", "
                @match frame.keys.len() {
                    0 => "no record",
                    1 => "one record",
                    many => { (many) " records" },
                }
            }
            @for line in &frame.keys {
                (key(line, shot.now))
            }
            @if frame.keys.is_empty() {
                tbody {
                    tr {
                        td {
                            @if frame.attempts > 0 && frame.key.is_none() {
                                "Without a key there is nothing to remember a request by."
                            } @else {
                                "Nothing is stored yet."
                            }
                        }
                    }
                }
            }
        }
    }
}

fn key(line: &KeyLine, now: Ms) -> Markup {
    let open = line.stage == KeyStage::Running;
    let until = match &line.stage {
        KeyStage::Done { at, .. } => *at,
        _ => now,
    };
    let held = until.saturating_sub(line.since);
    html! {
        tbody {
            tr { th scope="row" { "Key" } td class="m" { (line.key) } }
            tr {
                th scope="row" { "State" }
                td {
                    @match &line.stage {
                        KeyStage::Running => "in progress",
                        KeyStage::Released => "given back",
                        KeyStage::Done { .. } => { span class="pill" { (icons::TICK) "done" } },
                    }
                }
            }
            tr {
                th scope="row" { "Saved answer" }
                td class="m" {
                    @if let KeyStage::Done { status, charge, .. } = &line.stage {
                        (status) " " (words::short_id(charge))
                    } @else {
                        "none yet"
                    }
                }
            }
            @if let Some(lease) = line.lease_ms {
                tr {
                    th scope="row" { "Lease" }
                    td { (lease_bar(open, held, lease)) }
                }
            }
            tr {
                th scope="row" { "Asked for" }
                td { @if line.asked == 1 { "once" } @else { (line.asked) " times" } }
            }
        }
    }
}

/// What is left of a lease or, when it was handed back, how much of it was used.
fn lease_bar(open: bool, held: Ms, lease: Ms) -> Markup {
    let used = (held * 100).checked_div(lease).unwrap_or(100).min(100);
    let shown = if open { 100 - used } else { used };
    html! {
        span class={ "lease" @if !open { " lease--off" } } {
            svg class="lease__bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" {
                rect class="lease__left" width=(shown.max(1)) height="8" {}
            }
            span {
                @if open {
                    (words::seconds(lease.saturating_sub(held))) " s of " (words::span(lease)) " left"
                } @else {
                    "held " (words::span(held)) " of " (words::span(lease)) "; handed back"
                }
            }
        }
    }
}

fn ledger(shot: &Shot) -> Markup {
    let frame = &shot.frame;
    let over = frame.overcharged();
    html! {
        table class="state tone-ledger" {
            caption { (icons::sign(Actor::Processor)) " " b { "Card processor" } ", its ledger" }
            thead {
                tr {
                    th scope="col" { "Charge" }
                    th scope="col" class="r" { "Attempt" }
                    th scope="col" class="r" { "At" }
                    th scope="col" class="r" { "Amount" }
                }
            }
            tbody {
                @for line in &frame.ledger {
                    tr {
                        td class="m" { (words::short_id(&line.charge)) }
                        td class="m r" { (line.attempt) }
                        td class="m r" { (words::seconds(line.at)) }
                        td class="m r" { (words::money(Money { minor: line.amount, currency: line.currency })) }
                    }
                }
                @if frame.ledger.is_empty() {
                    tr { td colspan="4" { "Nothing is taken." } }
                }
            }
            tfoot {
                tr class=[over.then_some("is-over")] {
                    th scope="row" colspan="3" {
                        @if over { "Taken: more than was meant" } @else { "Taken from the card" }
                    }
                    td class="m r" { (words::sum(frame)) }
                }
            }
        }
    }
}
