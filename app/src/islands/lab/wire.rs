//! What was on the wire, attempt by attempt, held against the first.

use super::http::{copy, curl};
use super::leap::leapt;
use super::state::{Asked, End, Exchange, Lab};
use crate::parts::words;
use leptos::prelude::*;
use leptos::task::spawn_local;
use maud::html;

/// The origin of this page, for commands that have to name it.
fn origin() -> String {
    window().location().origin().unwrap_or_default()
}

/// A button that copies a request as a command for a shell.
pub(super) fn copy_as_curl(asked: Asked) -> impl IntoView {
    let copied = RwSignal::new(None::<bool>);
    let text = curl(&asked, &origin());
    let shown = text.clone();
    let click = move |_| {
        let text = text.clone();
        spawn_local(async move { copied.set(Some(copy(&text).await)) });
    };
    view! {
        <div class="copy">
            <button class="btn btn--sm" type="button" on:click=click>
                {move || match copied.get() {
                    None => "Copy as curl",
                    Some(true) => "Copied",
                    Some(false) => "Select it beside",
                }}
            </button>
            <details class="curl">
                <summary>"Show it"</summary>
                <pre>{shown}</pre>
            </details>
        </div>
    }
}

/// How a line stands to the same line of the first attempt.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Versus {
    Plain,
    Same,
    Changed,
    New,
}

/// A line of a message.
struct Line {
    name: Option<String>,
    value: String,
    versus: Versus,
    first: Option<String>,
}

/// The headers and the body of a message.
type Parts<'a> = (&'a [(String, String)], Option<&'a str>);

/// Lines of a message: the start line, its headers, and the body.
fn lines(
    start: String,
    headers: &[(String, String)],
    body: Option<&str>,
    first: Option<Parts<'_>>,
) -> Vec<Line> {
    let mut out = vec![Line {
        name: None,
        value: start,
        versus: Versus::Plain,
        first: None,
    }];
    let stands = |now: &str, before: Option<&str>| match (first, before) {
        (None, _) => Versus::Plain,
        (Some(_), Some(before)) if before == now => Versus::Same,
        (Some(_), Some(_)) => Versus::Changed,
        (Some(_), None) => Versus::New,
    };
    for (name, value) in headers {
        let before = first.and_then(|(headers, _)| {
            headers
                .iter()
                .find(|(other, _)| other == name)
                .map(|(_, value)| value.as_str())
        });
        let versus = stands(value, before);
        out.push(Line {
            name: Some(name.clone()),
            value: value.clone(),
            versus,
            first: before
                .filter(|_| versus == Versus::Changed)
                .map(str::to_owned),
        });
    }
    if let Some(body) = body {
        out.push(Line {
            name: None,
            value: String::new(),
            versus: Versus::Plain,
            first: None,
        });
        out.push(Line {
            name: None,
            value: body.trim_end().to_owned(),
            versus: stands(body, first.and_then(|(_, body)| body)),
            first: None,
        });
    }
    out
}

fn message(lines: &[Line]) -> String {
    html! {
        @for (at, line) in lines.iter().enumerate() {
            @let class = match line.versus {
                Versus::Plain if at == 0 => "st",
                Versus::Plain => "plain",
                Versus::Same => "same",
                Versus::Changed => "chg",
                Versus::New => "new",
            };
            div class=(class) {
                span {
                    span class="ln" {
                        @if let Some(name) = &line.name { span class="hn" { (name) ": " } }
                        (line.value)
                    }
                    @if let Some(first) = &line.first { span class="was" { "was " (first) } }
                }
            }
        }
    }
    .0
}

/// A point in time as the sandbox counts it from the first request.
fn clock(lab: Lab, at: u64, start: u64) -> String {
    let leapt = lab.leaps.with(|leaps| leapt(start, at, leaps));
    format!("{} s", words::seconds(at.saturating_sub(start) + leapt))
}

/// The request and the reply of one attempt.
fn shown(
    lab: Lab,
    exchange: &Exchange,
    first: Option<&Exchange>,
    start: u64,
) -> impl IntoView + use<> {
    let asked = &exchange.asked;
    let before = first.map(|first| (first.asked.headers.as_slice(), first.asked.body.as_deref()));
    let request = lines(
        format!("{} {} HTTP/1.1", asked.method, asked.path),
        &asked.headers,
        asked.body.as_deref(),
        before,
    );
    let reply = match &exchange.end {
        End::Reply(got) => {
            let before = first.and_then(|first| match &first.end {
                End::Reply(first) => Some((first.headers.as_slice(), Some(first.body.as_str()))),
                _ => None,
            });
            let start = format!("HTTP/1.1 {} {}", got.status, words::reason(got.status));
            let reply = lines(start, &got.headers, Some(&got.body), before);
            view! { <div class="wire tone-server" inner_html=message(&reply)></div> }.into_any()
        }
        End::Open => view! { <p class="wire__none">"Nothing yet."</p> }.into_any(),
        End::TimedOut => {
            view! { <p class="wire__none">"No byte arrived before the time-out."</p> }.into_any()
        }
        End::Broke => {
            view! { <p class="wire__none">"The connection ended without a byte."</p> }.into_any()
        }
    };
    let ended = exchange.ended.map(|at| clock(lab, at, start));
    view! {
        <div class="wire__pair">
        <div>
            <h3 class="wire__h tone-client">
                <span>"Request"</span>
                <small>{clock(lab, exchange.sent, start)}</small>
            </h3>
            <div class="wire tone-client" inner_html=message(&request)></div>
            <div class="row">
                {copy_as_curl(asked.clone())}
            </div>
        </div>
        <div>
            <h3 class="wire__h tone-server">
                <span>"Reply"</span>
                <small>{ended}</small>
            </h3>
            {reply}
        </div>
        </div>
    }
}

/// The attempts of the payment that is shown.
pub(super) fn wire(lab: Lab) -> impl IntoView {
    // `None` follows the newest.
    let picked = RwSignal::new(None::<usize>);
    let all = Memo::new(move |_| lab.exchanges());
    Effect::new(move |_| {
        if all.with(Vec::len) <= 1 {
            picked.set(None);
        }
    });
    let at = move || {
        let newest = all.with(Vec::len).saturating_sub(1);
        picked.get().map_or(newest, |it| it.min(newest))
    };
    let buttons = move || {
        (0..all.with(Vec::len))
            .map(|i| {
                view! {
                    <button
                        class="btn btn--sm"
                        type="button"
                        aria-pressed=move || (at() == i).to_string()
                        on:click=move |_| picked.set(Some(i))
                    >
                        "Attempt " {i + 1}
                    </button>
                }
            })
            .collect_view()
    };
    let content = move || {
        all.with(|all| {
            let at = at();
            let start = all.first().map_or(0, |first| first.sent);
            let first = all.first().filter(|_| at > 0);
            all.get(at)
                .map(|exchange| shown(lab, exchange, first, start).into_any())
        })
    };
    view! {
        <p class="hint" hidden=move || !all.with(Vec::is_empty)>
            "The requests and replies of a payment stand here as the browser sent and got them. Beside these headers it sends its own, such as Host and Accept."
        </p>
        <div class="wire__bar" hidden=move || all.with(Vec::is_empty)>
            <div class="row">{buttons}</div>
            <span hidden=move || at() == 0>"against attempt 1"</span>
        </div>
        {content}
    }
}
