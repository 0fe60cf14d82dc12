//! The mechanisms of the service, each of which can be switched off, and what the
//! reader has to be told while one is.

use super::controls::of_service;
use super::settings::{Settings, Store, change};
use super::state::Lab;
use leptos::prelude::*;
use maud::html;
use model::protocol::{ClaimRule, ExpiredRule};

/// A retention that ends while one watches, in ms.
const SHORT_MS: u64 = 60_000;

/// A mechanism that can be switched off.
struct Form {
    name: &'static str,
    /// What goes wrong without it.
    harm: &'static str,
    /// How to see it.
    see: &'static str,
    /// The design whose counterexample shows it, where the explorer knows one.
    play: &'static str,
    off: fn(&Settings) -> bool,
    set: fn(&mut Settings, bool),
    weak: &'static str,
    safe: &'static str,
}

const FORMS: [Form; 9] = [
    Form {
        name: "Look up, then insert",
        harm: "Two requests at the same moment both find no key, and both go on to the processor.",
        see: "Switch the processor's keys off as well, and tap twice.",
        play: "no-processor-key-lookup-first",
        off: |it| it.claim == ClaimRule::LookupThenInsert,
        set: |it, off| {
            it.claim = if off {
                ClaimRule::LookupThenInsert
            } else {
                ClaimRule::UniqueInsert
            };
        },
        weak: r#"{"claim":"lookup_then_insert"}"#,
        safe: r#"{"claim":null}"#,
    },
    Form {
        name: "No key at the processor",
        harm: "After a crash nobody can tell whether the card was charged: the retry charges again.",
        see: "Crash after the charge and let one attempt be all; clock +30 s; send once more.",
        play: "no-processor-key",
        off: |it| !it.processor_keys,
        set: |it, off| it.processor_keys = !off,
        // Asking the processor's books would mend it, so nobody does.
        weak: r#"{"processor_keys":false,"sweeper":false}"#,
        safe: r#"{"processor_keys":null,"sweeper":null}"#,
    },
    Form {
        name: "No lease",
        harm: "A claim never ends by itself. After a crash every retry is told 409, until the key expires.",
        see: "Crash before the charge; clock +1 h; send once more.",
        play: "no-lease",
        off: |it| !it.lease,
        set: |it, off| it.lease = !off,
        weak: r#"{"lease":false}"#,
        safe: r#"{"lease":null}"#,
    },
    Form {
        name: "No heartbeat, and a lease of 1 s",
        harm: "A slow attempt loses its key while it still works, and a retry takes over beside it.",
        see: "Slow processor, and the processor's keys off: both charge.",
        play: "no-processor-key-no-heartbeat",
        off: |it| !it.heartbeat,
        set: |it, off| it.heartbeat = !off,
        weak: r#"{"heartbeat":false,"lease_ms":1000}"#,
        safe: r#"{"heartbeat":null,"lease_ms":null}"#,
    },
    Form {
        name: "No fencing",
        harm: "An owner that comes back late writes over the answer that a client was given.",
        see: "Heartbeat and processor's keys off, slow processor, pay; then send once more: another charge is named.",
        play: "no-heartbeat-no-fencing",
        off: |it| !it.fencing,
        set: |it, off| it.fencing = !off,
        weak: r#"{"fencing":false}"#,
        safe: r#"{"fencing":null}"#,
    },
    Form {
        name: "No body hash",
        harm: "The same key with another body is answered with the first one's charge.",
        see: "Pay; change the amount; send once more: 201 for the old amount, where 422 is due.",
        play: "no-body-hash",
        off: |it| !it.fingerprint,
        set: |it, off| it.fingerprint = !off,
        weak: r#"{"fingerprint":false}"#,
        safe: r#"{"fingerprint":null}"#,
    },
    Form {
        name: "No account scope",
        harm: "Two accounts that chose the same key get each other's answer: one of them never pays.",
        see: "Pay; choose the second account; send once more; look at the settlement.",
        play: "no-account-scope",
        off: |it| !it.account_scope,
        set: |it, off| it.account_scope = !off,
        weak: r#"{"account_scope":false}"#,
        safe: r#"{"account_scope":null}"#,
    },
    Form {
        name: "Keys kept for 1 minute",
        harm: "A retry that comes later is told 410: its client cannot find out any more whether it paid.",
        see: "Pay; clock +1 min; send once more.",
        play: "",
        off: |it| it.retention_ms <= SHORT_MS,
        set: |it, off| {
            it.retention_ms = if off {
                SHORT_MS
            } else {
                Settings::SAFE.retention_ms
            }
        },
        weak: r#"{"retention_ms":60000}"#,
        safe: r#"{"retention_ms":null}"#,
    },
    Form {
        name: "Expired keys count as new",
        harm: "A retry that comes late is a new payment, without a word to anybody.",
        see: "Pay; clock +24 h; send once more: charged twice.",
        play: "",
        off: |it| it.expired == ExpiredRule::Accept,
        set: |it, off| {
            it.expired = if off {
                ExpiredRule::Accept
            } else {
                ExpiredRule::Refuse
            };
        },
        weak: r#"{"expired":"accept"}"#,
        safe: r#"{"expired":null}"#,
    },
];

/// Everything back to what the service was started with; the number of pods stays.
const ALL_SAFE: &str = r#"{"claim":null,"processor_keys":null,"sweeper":null,"lease":null,"lease_ms":null,"heartbeat":null,"fencing":null,"fingerprint":null,"account_scope":null,"retention_ms":null,"expired":null,"store":null,"keyless":null}"#;

/// What is unsafe at the moment.
fn unsafe_now(settings: &Settings) -> Vec<&'static str> {
    let mut names: Vec<_> = FORMS
        .iter()
        .filter(|form| (form.off)(settings))
        .map(|form| form.name)
        .collect();
    if settings.store == Store::PodMemory {
        names.push("Keys in each pod's memory");
    }
    if settings.lets_keyless_through() {
        names.push("Requests without a key are let through");
    }
    names
}

/// The word that stands beside whatever is unsafe.
pub(super) fn mark(on: impl Fn() -> bool + Send + Sync + 'static) -> impl IntoView {
    view! { <span class="unsafe" hidden=move || !on()>"unsafe"</span> }
}

/// One line over the trace: everything is on, or what is not.
pub(super) fn guard(lab: Lab) -> impl IntoView {
    let names = Memo::new(move |_| lab.settings.with(unsafe_now).join("; "));
    let safe = move || names.with(String::is_empty);
    let text = move || {
        if safe() {
            "Every mechanism is on.".to_owned()
        } else {
            names.get()
        }
    };
    let mend = move |_| {
        change(lab, ALL_SAFE.to_owned(), |it| {
            *it = Settings {
                pods: it.pods,
                ..Settings::SAFE
            };
        });
    };
    view! {
        <div class="guard" class:guard--off=move || !safe()>
            <p role="status">
                {mark(move || !safe())} " " <output name="unsafe" aria-live="off">{text}</output>
            </p>
            <a href="#weaken" hidden=move || !safe()>
                "Weaken one"
            </a>
            <button class="btn btn--sm" type="button" hidden=safe on:click=mend>
                "All safe again"
            </button>
        </div>
    }
}

/// The band under the bench: every mechanism that can be switched off.
pub(super) fn weaken(lab: Lab) -> impl IntoView {
    let forms = FORMS
        .iter()
        .map(|form| {
            let off = move || lab.settings.with(form.off);
            let flip = move |event: leptos::ev::Event| {
                let on = event_target_checked(&event);
                let body = if on { form.weak } else { form.safe };
                change(lab, body.to_owned(), move |it| (form.set)(it, on));
            };
            view! {
                <li class="form" class:form--on=off>
                    <label>
                        <input type="checkbox" prop:checked=off on:change=flip/>
                        <span>
                            <b>{form.name}</b>
                            " "
                            {mark(off)}
                        </span>
                    </label>
                    <div inner_html=about(form)></div>
                </li>
            }
        })
        .collect_view();
    view! {
        <section class="weaken" id="weaken" aria-labelledby="weaken-title">
            <h2 id="weaken-title">"The service, and how to weaken it"</h2>
            <p>
                "Each mechanism is there for one thing. Switch it off, in this sandbox alone, and the real service shows what for."
            </p>
            {of_service(lab)}
            <ul>{forms}</ul>
        </section>
    }
}

/// What a form does and how to see it: nothing in it changes.
fn about(form: &Form) -> String {
    html! {
        p { (form.harm) }
        p class="form__see" {
            span { "To see it: " } (form.see)
            @if !form.play.is_empty() {
                " " a href={ "/play/" (form.play) } { "The shortest way" }
            }
        }
    }
    .0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_is_told_from_safe_and_back() {
        for form in &FORMS {
            let mut settings = Settings::SAFE;
            assert!(!(form.off)(&settings), "{}", form.name);
            (form.set)(&mut settings, true);
            assert_eq!(unsafe_now(&settings), [form.name]);
            (form.set)(&mut settings, false);
            assert_eq!(settings, Settings::SAFE);
        }
        assert!(unsafe_now(&Settings::SAFE).is_empty());
    }

    #[test]
    fn whatever_can_be_weakened_is_made_safe_again() {
        let object = |text: &str| serde_json::from_str::<serde_json::Map<_, _>>(text).unwrap();
        let all = object(ALL_SAFE);
        for form in &FORMS {
            let (weak, safe) = (object(form.weak), object(form.safe));
            assert!(weak.keys().eq(safe.keys()), "{}", form.name);
            assert!(
                safe.values().all(serde_json::Value::is_null),
                "{}",
                form.name
            );
            assert!(
                safe.keys().all(|name| all.contains_key(name)),
                "{}",
                form.name
            );
        }
        assert!(all.values().all(serde_json::Value::is_null));
    }

    #[test]
    fn each_counterexample_is_there() {
        for form in FORMS.iter().filter(|form| !form.play.is_empty()) {
            assert!(
                model::world::explore::Weakened::from_slug(form.play).is_some(),
                "{}",
                form.play
            );
        }
    }
}
