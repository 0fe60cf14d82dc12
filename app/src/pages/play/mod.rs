//! The player on a page of its own: what "share" and "embed" open.

mod found;
mod weakened;
mod words;

use super::asked_for;
use super::not_found::NotFound;
use crate::islands::address::Home;
use crate::islands::player::{Place, Player};
use crate::islands::story::Story;
use found::Found;
use leptos::prelude::*;
use leptos_meta::{Meta, Title};
use model::world::Scenario;

/// The heading of a scenario's page.
const fn heading(scenario: Scenario) -> &'static str {
    match scenario {
        Scenario::LostResponse => "The lost response, with a key",
        Scenario::WithoutKey => "The lost response, without a key",
        Scenario::NewKeyOnRetry => "The lost response, with a new key on the retry",
        Scenario::EarlyRetry => "The retry arrives early",
    }
}

/// `/play/{scenario}?seed=1&step=5`, and `/play/{weakened design}?step=5`.
#[component]
pub fn PlayPage() -> impl IntoView {
    let Some(address) = asked_for() else {
        return view! { <NotFound/> }.into_any();
    };
    let found = match address.story {
        Story::Scenario(_) => None,
        Story::Weakened(weakened) => match found::of(weakened) {
            Some(found) => Some(found),
            None => return view! { <NotFound/> }.into_any(),
        },
    };
    provide_context(Place {
        home: Home::Play,
        address,
        moves: found.map(Found::moves).unwrap_or_default(),
    });
    let (title, about) = match (address.story, found) {
        (_, Some(found)) => {
            let telling = words::telling(found.weakened);
            (telling.title, telling.harm)
        }
        (story, None) => (
            heading(story.scenario().unwrap_or_default()),
            "Step through a payment whose reply is lost: what the client believes, what is true, and what the ledger says.",
        ),
    };
    let finding = found.map(|found| {
        let finding = weakened::finding(found).0;
        view! { <dl class="finding" inner_html=finding></dl> }
    });
    let others = found.map(|found| {
        let others = weakened::others(found.weakened).0;
        view! { <section class="found" aria-labelledby="guards" inner_html=others></section> }
    });
    view! {
        <Title text=format!("{title} | Charge Once")/>
        <Meta name="description" content=about/>
        <main class="page play" id="main">
            <h1>{title}</h1>
            {finding}
            <h2 class="vh">"Step by step"</h2>
            <Player/>
            <noscript>
                <p class="noscript">
                    "Without JavaScript the buttons rest. The transcript lists every step, and each time in it leads to that step."
                </p>
            </noscript>
            {others}
        </main>
    }
    .into_any()
}
