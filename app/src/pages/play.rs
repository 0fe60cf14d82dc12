//! The player on a page of its own: what "share" and "embed" open.

use super::asked_for;
use super::not_found::NotFound;
use crate::islands::address::Home;
use crate::islands::player::{Place, Player};
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

/// `/play/{scenario}?seed=1&step=5`.
#[component]
pub fn PlayPage() -> impl IntoView {
    let Some(address) = asked_for() else {
        return view! { <NotFound/> }.into_any();
    };
    provide_context(Place {
        home: Home::Play,
        address,
    });
    let title = heading(address.scenario);
    view! {
        <Title text=format!("{title} | Charge Once")/>
        <Meta
            name="description"
            content="Step through a payment whose reply is lost: what the client believes, what is true, and what the ledger says."
        />
        <main class="page play" id="main">
            <h1>{title}</h1>
            <h2 class="vh">"Step by step"</h2>
            <Player/>
            <noscript>
                <p class="noscript">
                    "Without JavaScript the buttons rest. The transcript lists every step, and each time in it leads to that step."
                </p>
            </noscript>
        </main>
    }
    .into_any()
}
