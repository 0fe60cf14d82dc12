//! The evidence: the wire, the key records, the ledger, every request, and the
//! settlement.

use super::settlement::settlement;
use super::state::{End, KeyRecord, Lab, LedgerRecord};
use super::wire::{copy_as_curl, wire};
use crate::parts::{icons, words};
use leptos::prelude::*;
use maud::html;
use model::money::{Currency, Money};
use model::world::Actor;

const TABS: [(&str, &str); 5] = [
    ("wire", "Wire"),
    ("keys", "Keys"),
    ("ledger", "Ledger"),
    ("log", "Log"),
    ("settlement", "Settlement"),
];

/// The column of evidence.
pub(super) fn evidence(lab: Lab) -> impl IntoView {
    let tab = RwSignal::new(0_usize);
    let refs: [NodeRef<leptos::html::Button>; 5] = std::array::from_fn(|_| NodeRef::new());
    // Arrow keys move through the tabs, as readers of a tab list expect.
    let turn = move |event: web_sys::KeyboardEvent| {
        let last = TABS.len() - 1;
        let now = tab.get_untracked();
        let next = match event.key().as_str() {
            "ArrowRight" if now == last => 0,
            "ArrowRight" => now + 1,
            "ArrowLeft" if now == 0 => last,
            "ArrowLeft" => now - 1,
            "Home" => 0,
            "End" => last,
            _ => return,
        };
        event.prevent_default();
        tab.set(next);
        if let Some(button) = refs.get(next).and_then(NodeRef::get_untracked) {
            let _ = button.focus();
        }
    };
    let buttons = TABS
        .iter()
        .zip(refs)
        .enumerate()
        .map(|(at, ((id, name), node))| {
            view! {
                <button
                    node_ref=node
                    type="button"
                    role="tab"
                    id=format!("tab-{id}")
                    aria-controls=format!("panel-{id}")
                    aria-selected=move || (tab.get() == at).to_string()
                    tabindex=move || if tab.get() == at { "0" } else { "-1" }
                    on:click=move |_| tab.set(at)
                >
                    {*name}
                </button>
            }
        })
        .collect_view();
    let hidden = move |at: usize| move || tab.get() != at;
    view! {
        <section class="lab__side" aria-label="Evidence">
            <div class="tabs__bar" role="tablist" aria-label="Evidence" on:keydown=turn>
                {buttons}
            </div>
            <div class="tab" role="tabpanel" id="panel-wire" aria-labelledby="tab-wire" hidden=hidden(0)>
                {wire(lab)}
            </div>
            <div class="tab" role="tabpanel" id="panel-keys" aria-labelledby="tab-keys" hidden=hidden(1)>
                <p>"What the service has stored under each key of this sandbox."</p>
                <div class="gapt" inner_html=move || lab.keys.with(|records| keys(records))></div>
            </div>
            <div
                class="tab"
                role="tabpanel"
                id="panel-ledger"
                aria-labelledby="tab-ledger"
                hidden=hidden(2)
            >
                <p>"What the card processor has taken. Whatever the app believes, this is what the bank will show."</p>
                <div inner_html=move || lab.ledger.with(|lines| ledger(lines, lab.intent.get()))></div>
            </div>
            <div class="tab" role="tabpanel" id="panel-log" aria-labelledby="tab-log" hidden=hidden(3)>
                <p>"Every request of this page, the newest first."</p>
                <ol class="log">{move || log(lab)}</ol>
            </div>
            <div
                class="tab"
                role="tabpanel"
                id="panel-settlement"
                aria-labelledby="tab-settlement"
                hidden=hidden(4)
            >
                {settlement(lab)}
            </div>
        </section>
    }
}

fn keys(records: &[KeyRecord]) -> String {
    html! {
        @if records.is_empty() {
            p class="wire__none" { "No key is stored." }
        }
        @for record in records {
            table class="state state--kv tone-server" {
                caption { (icons::sign(Actor::Keys)) " " b { (record.key) } }
                tbody {
                    tr { th scope="row" { "State" } td class="m" { (record.state.replace('_', " ")) } }
                    tr {
                        th scope="row" { "Saved answer" }
                        td class="m" {
                            @if let Some(status) = record.status {
                                (status) " " (record.charge.as_deref().map_or_else(String::new, words::short_id))
                            } @else {
                                "none yet"
                            }
                        }
                    }
                    tr {
                        th scope="row" { "Body hash" }
                        td class="m" { (record.fingerprint.get(..12).unwrap_or_default()) "…" }
                    }
                    tr { th scope="row" { "Fencing token" } td class="m" { (record.token) } }
                    @if let Some(left) = record.lease_left_ms {
                        tr { th scope="row" { "Lease left" } td class="m" { (words::seconds(left)) " s" } }
                    }
                }
            }
        }
    }
    .0
}

fn ledger(records: &[LedgerRecord], intents: u32) -> String {
    let minor: u64 = records.iter().map(|record| record.amount).sum();
    let currency = records
        .first()
        .map_or(Currency::Usd, |record| record.currency);
    let over = records.len() > intents as usize;
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    html! {
        table class="state tone-ledger" {
            caption class="vh" { "Ledger" }
            thead {
                tr {
                    th scope="col" { "Charge" }
                    th scope="col" { "Processor key" }
                    th scope="col" class="r" { "Amount" }
                }
            }
            tbody {
                @for record in records {
                    tr {
                        td class="m" { (words::short_id(&record.id)) }
                        td class="m" {
                            (record.processor_key.as_deref().map_or_else(|| "none".to_owned(), words::short_id))
                        }
                        td class="m r" { (words::money(Money { minor: record.amount, currency: record.currency })) }
                    }
                }
            }
            tfoot {
                tr class=[over.then_some("is-over")] {
                    th scope="row" colspan="2" {
                        (intents) " payment" (plural(intents as usize)) ", "
                        (records.len()) " charge" (plural(records.len()))
                    }
                    td class="m r" { (words::money(Money { minor, currency })) }
                }
            }
        }
    }
    .0
}

fn log(lab: Lab) -> impl IntoView {
    lab.log.with(|log| {
        log.iter()
            .rev()
            .take(60)
            .map(|exchange| {
                let end = match &exchange.end {
                    End::Open => "…".to_owned(),
                    End::Reply(got) => got.status.to_string(),
                    End::TimedOut => "time-out".to_owned(),
                    End::Broke => "broke".to_owned(),
                };
                let bad = matches!(exchange.end, End::TimedOut | End::Broke);
                view! {
                    <li class:bad=bad>
                        <span class="w">{end}</span>
                        <span>
                            {exchange.asked.method} " " {exchange.asked.path.clone()}
                            {copy_as_curl(exchange.asked.clone())}
                        </span>
                    </li>
                }
            })
            .collect_view()
    })
}
