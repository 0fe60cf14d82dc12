//! `/outage`.

use super::head;
use crate::islands::studio::StudioTool;
use crate::studio::Tool;
use leptos::prelude::*;
use leptos_meta::{Meta, Title};
use maud::html;
use model::outage::Kind;
use model::outage::contention::{Pause, contention};
use std::sync::LazyLock;

const LEAD: &str = "The same arrivals under nine ways to retry: what gets through, how long it takes, \
    and whether the system comes back once the cause is gone.";

/// Strategies in an outage.
#[component]
pub fn OutagePage() -> impl IntoView {
    view! {
        <Title text="Outage | Charge Once"/>
        <Meta name="description" content=LEAD/>
        <main class="page studio-page" id="main">
            <div inner_html=head(Tool::Outage, "Outage", LEAD)></div>
            <StudioTool/>
            <div inner_html=ABOUT.as_str()></div>
        </main>
    }
}

/// Clients and rounds of the contention table.
const CLIENTS: u32 = 100;
const ROUNDS: u32 = 20;

/// Nothing in it depends on the request.
static ABOUT: LazyLock<String> = LazyLock::new(about);

fn about() -> String {
    let rows = [
        ("no wait", Pause::None),
        ("backoff, no jitter", Pause::Backoff(Kind::None)),
        ("full jitter", Pause::Backoff(Kind::Full)),
        ("equal jitter", Pause::Backoff(Kind::Equal)),
        ("decorrelated jitter", Pause::Backoff(Kind::Decorrelated)),
    ]
    .map(|(name, pause)| (name, contention(CLIENTS, pause, ROUNDS, 1)));
    html! {
        section.sim__about aria-labelledby="about" {
            h2 id="about" { "What is simulated" }
            ul {
                li { "Requests arrive at moments drawn evenly over the whole time, each at one of the client processes. They are drawn once: all nine strategies get the same." }
                li { "The server takes calls in the order of arrival, 1/capacity of a second each, with a bounded queue; one more is refused at once, at no cost. It does not see that a client has given up, and does the work all the same." }
                li { "In the outage the server has lost a share of its capacity, and a share of the calls fails at once." }
                li { "A budget, throttle or breaker is kept by each client process for itself. A call that it holds back ends its request as failed." }
                li { "Metastable is what does not come back although the cause is gone: here, when one of the last three seconds is still broken." }
            }
            h2 { "How this differs from published figures" }
            p {
                "M. Brooker, “Fixing retries with token buckets and circuit breakers”, 2022, has a minute of 70 requests a second on a capacity of 100, "
                "one server down from 5 to 10 s. It completed 4074 requests without retries, 662 with three fixed retries and none of them after 40 s, "
                "4100 with a token bucket and 3737 with a breaker. This page opens on the same load, capacity and outage and tells the same story, "
                "with other figures. How many servers there were and how a call to the dead one fails is not known to us; here half of the capacity is gone, "
                "half of the calls fail at once, clients wait half a second and the queue holds 200. Our 10 % budget starts empty, so it never adds more than a tenth; "
                "the source’s starts with tokens. Our breaker holds back first calls as well. "
                "With his rules in place of ours, our simulator gives his figures for partial failures to within three standard deviations; a test holds it to that."
            }
            h2 { "Contention is something else" }
            p {
                "Where clients compete for one row (optimistic locking, unlimited capacity), nothing is refused and nothing is late: a write fails because another came first. "
                (CLIENTS) " clients update one row once each, averages of " (ROUNDS) " rounds on one seed. Backoff spares the database, jitter the clients’ time. "
                "This is no model of a herd or an outage."
            }
            div.sim__scroll {
                table {
                    thead { tr { th scope="col" { "wait after a failed write" } th scope="col" { "all done after, ms" } th scope="col" { "writes that reached the server" } } }
                    tbody {
                        @for (name, it) in rows {
                            tr { th scope="row" { (name) } td { (it.completion_ms.round()) } td { (it.calls.round()) } }
                        }
                    }
                }
            }
            p {
                "After M. Brooker, “Exponential Backoff And Jitter”, 2015: first window 5 ms, longest 2 s, each message under way for 10 ± 2 ms."
            }
        }
    }
    .0
}
