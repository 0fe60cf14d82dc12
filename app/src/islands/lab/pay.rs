//! The client of the lab: what the shop's app does when Pay is pressed.
//!
//! When to try again is decided by the same [`Courier`] that the world's clients
//! are driven by.

use super::http::{now, random_seed, send, sleep, uuid};
use super::state::{Asked, End, Got, KeyUse, Lab, Session};
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;
use model::Ms;
use model::money::Currency;
use model::retry::{Courier, Heard, Next, Stopped};
use model::world::{Answered, ClientFact, LiveFact, What};
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use serde::Deserialize;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;

/// How many facts of the server are kept.
const KEPT: usize = 2000;

/// Opens the lab: takes the visitor's sandbox and listens to its trace.
pub(super) fn open(lab: Lab) {
    spawn_local(async move {
        let asked = Asked {
            method: "POST",
            path: "/lab/session".to_owned(),
            ..Asked::default()
        };
        let session = match send(lab, asked, None).await {
            End::Reply(got) if got.status < 300 => serde_json::from_str::<Session>(&got.body).ok(),
            _ => None,
        };
        if session.is_none() {
            lab.problem.set(Some(
                "The service gave no sandbox. Reload the page in a moment.".to_owned(),
            ));
            return;
        }
        lab.session.set(session);
        listen(lab);
        read_settings(lab).await;
        refresh(lab).await;
    });
}

/// Follows the live trace. The browser itself resumes a dropped stream after the
/// last id that it saw.
fn listen(lab: Lab) {
    let Ok(source) = web_sys::EventSource::new("/lab/trace") else {
        return;
    };
    let text = |event: &web_sys::MessageEvent| event.data().as_string().unwrap_or_default();
    let on_fact = Closure::<dyn Fn(web_sys::MessageEvent)>::new(move |event| {
        if let Ok(fact) = serde_json::from_str::<LiveFact>(&text(&event)) {
            if matches!(fact.what, What::Replied(_) | What::Charged { .. }) {
                refresh_soon(lab);
            }
            lab.server.update(|facts| {
                if facts.last().is_none_or(|last| last.id < fact.id) {
                    facts.push(fact);
                    let over = facts.len().saturating_sub(KEPT);
                    facts.drain(..over);
                }
            });
        }
    });
    let on_hello = Closure::<dyn Fn(web_sys::MessageEvent)>::new(move |event| {
        #[derive(Deserialize)]
        struct Hello {
            now: Ms,
        }
        if let Ok(Hello { now: theirs }) = serde_json::from_str(&text(&event)) {
            lab.ahead_ms
                .set(theirs.cast_signed().saturating_sub(now().cast_signed()));
        }
    });
    source.set_onmessage(Some(on_fact.as_ref().unchecked_ref()));
    let _ = source.add_event_listener_with_callback("hello", on_hello.as_ref().unchecked_ref());
    // They live as long as the page.
    on_fact.forget();
    on_hello.forget();
    // A page that is left must not hold a connection.
    let leave = window_event_listener(ev::pagehide, move |_| source.close());
    std::mem::forget(leave);
}

/// Reads the records again when somebody else has changed them. A payment of this
/// page does so when it is over.
fn refresh_soon(lab: Lab) {
    if lab.busy.get_untracked() || lab.stale.get_untracked() {
        return;
    }
    lab.stale.set(true);
    spawn_local(async move {
        sleep(400).await;
        lab.stale.set(false);
        refresh(lab).await;
    });
}

/// A request of the lab itself, with the sandbox's token.
fn own(lab: Lab, method: &'static str, path: &str, body: Option<String>) -> Asked {
    let mut headers = Vec::new();
    if let Some(session) = lab.session.get_untracked() {
        headers.push((
            "Authorization".to_owned(),
            format!("Bearer {}", session.token),
        ));
    }
    if body.is_some() {
        headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
    }
    Asked {
        method,
        path: path.to_owned(),
        headers,
        body,
        timeout_ms: None,
    }
}

async fn call(lab: Lab, method: &'static str, path: &str, body: Option<String>) -> Option<Got> {
    match send(lab, own(lab, method, path, body), None).await {
        End::Reply(got) if got.status < 300 => {
            lab.problem.set(None);
            Some(got)
        }
        End::Reply(got) => {
            lab.problem.set(Some(format!(
                "{method} {path} was answered with {}.",
                got.status
            )));
            None
        }
        _ => {
            lab.problem
                .set(Some(format!("{method} {path} was not answered.")));
            None
        }
    }
}

/// What the sandbox is set to.
async fn read_settings(lab: Lab) {
    #[derive(Deserialize)]
    struct Settings {
        keyless: model::protocol::Keyless,
    }
    if let Some(got) = call(lab, "GET", "/lab/settings", None).await
        && let Ok(settings) = serde_json::from_str::<Settings>(&got.body)
    {
        lab.keyless
            .set(settings.keyless == model::protocol::Keyless::Allow);
    }
}

/// Sets what happens to requests without a key.
pub(super) fn set_keyless(lab: Lab, allow: bool) {
    lab.keyless.set(allow);
    spawn_local(async move { send_keyless(lab).await });
}

async fn send_keyless(lab: Lab) {
    let rule = if lab.keyless.get_untracked() {
        "allow"
    } else {
        "require"
    };
    let body = format!(r#"{{"keyless":"{rule}"}}"#);
    call(lab, "PATCH", "/lab/settings", Some(body)).await;
}

/// Reads the key records and the ledger again.
pub(super) async fn refresh(lab: Lab) {
    #[derive(Deserialize)]
    struct Keys {
        keys: Vec<super::state::KeyRecord>,
    }
    #[derive(Deserialize)]
    struct Ledger {
        charges: Vec<super::state::LedgerRecord>,
    }
    if let Some(got) = call(lab, "GET", "/lab/keys", None).await
        && let Ok(read) = serde_json::from_str::<Keys>(&got.body)
    {
        lab.keys.set(read.keys);
    }
    if let Some(got) = call(lab, "GET", "/lab/ledger", None).await
        && let Ok(read) = serde_json::from_str::<Ledger>(&got.body)
    {
        lab.ledger.set(read.charges);
    }
}

/// Empties the sandbox and the page.
pub(super) fn reset(lab: Lab) {
    spawn_local(async move {
        call(lab, "POST", "/lab/reset", None).await;
        lab.client.set(Vec::new());
        lab.server.set(Vec::new());
        lab.log.set(Vec::new());
        lab.intent.set(0);
        refresh(lab).await;
    });
}

/// Pay was pressed: a new payment, with a key of its own.
pub(super) fn pay(lab: Lab) {
    if lab.busy.get_untracked() || lab.session.get_untracked().is_none() {
        return;
    }
    lab.busy.set(true);
    lab.problem.set(None);
    lab.client.set(Vec::new());
    lab.log.update(|log| {
        // The payment before stays in the log, and leaves the picture.
        for exchange in log {
            exchange.attempt = None;
        }
    });
    lab.intent.update(|intent| *intent += 1);
    lab.key.set(uuid());
    lab.seed.set(random_seed());
    spawn_local(async move {
        if arm(lab).await {
            run(lab).await;
        }
        refresh(lab).await;
        lab.busy.set(false);
    });
}

/// Sends the same payment once more: another attempt with the same key.
pub(super) fn once_more(lab: Lab) {
    if lab.busy.get_untracked() || lab.key.with_untracked(String::is_empty) {
        return;
    }
    lab.busy.set(true);
    spawn_local(async move {
        let attempt = attempts_so_far(lab) + 1;
        attempt_once(lab, attempt).await;
        refresh(lab).await;
        lab.busy.set(false);
    });
}

fn attempts_so_far(lab: Lab) -> u32 {
    lab.client
        .with_untracked(|facts| facts.iter().map(|fact| fact.attempt).max().unwrap_or(0))
}

/// Queues the faults for the attempts to come.
async fn arm(lab: Lab) -> bool {
    // A change of the rule may still be on its way.
    send_keyless(lab).await;
    if call(lab, "DELETE", "/lab/faults", None).await.is_none() {
        return false;
    }
    let faults = lab.faults.get_untracked();
    if faults.is_empty() {
        return true;
    }
    match serde_json::to_string(&faults) {
        Ok(next) => {
            let body = format!(r#"{{"next":{next}}}"#);
            call(lab, "POST", "/lab/faults", Some(body)).await.is_some()
        }
        Err(_) => false,
    }
}

/// Tries until there is an answer or the policy ends it.
async fn run(lab: Lab) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(lab.seed.get_untracked());
    let mut courier = Courier::new(untrack(|| lab.policy()));
    loop {
        let attempt = courier.send();
        let heard = attempt_once(lab, attempt).await;
        match courier.next(heard, &mut random) {
            Next::Stop(Stopped::Settled) => return,
            Next::Stop(_) => {
                note(lab, attempt, What::GaveUp);
                return;
            }
            Next::Wait { ms, ceiling_ms } => {
                let asked_for = ms > ceiling_ms;
                note(
                    lab,
                    attempt,
                    What::Waits {
                        ms,
                        ceiling_ms,
                        asked_for,
                    },
                );
                sleep(ms).await;
            }
        }
    }
}

fn note(lab: Lab, attempt: u32, what: What) {
    let fact = ClientFact {
        at: now(),
        attempt,
        what,
    };
    lab.client.update(|facts| facts.push(fact));
}

/// Sends one attempt and waits for what comes of it.
async fn attempt_once(lab: Lab, attempt: u32) -> Heard {
    let amount = lab.amount.get_untracked();
    let body = format!(r#"{{"amount":{amount},"currency":"usd"}}"#);
    let mut asked = own(lab, "POST", "/charges", Some(body));
    let key = match lab.key_use.get_untracked() {
        KeyUse::None => None,
        KeyUse::NewEachTime if attempt > 1 => Some(uuid()),
        KeyUse::Same | KeyUse::NewEachTime => Some(lab.key.get_untracked()),
    };
    if let Some(key) = &key {
        asked
            .headers
            .push(("Idempotency-Key".to_owned(), format!("\"{key}\"")));
    }
    asked.headers.push(("X-Request-Id".to_owned(), uuid()));
    let timeout_ms = lab.timeout_ms.get_untracked();
    asked.timeout_ms = Some(timeout_ms);
    note(
        lab,
        attempt,
        What::Sent {
            intent: 1,
            key,
            amount,
            currency: Currency::Usd,
        },
    );
    let began = now();
    match send(lab, asked, Some(attempt)).await {
        End::Reply(got) => {
            let retry_after_s = got.header("retry-after").and_then(|text| text.parse().ok());
            note(
                lab,
                attempt,
                What::Received(Answered {
                    status: got.status,
                    charge: charge_of(&got),
                    replayed: got.header("idempotency-replayed") == Some("true"),
                    retry_after_s,
                }),
            );
            Heard::Status {
                status: got.status,
                retry_after_ms: retry_after_s.map(|s| Ms::from(s) * 1000),
            }
        }
        End::TimedOut => {
            note(
                lab,
                attempt,
                What::TimedOut {
                    after_ms: timeout_ms,
                },
            );
            Heard::Nothing
        }
        End::Broke | End::Open => {
            let after_ms = now().saturating_sub(began);
            note(lab, attempt, What::Broke { after_ms });
            Heard::Nothing
        }
    }
}

/// The charge that an answer speaks of.
fn charge_of(got: &Got) -> Option<String> {
    #[derive(Deserialize)]
    struct Body {
        id: Option<String>,
        charge: Option<String>,
    }
    let body: Body = serde_json::from_str(&got.body).ok()?;
    body.id.or(body.charge)
}
