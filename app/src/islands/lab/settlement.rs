//! The settlement: the payments that were meant against what was taken.

use super::state::{Lab, Settlement, SettlementTotals};
use crate::parts::words;
use leptos::prelude::*;
use maud::{Markup, html};
use model::money::Money;

/// The panel of the settlement.
pub(super) fn settlement(lab: Lab) -> impl IntoView {
    let written = move || {
        lab.settlement.with(|report| match report {
            Some(report) => written(report).0,
            None => String::new(),
        })
    };
    view! {
        <p>"The payments that were meant, held against the processor's ledger, as a shop does at the end of the day. It goes by the payment, whatever key each request carried."</p>
        <div inner_html=written></div>
        <p class="csv">
            <a href="/lab/settlement?format=csv" download="settlement.csv">
                "The same as CSV"
            </a>
        </p>
    }
}

fn written(report: &Settlement) -> Markup {
    html! {
        p class={ "verdict " (if report.clean { "tone-server" } else { "tone-lost" }) } {
            (in_words(&report.totals))
        }
        @if !report.payments.is_empty() {
            table class="state tone-ledger settled" {
                caption class="vh" { "Settlement" }
                thead {
                    tr {
                        th scope="col" { "Payment" }
                        th scope="col" { "Told" }
                        th scope="col" { "Charges" }
                        th scope="col" { "Verdict" }
                    }
                }
                tbody {
                    @for payment in &report.payments {
                        @let bad = matches!(&*payment.verdict, "duplicate" | "missing" | "orphaned");
                        tr class=[bad.then_some("is-bad")] {
                            td {
                                span class="m" { (words::short_id(&payment.intent)) }
                                @if let (Some(minor), Some(currency)) = (payment.amount, payment.currency) {
                                    small { (words::money(Money { minor, currency })) }
                                }
                            }
                            td class="m" { @if let Some(status) = payment.told_status { (status) } @else { "nothing" } }
                            td class="m" {
                                @for charge in &payment.taken { span { (words::short_id(charge)) } }
                                @if payment.taken.is_empty() { "none" }
                            }
                            td { (payment.verdict) }
                        }
                    }
                }
            }
        }
    }
}

/// "Intended 1, charged 1: 0 duplicates, 0 missing, 0 orphaned."
fn in_words(totals: &SettlementTotals) -> Markup {
    let figure = |name: &str, number: usize| {
        html! { output name={ "settlement-" (name) } aria-live="off" { (number) } }
    };
    html! {
        b {
            "Intended " (figure("intended", totals.intended))
            ", charged " (figure("charged", totals.taken))
            ", " (figure("duplicates", totals.duplicates))
            @if totals.duplicates == 1 { " duplicate" } @else { " duplicates" }
        }
        (figure("missing", totals.missing)) " missing, "
        (figure("orphaned", totals.orphaned)) " orphaned, "
        (figure("declined", totals.declined)) " declined, "
        (figure("pending", totals.pending)) " pending."
    }
}
