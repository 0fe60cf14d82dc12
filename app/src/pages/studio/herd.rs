//! `/herd`.

use super::head;
use crate::islands::studio::StudioTool;
use crate::studio::Tool;
use leptos::prelude::*;
use leptos_meta::{Meta, Title};
use maud::html;

const LEAD: &str = "Clients that failed together come back together, unless something spreads them. \
    The same herd, on the same seed, under four kinds of jitter.";

/// Clients that failed together.
#[component]
pub fn HerdPage() -> impl IntoView {
    view! {
        <Title text="Herd | Charge Once"/>
        <Meta name="description" content=LEAD/>
        <main class="page studio-page" id="main">
            <div inner_html=head(Tool::Herd, "Herd", LEAD)></div>
            <StudioTool/>
            <div inner_html=about()></div>
        </main>
    }
}

/// What is simulated, so that nobody has to guess.
fn about() -> String {
    html! {
        section.sim__about aria-labelledby="about" {
            h2 id="about" { "What is simulated" }
            ul {
                li { "All clients sent their first call before 0 ms, and at 0 ms all hear that it failed. That call counts as the first attempt and is in no figure." }
                li { "There is no network: a call arrives when it is sent. Two calls within one microsecond go in the order of the clients’ numbers." }
                li { "The server has one worker. A call takes 1/capacity of a second. Others wait while the queue has room; one more is refused at once, at no cost." }
                li { "A client stops waiting after its time-out. The server does not see that and does the work all the same: it is wasted." }
                li { "Window k is the smaller of the longest window and first window · growthᵏ⁻¹, in whole milliseconds. Waits are drawn in whole microseconds. Decorrelated jitter has no windows, so the growth is not used." }
                li { "All numbers inside are whole, so the same seed gives the same bits on every machine. A run of one kind has at most ten million calls and a million clients." }
            }
            p {
                "The four kinds are those of M. Brooker, “Exponential Backoff And Jitter”, AWS Architecture Blog, 2015. "
                "The windows it opens on are "
                a href="/#lost" { "the lesson’s" } ": 100 ms, doubled, four attempts."
            }
        }
    }
    .0
}
