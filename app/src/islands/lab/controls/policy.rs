//! How the app retries.

use super::super::state::Lab;
use super::field::seconds;
use leptos::prelude::*;
use model::retry::Jitter;

/// The policy's fields.
pub(super) fn policy(lab: Lab) -> impl IntoView {
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
