//! What goes wrong, one for each attempt.

use super::super::state::Lab;
use crate::parts::icons;
use leptos::prelude::*;
use model::fault::Fault;

/// The faults that can be queued, with what each is called and what it does.
const FAULTS: [(Fault, &str, &str); 9] = [
    (
        Fault::LoseReply,
        "Lose the reply",
        "the work is done, the answer is not heard",
    ),
    (
        Fault::LoseRequest,
        "Lose the request",
        "the service never hears of it",
    ),
    (
        Fault::Slow { ms: 3000 },
        "Slow processor",
        "its answer comes 3 s late",
    ),
    (Fault::Declined, "Decline the card", "a final answer: 402"),
    (
        Fault::Processor500,
        "Processor fails",
        "500, nothing is charged",
    ),
    (
        Fault::Processor503,
        "Processor is busy",
        "503, nothing is charged",
    ),
    (
        Fault::CrashBeforeCharge,
        "Crash before the charge",
        "the key stays claimed",
    ),
    (
        Fault::CrashAfterCharge,
        "Crash after the charge",
        "money taken, nothing saved",
    ),
    (Fault::None, "Nothing", "this attempt goes through"),
];

fn described(fault: Fault) -> (&'static str, &'static str) {
    FAULTS
        .iter()
        .find(|(it, _, _)| *it == fault)
        .map_or(("Something else", ""), |(_, name, what)| (*name, *what))
}

/// What goes wrong, one for each attempt.
pub(super) fn fault_queue(lab: Lab) -> impl IntoView {
    let to_add = RwSignal::new(0_usize);
    let chips = move || {
        lab.faults
            .get()
            .into_iter()
            .enumerate()
            .map(|(at, fault)| {
                let (name, what) = described(fault);
                view! {
                    <li class="chip" class:chip--fired=fault == Fault::None>
                        <span>
                            {name}
                            <small>{what}</small>
                        </span>
                        <span class="chip__b">
                            <button
                                class="btn btn--bare"
                                type="button"
                                aria-label=format!("Remove: attempt {}, {name}", at + 1)
                                on:click=move |_| {
                                    lab.faults
                                        .update(|faults| {
                                            if at < faults.len() {
                                                faults.remove(at);
                                            }
                                        });
                                }
                            >
                                {icons::solid("M3 4l1-1l4 4l4-4l1 1l-4 4l4 4l-1 1l-4-4l-4 4l-1-1l4-4z")}
                            </button>
                        </span>
                    </li>
                }
            })
            .collect_view()
    };
    let options = FAULTS
        .iter()
        .enumerate()
        .map(|(at, (_, name, _))| view! { <option value=at>{*name}</option> })
        .collect_view();
    view! {
        <div class="set">
            <h2>
                "What goes wrong" <small>"by attempt"</small>
            </h2>
            <ol class="queue">{chips}</ol>
            <p class="hint" hidden=move || !lab.faults.with(Vec::is_empty)>
                "Nothing: each attempt goes through."
            </p>
            <div class="row">
                <select
                    class="sel grow"
                    aria-label="Fault for the next attempt"
                    on:change=move |event| {
                        if let Ok(at) = event_target_value(&event).parse() {
                            to_add.set(at);
                        }
                    }
                >
                    {options}
                </select>
                <button
                    class="btn"
                    type="button"
                    on:click=move |_| {
                        if let Some((fault, _, _)) = FAULTS.get(to_add.get_untracked())
                            && lab.faults.with_untracked(Vec::len) < 8
                        {
                            lab.faults.update(|faults| faults.push(*fault));
                        }
                    }
                >
                    "Add"
                </button>
            </div>
        </div>
    }
}
