//! Predict, then reveal: the reader commits to an answer before the model gives its own.

use crate::parts::counter::counts;
use leptos::prelude::*;
use maud::html;
use model::world::{Frame, Scenario};

/// How a scenario ends, by playing it.
fn ends(scenario: Scenario, seed: u64) -> Frame {
    Frame::after(&scenario.trace(seed).facts)
}

/// A question about what would happen, answered by running it.
struct Asked {
    question: &'static str,
    /// The scenario whose end is the answer.
    scenario: Scenario,
    because: &'static str,
}

/// What is asked while this scenario is shown.
fn asked(scenario: Scenario) -> Asked {
    match scenario {
        Scenario::LostResponse | Scenario::EarlyRetry => Asked {
            question: "The app asks again, this time without a key. How many charges?",
            scenario: Scenario::WithoutKey,
            because: "Nothing ties the second request to the first, so the API charges for both. The fork “Without a key” above shows the second one.",
        },
        Scenario::WithoutKey => Asked {
            question: "How many charges if both attempts had carried the same key?",
            scenario: Scenario::LostResponse,
            because: "The second attempt finds the key done and gets the saved answer; the processor is not asked again. The fork “With a key” above shows it.",
        },
        Scenario::NewKeyOnRetry => Asked {
            question: "The retry carries a key. How many charges?",
            scenario: Scenario::NewKeyOnRetry,
            because: "To the API a new key is a new payment. The key has to be made once for each press of Pay and kept for every attempt.",
        },
    }
}

/// One question, open until it is answered; the answer stays beside the result.
#[component]
pub fn Predict(
    /// The scenario that is shown.
    scenario: Signal<Scenario>,
    /// The seed that it is played with.
    seed: Signal<u64>,
) -> impl IntoView {
    let guess = RwSignal::new(None::<usize>);
    // Another scenario is another question.
    Effect::new(move |before: Option<Scenario>| {
        let now = scenario.get();
        if before.is_some_and(|before| before != now) {
            guess.set(None);
        }
        now
    });
    let choice = move |number: usize| {
        view! {
            <label>
                <input
                    type="radio"
                    name="predict"
                    value=number
                    prop:checked=move || guess.get() == Some(number)
                    // A guess is a commitment: it stands beside the result.
                    disabled=move || guess.get().is_some()
                    on:change=move |_| guess.set(Some(number))
                />
                <span>{number}</span>
            </label>
        }
    };
    let reveal = move || {
        let Some(guess) = guess.get() else {
            return String::new();
        };
        let asked = asked(scenario.get());
        let end = ends(asked.scenario, seed.get());
        let charged = end.charged();
        html! {
            p {
                b {
                    @if guess == charged {
                        "You said " (guess) ", and " (charged) " it is."
                    } @else {
                        "You said " (guess) ". It is " (charged) "."
                    }
                }
                " " (asked.because)
            }
            dl class="count" {
                (counts(end.intended as usize, charged, end.attempts as usize, false))
            }
        }
        .0
    };
    view! {
        <fieldset class="predict">
            <legend>
                <small>"Predict before you go on"</small>
                {move || asked(scenario.get()).question}
            </legend>
            <div class="seg">{choice(0)} {choice(1)} {choice(2)}</div>
            <div class="reveal" aria-live="polite" inner_html=reveal></div>
            <p class="wait" hidden=move || guess.get().is_some()>
                "Choose a number; then the model runs it."
            </p>
        </fieldset>
    }
}
