//! The client of the lab: what the shop's app does when Pay is pressed.
//!
//! When to try again is decided by the same [`Courier`] that the world's clients
//! are driven by.

use super::http::{now, random_seed, send, sleep, uuid};
use super::service::{call, own, refresh};
use super::settings::settled;
use super::state::{End, Got, KeyUse, Lab};
use leptos::prelude::*;
use leptos::task::spawn_local;
use model::Ms;
use model::money::Currency;
use model::retry::{Courier, Heard, Next, Stopped};
use model::world::{Answered, ClientFact, What};
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use serde::Deserialize;

/// Pay was pressed, or tapped so many times at once: a new payment, with a key of
/// its own.
pub(super) fn pay(lab: Lab, taps: u64) {
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
    lab.leaps.set(Vec::new());
    lab.second_began.set(lab.second.get_untracked());
    lab.both.set(false);
    spawn_local(async move {
        if arm(lab).await {
            lab.running.set(taps);
            for tap in 0..taps {
                spawn_local(async move {
                    run(lab, tap).await;
                    lab.running.update(|running| *running -= 1);
                });
            }
            while lab.running.get_untracked() > 0 {
                sleep(10).await;
            }
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
    lab.problem.set(None);
    if lab.second.get_untracked() != lab.second_began.get_untracked() && !lab.both.get_untracked() {
        // The other account pays for an order of its own.
        lab.both.set(true);
        lab.intent.update(|intent| *intent += 1);
    }
    spawn_local(async move {
        attempt_once(lab).await;
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
    settled(lab).await;
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
async fn run(lab: Lab, tap: u64) {
    let seed = lab.seed.get_untracked().wrapping_add(tap);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut courier = Courier::new(untrack(|| lab.policy()));
    loop {
        courier.send();
        let (attempt, heard) = attempt_once(lab).await;
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
async fn attempt_once(lab: Lab) -> (u32, Heard) {
    let attempt = attempts_so_far(lab) + 1;
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
    let other = wish(lab, &mut asked.headers);
    let timeout_ms = lab.timeout_ms.get_untracked();
    asked.timeout_ms = Some(timeout_ms);
    note(
        lab,
        attempt,
        What::Sent {
            intent: 1 + u32::from(other),
            key,
            amount,
            currency: Currency::Usd,
        },
    );
    let began = now();
    let heard = match send(lab, asked, Some(attempt)).await {
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
    };
    (attempt, heard)
}

/// What the lab wants besides the charge: for which payment, for which account, on
/// which pod. Says whether it is another account than the one that began.
fn wish(lab: Lab, headers: &mut Vec<(String, String)>) -> bool {
    let second = lab.second.get_untracked();
    let other = second != lab.second_began.get_untracked();
    // The key of the press names it, whatever key is sent.
    let press = lab
        .key
        .with_untracked(|key| key.get(..8).unwrap_or_default().to_owned());
    let whose = if other { "-other" } else { "" };
    let mut push = |name: &str, value: String| headers.push((name.to_owned(), value));
    push("X-Lab-Intent", format!("pay-{press}{whose}"));
    if second {
        push("X-Lab-User", "second".to_owned());
    }
    if let Some(pod) = lab.pod.get_untracked() {
        push("X-Lab-Pod", pod.to_string());
    }
    other
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
