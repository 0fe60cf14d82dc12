//! The key that the app sends, and what becomes of a request without one.

use super::super::settings::{Settings, change};
use super::super::state::{KeyUse, Lab};
use super::super::weaken::mark;
use super::field::radio;
use leptos::prelude::*;
use model::protocol::Keyless;

/// The key that the app sends.
pub(super) fn app_key(lab: Lab) -> impl IntoView {
    let one = move |this: KeyUse, text, small| {
        radio(
            "key-use",
            text,
            small,
            move || lab.key_use.get() == this,
            move || {
                lab.key_use.set(this);
                // Without a key nothing would get through, and nothing be seen.
                let refused = lab
                    .settings
                    .with_untracked(|it| it.keyless == Keyless::Require);
                if this == KeyUse::None && refused {
                    set_keyless(lab, Keyless::Allow);
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

fn set_keyless(lab: Lab, rule: Keyless) {
    let (word, apply): (_, fn(&mut Settings)) = match rule {
        Keyless::Require => ("require", |it| it.keyless = Keyless::Require),
        Keyless::Allow => ("allow", |it| it.keyless = Keyless::Allow),
        Keyless::Grace => ("grace", |it| it.keyless = Keyless::Grace),
        Keyless::Fingerprint => ("fingerprint", |it| it.keyless = Keyless::Fingerprint),
    };
    change(lab, format!(r#"{{"keyless":"{word}"}}"#), apply);
}

/// The rule for requests without a key.
pub(super) fn keyless(lab: Lab) -> impl IntoView {
    let one = move |rule: Keyless, text, small| {
        radio(
            "keyless",
            text,
            small,
            move || lab.settings.with(|it| it.keyless == rule),
            move || set_keyless(lab, rule),
        )
    };
    let open = move || lab.settings.with(Settings::lets_keyless_through);
    view! {
        <fieldset class="set">
            <legend>"A request without a key" {mark(open)}</legend>
            <div class="radios">
                {one(Keyless::Require, "Refuse it", "400, asks for a key")}
                {one(Keyless::Allow, "Let it through", "each is a charge of its own")}
                {one(
                    Keyless::Grace,
                    "Allow it until a date",
                    "let through as well, with Deprecation and Sunset headers",
                )}
                {one(
                    Keyless::Fingerprint,
                    "Make a key of its body",
                    "for 10 s: catches the double tap, and two equal orders become one",
                )}
            </div>
        </fieldset>
    }
}
