//! The pods: how many servers there seem to be, which of them takes the next
//! request, and where they keep the keys.

use super::super::service;
use super::super::settings::{Settings, Store, change};
use super::super::state::{End, Lab};
use super::super::weaken::mark;
use super::field::radio;
use leptos::prelude::*;

/// The pods.
pub(super) fn pods(lab: Lab) -> impl IntoView {
    let two = move || lab.settings.with(|it| it.pods > 1);
    let count = move |pods: u32, text| {
        let apply: fn(&mut Settings) = match pods {
            1 => |it| it.pods = 1,
            _ => |it| it.pods = 2,
        };
        view! {
            <label>
                <input
                    type="radio"
                    name="pods"
                    checked=pods == 1
                    prop:checked=move || two() == (pods > 1)
                    on:change=move |_| {
                        lab.pod.set(None);
                        change(lab, format!(r#"{{"pods":{pods}}}"#), apply);
                    }
                />
                <span>{text}</span>
            </label>
        }
    };
    view! {
        <fieldset class="set">
            <legend>"Pods of the service"</legend>
            <div class="seg seg--even">{count(1, "One pod")} {count(2, "Two pods")}</div>
            <ul class="pods">
                <li>{pod(lab, 1)}</li>
                <li hidden=move || !two()>{pod(lab, 2)}</li>
            </ul>
            <label class="field" hidden=move || !two()>
                "The next request goes to"
                <select
                    class="sel"
                    name="pod"
                    prop:value=move || lab.pod.get().unwrap_or(0).to_string()
                    on:change=move |event| {
                        let pod = event_target_value(&event).parse().ok();
                        lab.pod.set(pod.filter(|pod| *pod > 0));
                    }
                >
                    <option value="0" selected>"Each pod in turn"</option>
                    <option value="1">"Pod 1"</option>
                    <option value="2">"Pod 2"</option>
                </select>
            </label>
        </fieldset>
    }
}

/// Where the service keeps keys.
pub(super) fn store(lab: Lab) -> impl IntoView {
    let store = move |this: Store, text, small| {
        let (body, apply): (_, fn(&mut Settings)) = match this {
            Store::Shared => (r#"{"store":"shared"}"#, |it| it.store = Store::Shared),
            Store::PodMemory => (r#"{"store":"pod_memory"}"#, |it| {
                it.store = Store::PodMemory
            }),
        };
        radio(
            "store",
            text,
            small,
            move || lab.settings.with(|it| it.store == this),
            move || change(lab, body.to_owned(), apply),
        )
    };
    let forgets = move || lab.settings.with(|it| it.store == Store::PodMemory);
    view! {
        <fieldset class="set">
            <legend>"Where keys are kept" {mark(forgets)}</legend>
            <div class="radios">
                {store(Store::Shared, "In one store", "every pod sees the same keys")}
                {store(
                    Store::PodMemory,
                    "In each pod's memory",
                    "the other pod knows nothing and charges again; a restart forgets",
                )}
            </div>
        </fieldset>
    }
}

/// One pod.
fn pod(lab: Lab, pod: u32) -> impl IntoView {
    // What it answered last, by the header that says who answered.
    let said = move || {
        lab.log.with(|log| {
            let last = log.iter().rev().find_map(|exchange| match &exchange.end {
                End::Reply(got) if got.header("x-lab-pod") == Some(&*pod.to_string()) => {
                    Some(got.status)
                }
                _ => None,
            });
            last.map_or_else(
                || "has answered nothing yet".to_owned(),
                |status| format!("last answer: {status}"),
            )
        })
    };
    view! {
        <span>
            {format!("Pod {pod}")}
            <small>{said}</small>
        </span>
        <button
            class="btn btn--sm"
            type="button"
            aria-label=format!("Restart pod {pod}")
            title="Ends what runs on it. Its leases stay; what only its memory knew is gone."
            disabled=move || lab.session.get().is_none()
            on:click=move |_| service::restart(lab, pod)
        >
            "Restart"
        </button>
    }
}
