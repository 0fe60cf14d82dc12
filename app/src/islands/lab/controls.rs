//! What a visitor can set: the payment, what goes wrong, the key, the policy.

use super::pay;
use super::state::{KeyUse, Lab};
use crate::parts::{icons, words};
use leptos::prelude::*;
use model::fault::Fault;
use model::money::{Currency, Money};
use model::retry::Jitter;

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

/// The column of controls.
pub(super) fn controls(lab: Lab) -> impl IntoView {
    view! {
        <section class="lab__act" aria-label="Act">
            {payment(lab)}
            {fault_queue(lab)}
            {app_key(lab)}
            {keyless(lab)}
            {policy(lab)}
        </section>
    }
}

fn payment(lab: Lab) -> impl IntoView {
    let price = move || {
        Money {
            minor: lab.amount.get(),
            currency: Currency::Usd,
        }
        .to_string()
    };
    let idle = move || lab.session.get().is_none() || lab.busy.get();
    let sent = move || !lab.client.with(Vec::is_empty);
    view! {
        <div class="set">
            <h2>
                "Payment"
                <small>{move || lab.session.get().map(|session| words::short_id(&session.account))}</small>
            </h2>
            <div class="row">
                <button
                    class="btn btn--main grow"
                    type="button"
                    disabled=idle
                    on:click=move |_| pay::pay(lab)
                >
                    {move || if lab.busy.get() { "Paying …".to_owned() } else { format!("Pay {}", price()) }}
                </button>
                <button
                    class="btn grow"
                    type="button"
                    disabled=move || idle() || !sent()
                    title="Another attempt at the same payment, with the same key"
                    on:click=move |_| pay::once_more(lab)
                >
                    "Send once more"
                </button>
            </div>
            <div class="row row--tight">
                <label class="field grow">
                    "Amount in cents"
                    <span class="field__in">
                        <input
                            type="text"
                            inputmode="numeric"
                            name="amount"
                            value="4000"
                            on:input=move |event| {
                                if let Ok(amount) = event_target_value(&event).trim().parse() {
                                    lab.amount.set(amount);
                                }
                            }
                        />
                    </span>
                </label>
                <button
                    class="btn btn--end"
                    type="button"
                    disabled=idle
                    title="Forget all keys, charges and facts of this sandbox"
                    on:click=move |_| pay::reset(lab)
                >
                    "Empty the sandbox"
                </button>
            </div>
        </div>
    }
}

/// What goes wrong, one for each attempt.
fn fault_queue(lab: Lab) -> impl IntoView {
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

/// One of several choices.
fn radio(
    name: &'static str,
    text: &'static str,
    small: &'static str,
    chosen: impl Fn() -> bool + Copy + Send + Sync + 'static,
    choose: impl Fn() + 'static,
) -> impl IntoView {
    view! {
        <label>
            <input
                type="radio"
                name=name
                checked=untrack(chosen)
                prop:checked=chosen
                on:change=move |_| choose()
            />
            <span>
                {text}
                <small>{small}</small>
            </span>
        </label>
    }
}

fn app_key(lab: Lab) -> impl IntoView {
    let one = move |this: KeyUse, text, small| {
        radio(
            "key-use",
            text,
            small,
            move || lab.key_use.get() == this,
            move || {
                lab.key_use.set(this);
                // Without a key nothing would get through, and nothing be seen.
                if this == KeyUse::None && !lab.keyless.get_untracked() {
                    pay::set_keyless(lab, true);
                }
            },
        )
    };
    view! {
        <fieldset class="set">
            <legend>"The app's key"</legend>
            <div class="radios">
                {one(KeyUse::Same, "One for each payment", "the same on every attempt")}
                {one(KeyUse::None, "None", "each request stands alone")}
                {one(KeyUse::NewEachTime, "A new one on each attempt", "the usual mistake")}
            </div>
        </fieldset>
    }
}

fn keyless(lab: Lab) -> impl IntoView {
    let one = move |allow: bool, text, small| {
        radio(
            "keyless",
            text,
            small,
            move || lab.keyless.get() == allow,
            move || pay::set_keyless(lab, allow),
        )
    };
    view! {
        <fieldset class="set">
            <legend>"A request without a key"</legend>
            <div class="radios">
                {one(false, "Refuse it", "400, asks for a key")}
                {one(true, "Let it through", "each is a charge of its own")}
            </div>
        </fieldset>
    }
}

/// A field for a length of time in seconds.
fn seconds(
    label: &'static str,
    name: &'static str,
    value: RwSignal<u64>,
    most_ms: u64,
) -> impl IntoView {
    let wrong = RwSignal::new(false);
    view! {
        <label class="field">
            {label}
            <span class="field__in">
                <input
                    type="text"
                    inputmode="decimal"
                    name=name
                    value=words::decimal_seconds(value.get_untracked())
                    aria-invalid=move || wrong.get().then_some("true")
                    on:input=move |event| {
                        let read = ms_of(&event_target_value(&event)).filter(|ms| *ms <= most_ms);
                        wrong.set(read.is_none());
                        if let Some(ms) = read {
                            value.set(ms);
                        }
                    }
                />
                <span>"s"</span>
            </span>
            <small class="problem" role="status">
                {move || {
                    wrong
                        .get()
                        .then(|| {
                            format!("0.01 to {} s", words::decimal_seconds(most_ms))
                        })
                }}
            </small>
        </label>
    }
}

/// Seconds as people type them, in ms. A decimal comma is understood.
fn ms_of(text: &str) -> Option<u64> {
    let text = text.trim().replace(',', ".");
    let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
    if part.len() > 3 || !part.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let whole: u64 = if whole.is_empty() {
        0
    } else {
        whole.parse().ok()?
    };
    let part: u64 = format!("{part:0<3}").parse().ok()?;
    let ms = whole.checked_mul(1000)?.checked_add(part)?;
    (ms >= 10).then_some(ms)
}

fn policy(lab: Lab) -> impl IntoView {
    view! {
        <fieldset class="set">
            <legend>"How the app retries"</legend>
            <div class="g2">
                <label class="field">
                    "Attempts in all"
                    <select
                        class="sel"
                        name="attempts"
                        on:change=move |event| {
                            if let Ok(attempts) = event_target_value(&event).parse() {
                                lab.attempts.set(attempts);
                            }
                        }
                    >
                        {(1..=8_u32)
                            .map(|n| view! { <option value=n selected=n == 4>{n}</option> })
                            .collect_view()}
                    </select>
                </label>
                {seconds("Time-out", "timeout", lab.timeout_ms, 9000)}
                {seconds("First wait, at most", "base", lab.base_ms, 10_000)}
                <label class="field">
                    "Jitter"
                    <select
                        class="sel"
                        name="jitter"
                        on:change=move |event| {
                            lab.jitter
                                .set(
                                    match event_target_value(&event).as_str() {
                                        "none" => Jitter::None,
                                        "equal" => Jitter::Equal,
                                        _ => Jitter::Full,
                                    },
                                );
                        }
                    >
                        <option value="full" selected>"Full"</option>
                        <option value="equal">"Equal"</option>
                        <option value="none">"None"</option>
                    </select>
                </label>
            </div>
            <p class="hint">
                "The ceiling doubles from wait to wait, up to 2 s. A 409 says itself when to come back."
            </p>
        </fieldset>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_read_as_people_type_them() {
        for (text, ms) in [
            ("2", 2000),
            ("0,5", 500),
            (" 0.25 ", 250),
            (".1", 100),
            ("2.", 2000),
        ] {
            assert_eq!(ms_of(text), Some(ms), "{text}");
        }
        for text in [
            "",
            "0",
            "-1",
            "2s",
            "1.2.3",
            "0.0001",
            "99999999999999999999",
        ] {
            assert_eq!(ms_of(text), None, "{text}");
        }
    }
}
