//! What happens when the button is pressed.

use crate::islands::http::{Asked, End, fetch, now, random_seed, sleep, uuid};
use crate::islands::studio::live::{find, on};
use crate::islands::studio::reader;
use crate::studio::run::{Attempt, Came, FAULTED, Run, fault, refusal, results, sentence};
use leptos::prelude::*;
use leptos::task::spawn_local;
use model::Ms;
use model::fault::Fault;
use model::retry::Heard;
use model::retry::form::Form;
use model::retry::plan::{Plan, Runner, Step, retry_after_ms};
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use serde::Deserialize;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use web_sys::{Element, HtmlElement, HtmlFormElement, UrlSearchParams};

/// How soon a wait ends that is stopped, in ms.
const STOPPED_AFTER: Ms = 100;
const BODY: &str = r#"{"amount":4000,"currency":"usd"}"#;

/// Shows the form, and runs when it is sent.
pub(super) fn start(root: &Element) {
    let Some(form) = find::<HtmlFormElement>(root, "[data-run]") else {
        return;
    };
    form.set_hidden(false);
    reader::listen(root);
    let root = root.clone();
    let token = Rc::new(RefCell::new(None::<String>));
    let is_running = Rc::new(Cell::new(false));
    let is_stopped = Rc::new(Cell::new(false));
    let stop = find::<HtmlElement>(&form, "[data-stop]");
    if let Some(stop) = &stop {
        let is_stopped = is_stopped.clone();
        on(stop, "click", move |_| is_stopped.set(true));
    }
    let chosen = form.clone();
    on(&form, "submit", move |event| {
        event.prevent_default();
        if is_running.replace(true) {
            return;
        }
        let plan = plan();
        let run = Run {
            plan,
            attempts: Vec::new(),
            halt: None,
            stopped: false,
            charged: None,
            problem: refusal(&plan),
        };
        let faults = faults(&chosen, &plan);
        let (root, token, is_running) = (root.clone(), token.clone(), is_running.clone());
        let (stop, is_stopped) = (stop.clone(), is_stopped.clone());
        is_stopped.set(false);
        let can_stop = move |can: bool| {
            if let Some(stop) = &stop {
                stop.set_hidden(!can);
            }
        };
        can_stop(true);
        spawn_local(async move {
            let run = go(&root, &token, run, &faults, &is_stopped).await;
            can_stop(false);
            show(&root, &run);
            let words = run.problem.clone().unwrap_or_else(|| sentence(&run));
            if let Some(it) = find::<Element>(&root, "[data-run-said]") {
                it.set_text_content(Some(&words));
            }
            is_running.set(false);
        });
    });
}

/// The plan as the calculator understood it: its address is kept up to date.
fn plan() -> Plan {
    let search = window().location().search().unwrap_or_default();
    let mut pairs = Vec::new();
    if let Ok(params) = UrlSearchParams::new_with_str(&search) {
        for entry in params.entries().into_iter().flatten() {
            let entry = js_sys::Array::from(&entry);
            if let (Some(name), Some(value)) = (entry.get(0).as_string(), entry.get(1).as_string())
            {
                pairs.push((name, value));
            }
        }
    }
    let pairs = pairs
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()));
    Form::read(pairs).inputs.plan
}

fn faults(form: &HtmlFormElement, plan: &Plan) -> Vec<Fault> {
    (1..=FAULTED)
        .map(|attempt| {
            let select: Option<web_sys::HtmlSelectElement> =
                find(form, &format!("[name=fault-{attempt}]"));
            select
                .and_then(|select| fault(&select.value(), plan))
                .unwrap_or_default()
        })
        .collect()
}

/// The status and the body of a request for the lab, or none where there was no answer.
async fn call(
    token: Option<&str>,
    method: &'static str,
    path: &str,
    body: Option<String>,
) -> Option<(u16, String)> {
    let mut headers = Vec::new();
    if let Some(token) = token {
        headers.push(("Authorization".to_owned(), format!("Bearer {token}")));
    }
    if body.is_some() {
        headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
    }
    let asked = Asked {
        method,
        path: path.to_owned(),
        headers,
        body,
        timeout_ms: Some(20_000),
    };
    match fetch(&asked).await {
        End::Reply(got) => Some((got.status, got.body)),
        End::Open | End::TimedOut | End::Broke => None,
    }
}

/// An empty sandbox with these faults in its queue: the one from before, or a new one.
async fn sandbox(token: &RefCell<Option<String>>, faults: &[Fault]) -> Option<String> {
    #[derive(Deserialize)]
    struct Made {
        token: String,
    }
    let before = token.borrow().clone();
    let mine = match before {
        Some(mine)
            if matches!(
                call(Some(&mine), "POST", "/lab/reset", None).await,
                Some((204, _))
            ) =>
        {
            mine
        }
        _ => {
            let (_, body) = call(None, "POST", "/sandboxes", None).await?;
            let made: Made = serde_json::from_str(&body).ok()?;
            token.replace(Some(made.token.clone()));
            made.token
        }
    };
    call(Some(&mine), "DELETE", "/lab/faults", None).await?;
    let next = serde_json::to_string(faults).ok()?;
    let body = format!(r#"{{"next":{next}}}"#);
    match call(Some(&mine), "POST", "/lab/faults", Some(body)).await? {
        (200..=299, _) => Some(mine),
        _ => None,
    }
}

/// How many charges the sandbox's ledger has.
async fn charged(token: &str) -> Option<usize> {
    #[derive(Deserialize)]
    struct Books {
        charges: Vec<serde::de::IgnoredAny>,
    }
    let (_, body) = call(Some(token), "GET", "/lab/ledger", None).await?;
    let books: Books = serde_json::from_str(&body).ok()?;
    Some(books.charges.len())
}

/// Waits, unless it is stopped meanwhile.
async fn pause(ms: Ms, is_stopped: &Cell<bool>) {
    let until = now().saturating_add(ms);
    while !is_stopped.get() {
        match until.saturating_sub(now()) {
            0 => break,
            left => sleep(left.min(STOPPED_AFTER)).await,
        }
    }
}

/// One payment under the plan, from its first attempt to its last. Who stops it lets
/// the attempt that is under way come to its end.
async fn go(
    root: &Element,
    token: &RefCell<Option<String>>,
    mut run: Run,
    faults: &[Fault],
    is_stopped: &Cell<bool>,
) -> Run {
    if run.problem.is_some() {
        return run;
    }
    let Some(token) = sandbox(token, faults).await else {
        run.problem = Some("The service gave no sandbox. Try again in a moment.".to_owned());
        return run;
    };
    let key = uuid();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(random_seed());
    let mut runner = Runner::new(&run.plan);
    let began = now();
    loop {
        let index = runner.send().saturating_sub(1) as usize;
        run.attempts.push(Attempt {
            fault: faults.get(index).copied().unwrap_or_default(),
            sent_ms: now().saturating_sub(began),
            ended_ms: None,
            came: Came::Open,
            wait: None,
        });
        show(root, &run);
        let (came, heard) = attempt(&token, &key, &run.plan).await;
        let elapsed = now().saturating_sub(began);
        let step = runner.next(elapsed, heard, &mut random);
        if let Some(attempt) = run.attempts.get_mut(index) {
            attempt.ended_ms = Some(elapsed);
            attempt.came = came;
            if let Step::Wait { ms, asked } = step {
                attempt.wait = Some((ms, asked));
            }
        }
        match step {
            Step::Wait { ms, .. } => {
                show(root, &run);
                pause(ms, is_stopped).await;
                if is_stopped.get() {
                    run.stopped = true;
                    break;
                }
            }
            Step::Stop(halt) => {
                run.halt = Some(halt);
                break;
            }
        }
    }
    run.charged = charged(&token).await;
    run
}

async fn attempt(token: &str, key: &str, plan: &Plan) -> (Came, Heard) {
    let asked = Asked {
        method: "POST",
        path: "/charges".to_owned(),
        headers: vec![
            ("Authorization".to_owned(), format!("Bearer {token}")),
            ("Content-Type".to_owned(), "application/json".to_owned()),
            ("Idempotency-Key".to_owned(), format!("\"{key}\"")),
        ],
        body: Some(BODY.to_owned()),
        timeout_ms: Some(plan.timeout_ms),
    };
    match fetch(&asked).await {
        End::Reply(got) => {
            let came = Came::Reply {
                status: got.status,
                replayed: got.header("idempotency-replayed") == Some("true"),
            };
            let retry_after = got.header("retry-after");
            let heard = Heard::Status {
                status: got.status,
                retry_after_ms: retry_after.and_then(|value| retry_after_ms(value, now())),
            };
            (came, heard)
        }
        End::TimedOut => (Came::TimedOut, Heard::Nothing),
        End::Broke | End::Open => (Came::Broke, Heard::Nothing),
    }
}

fn show(root: &Element, run: &Run) {
    if let Some(place) = find::<HtmlElement>(root, "[data-ran]") {
        place.set_inner_html(&results(run).0);
        reader::prepare(&place);
    }
}
