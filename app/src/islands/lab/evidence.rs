//! The evidence: the wire, the key records, the ledger, and every request.

use super::state::{End, KeyRecord, Lab, LedgerRecord};
use super::wire::{copy_as_curl, wire};
use crate::parts::{icons, words};
use leptos::html;
use leptos::prelude::*;
use model::money::Money;
use model::world::Actor;

const TABS: [(&str, &str); 4] = [
    ("wire", "Wire"),
    ("keys", "Keys"),
    ("ledger", "Ledger"),
    ("log", "Log"),
];

/// The column of evidence.
pub(super) fn evidence(lab: Lab) -> impl IntoView {
    let tab = RwSignal::new(0_usize);
    let refs: [NodeRef<html::Button>; 4] = std::array::from_fn(|_| NodeRef::new());
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
                <div class="gapt">{move || keys(&lab.keys.get())}</div>
            </div>
            <div
                class="tab"
                role="tabpanel"
                id="panel-ledger"
                aria-labelledby="tab-ledger"
                hidden=hidden(2)
            >
                <p>"What the card processor has taken. Whatever the app believes, this is what the bank will show."</p>
                {move || ledger(&lab.ledger.get(), lab.intent.get())}
            </div>
            <div class="tab" role="tabpanel" id="panel-log" aria-labelledby="tab-log" hidden=hidden(3)>
                <p>"Every request of this page, the newest first."</p>
                <ol class="log">{move || log(lab)}</ol>
            </div>
        </section>
    }
}

fn keys(records: &[KeyRecord]) -> AnyView {
    if records.is_empty() {
        return view! { <p class="wire__none">"No key is stored."</p> }.into_any();
    }
    records
        .iter()
        .map(|record| {
            let row = |name: &'static str, value: String| {
                view! {
                    <tr>
                        <th scope="row">{name}</th>
                        <td class="m">{value}</td>
                    </tr>
                }
            };
            let answer = match (record.status, &record.charge) {
                (Some(status), Some(charge)) => format!("{status} {}", words::short_id(charge)),
                (Some(status), None) => status.to_string(),
                _ => "none yet".to_owned(),
            };
            let hash: String = record.fingerprint.chars().take(12).collect();
            let lease = record
                .lease_left_ms
                .map(|left| row("Lease left", format!("{} s", words::seconds(left))));
            view! {
                <table class="state state--kv tone-server">
                    <caption>
                        {icons::actor(Actor::Keys)} " " <b>{record.key.clone()}</b>
                    </caption>
                    <tbody>
                        {row("State", record.state.replace('_', " "))} {row("Saved answer", answer)}
                        {row("Body hash", format!("{hash}…"))}
                        {row("Fencing token", record.token.to_string())} {lease}
                    </tbody>
                </table>
            }
        })
        .collect_view()
        .into_any()
}

fn ledger(records: &[LedgerRecord], intents: u32) -> impl IntoView + use<> {
    let total: u64 = records.iter().map(|record| record.amount).sum();
    let currency = records
        .first()
        .map_or(model::money::Currency::Usd, |record| record.currency);
    let over = records.len() > intents as usize;
    let count = format!(
        "{} {}, {} {}",
        intents,
        if intents == 1 { "payment" } else { "payments" },
        records.len(),
        if records.len() == 1 {
            "charge"
        } else {
            "charges"
        },
    );
    let rows = records
        .iter()
        .map(|record| {
            let money = Money {
                minor: record.amount,
                currency: record.currency,
            };
            view! {
                <tr>
                    <td class="m">{words::short_id(&record.id)}</td>
                    <td class="m">
                        {record
                            .processor_key
                            .as_deref()
                            .map_or_else(|| "none".to_owned(), words::short_id)}
                    </td>
                    <td class="m r">{money.to_string()}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <table class="state tone-ledger">
            <caption class="vh">"Ledger"</caption>
            <thead>
                <tr>
                    <th scope="col">"Charge"</th>
                    <th scope="col">"Processor key"</th>
                    <th scope="col" class="r">
                        "Amount"
                    </th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
            <tfoot>
                <tr class:is-over=over>
                    <th scope="row" colspan="2">
                        {count}
                    </th>
                    <td class="m r">{Money { minor: total, currency }.to_string()}</td>
                </tr>
            </tfoot>
        </table>
    }
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
