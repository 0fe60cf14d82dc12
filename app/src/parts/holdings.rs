//! What the store of keys and the card processor hold.

use super::shot::Shot;
use super::{icons, words};
use leptos::prelude::*;
use model::money::Money;
use model::world::{Actor, KeyLine, KeyStage, LedgerLine};

/// The key records and the ledger, side by side.
#[component]
pub fn Holdings(
    /// What is shown.
    shot: Memo<Shot>,
) -> impl IntoView {
    view! {
        <div class="held">
            <div>{move || shot.with(keys)}</div>
            <div>{move || shot.with(ledger)}</div>
        </div>
    }
}

fn keys(shot: &Shot) -> impl IntoView + use<> {
    let lines = &shot.frame.keys;
    let count = match lines.len() {
        0 => "no record".to_owned(),
        1 => "one record".to_owned(),
        many => format!("{many} records"),
    };
    let now = shot.now;
    let caption = view! {
        <caption>
            {icons::actor(Actor::Keys)} " " <b>"Idempotency keys"</b> ", " {count}
        </caption>
    };
    let body = if lines.is_empty() {
        let why = if shot.frame.attempts > 0 && shot.frame.key.is_none() {
            "Without a key there is nothing to remember a request by."
        } else {
            "Nothing is stored yet."
        };
        view! {
            <tbody>
                <tr>
                    <td>{why}</td>
                </tr>
            </tbody>
        }
        .into_any()
    } else {
        lines
            .iter()
            .map(|line| key(line, now))
            .collect_view()
            .into_any()
    };
    view! { <table class="state state--kv tone-server">{caption} {body}</table> }
}

fn key(line: &KeyLine, now: u64) -> impl IntoView + use<> {
    let (state, answer) = match &line.stage {
        KeyStage::Running => (view! { "in progress" }.into_any(), "none yet".to_owned()),
        KeyStage::Released => (view! { "given back" }.into_any(), "none yet".to_owned()),
        KeyStage::Done { status, charge, .. } => (
            view! { <span class="pill">{icons::tick()} "done"</span> }.into_any(),
            format!("{status} {}", words::short_id(charge)),
        ),
    };
    let until = match &line.stage {
        KeyStage::Done { at, .. } => *at,
        _ => now,
    };
    let held = until.saturating_sub(line.since);
    let open = line.stage == KeyStage::Running;
    let lease = line.lease_ms.map(|lease| {
        let per_cent = (held * 100).checked_div(lease).unwrap_or(100).min(100);
        let left = if open { 100 - per_cent } else { per_cent };
        let text = if open {
            format!("{} s of {} left", words::seconds(lease.saturating_sub(held)), words::span(lease))
        } else {
            format!("held {} of {}; handed back", words::span(held), words::span(lease))
        };
        view! {
            <tr>
                <th scope="row">"Lease"</th>
                <td>
                    <span class="lease" class:lease--off=!open>
                        <svg class="lease__bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                            <rect class="lease__left" width=left.max(1) height="8"/>
                        </svg>
                        <span>{text}</span>
                    </span>
                </td>
            </tr>
        }
    });
    view! {
        <tbody>
            <tr>
                <th scope="row">"Key"</th>
                <td class="m">{line.key.clone()}</td>
            </tr>
            <tr>
                <th scope="row">"State"</th>
                <td>{state}</td>
            </tr>
            <tr>
                <th scope="row">"Saved answer"</th>
                <td class="m">{answer}</td>
            </tr>
            {lease}
            <tr>
                <th scope="row">"Asked for"</th>
                <td>{if line.asked == 1 { "once".to_owned() } else { format!("{} times", line.asked) }}</td>
            </tr>
        </tbody>
    }
}

fn ledger(shot: &Shot) -> impl IntoView + use<> {
    let frame = &shot.frame;
    let caption = view! {
        <caption>
            {icons::actor(Actor::Processor)} " " <b>"Card processor"</b> ", its ledger"
        </caption>
    };
    let overcharged = frame.overcharged();
    let body = if frame.ledger.is_empty() {
        view! {
            <tr>
                <td colspan="4">"Nothing is taken."</td>
            </tr>
        }
        .into_any()
    } else {
        frame.ledger.iter().map(taken).collect_view().into_any()
    };
    view! {
        <table class="state tone-ledger">
            {caption} <thead>
                <tr>
                    <th scope="col">"Charge"</th>
                    <th scope="col" class="r">"Attempt"</th>
                    <th scope="col" class="r">"At"</th>
                    <th scope="col" class="r">"Amount"</th>
                </tr>
            </thead> <tbody>{body}</tbody>
            <tfoot>
                <tr class:is-over=overcharged>
                    <th scope="row" colspan="3">
                        {if overcharged { "Taken: more than was meant" } else { "Taken from the card" }}
                    </th>
                    <td class="m r">{words::sum(frame)}</td>
                </tr>
            </tfoot>
        </table>
    }
}

fn taken(line: &LedgerLine) -> impl IntoView + use<> {
    let money = Money {
        minor: line.amount,
        currency: line.currency,
    };
    view! {
        <tr>
            <td class="m">{words::short_id(&line.charge)}</td>
            <td class="m r">{line.attempt}</td>
            <td class="m r">{words::seconds(line.at)}</td>
            <td class="m r">{money.to_string()}</td>
        </tr>
    }
}
