//! What the lab asks of the service besides charges: a sandbox, its trace, its
//! records, its clock and its pods.

use super::http::{now, send, sleep};
use super::leap::Leap;
use super::settings;
use super::state::{Asked, End, Got, Lab, Session};
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;
use model::Ms;
use model::world::{LiveFact, What};
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
        settings::read(lab).await;
        // How far its clock was moved before.
        move_clock(lab, 0).await;
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
        lab.problem.set(None);
        refresh(lab).await;
    });
}

/// A request of the lab itself, with the sandbox's token.
pub(super) fn own(lab: Lab, method: &'static str, path: &str, body: Option<String>) -> Asked {
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

/// Sends a request of the lab itself. What goes wrong is shown.
pub(super) async fn call(
    lab: Lab,
    method: &'static str,
    path: &str,
    body: Option<String>,
) -> Option<Got> {
    match send(lab, own(lab, method, path, body), None).await {
        End::Reply(got) if got.status < 300 => Some(got),
        End::Reply(got) => {
            lab.problem.set(Some(format!(
                "{method} {path} was answered with {}. {}",
                got.status,
                detail(&got)
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

/// What a problem (RFC 9457) says of itself.
fn detail(got: &Got) -> String {
    #[derive(Deserialize)]
    struct Problem {
        title: Option<String>,
        detail: Option<String>,
    }
    serde_json::from_str::<Problem>(&got.body)
        .ok()
        .and_then(|problem| problem.detail.or(problem.title))
        .unwrap_or_default()
}

/// Reads the key records, the ledger and the settlement again.
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
    if let Some(got) = call(lab, "GET", "/lab/settlement", None).await
        && let Ok(read) = serde_json::from_str(&got.body)
    {
        lab.settlement.set(Some(read));
    }
}

/// Moves the sandbox's clock forward.
pub(super) fn advance(lab: Lab, by_ms: Ms) {
    lab.problem.set(None);
    spawn_local(async move {
        move_clock(lab, by_ms).await;
        refresh(lab).await;
    });
}

async fn move_clock(lab: Lab, by_ms: Ms) {
    #[derive(Deserialize)]
    struct Moved {
        ahead_ms: Ms,
    }
    let body = format!(r#"{{"advance_ms":{by_ms}}}"#);
    if let Some(got) = call(lab, "POST", "/lab/clock", Some(body)).await
        && let Ok(moved) = serde_json::from_str::<Moved>(&got.body)
    {
        lab.sandbox_ahead_ms.set(Some(moved.ahead_ms));
        if by_ms > 0 {
            let leap = Leap { at: now(), by_ms };
            lab.leaps.update(|leaps| leaps.push(leap));
        }
    }
}

/// Restarts a pod: what runs on it ends, and what only it knew is gone.
pub(super) fn restart(lab: Lab, pod: u32) {
    lab.problem.set(None);
    spawn_local(async move {
        let path = format!("/lab/pods/{pod}/restart");
        call(lab, "POST", &path, None).await;
        refresh(lab).await;
    });
}

/// Empties the sandbox and the page.
pub(super) fn reset(lab: Lab) {
    lab.problem.set(None);
    spawn_local(async move {
        call(lab, "POST", "/lab/reset", None).await;
        lab.client.set(Vec::new());
        lab.server.set(Vec::new());
        lab.log.set(Vec::new());
        lab.intent.set(0);
        lab.leaps.set(Vec::new());
        refresh(lab).await;
    });
}
