//! Three endings of one wait. Each is run in the model; the client cannot tell
//! them apart, and the picture shows what it cannot see.

use super::diagram::Ending;
use super::words;
use leptos::prelude::*;
use model::fault::Fault;
use model::world::{Fact, Frame, Setup, What, run};

/// One ending: what it is called and which runs can have led to it.
struct Case {
    title: &'static str,
    faults: &'static [Fault],
}

const CASES: [Case; 3] = [
    Case {
        title: "The request is lost",
        faults: &[Fault::LoseRequest],
    },
    Case {
        title: "The process dies half-way",
        faults: &[Fault::CrashBeforeCharge, Fault::CrashAfterCharge],
    },
    Case {
        title: "The reply is lost",
        faults: &[Fault::LoseReply],
    },
];

/// One attempt that meets a fault, up to the moment when the client stops waiting.
fn attempt(fault: Fault) -> (Vec<Fact>, u64) {
    let mut setup = Setup::lesson();
    setup.faults = vec![fault];
    setup.rules.attempts = 1;
    setup.policy.attempts = 1;
    (run(&setup, 1), setup.policy.timeout_ms)
}

/// The three endings, side by side.
#[must_use]
pub fn endings() -> impl IntoView {
    let items = CASES
        .map(|case| {
            let runs: Vec<_> = case.faults.iter().map(|fault| attempt(*fault)).collect();
            let charged: Vec<usize> = runs
                .iter()
                .map(|(facts, _)| Frame::after(facts).charged())
                .collect();
            let all = |number| charged.iter().all(|it| *it == number);
            let charged = if all(0) {
                "no"
            } else if all(1) {
                "yes"
            } else {
                "perhaps: it depends on when"
            };
            let (facts, waited) = runs.into_iter().next().unwrap_or_default();
            let silent = !facts.iter().any(|fact| matches!(fact.what, What::Received(_)));
            let sees = if silent {
                format!("nothing for {}", words::span(waited))
            } else {
                "an answer".to_owned()
            };
            let drawn = Ending::of(&facts).draw(&words::span(waited));
            view! {
                <li>
                    <h3>{case.title}</h3>
                    <svg class="mini" viewBox="0 0 280 136" aria-hidden="true" inner_html=drawn></svg>
                    <dl>
                        <dt>"App sees"</dt>
                        <dd>{sees}</dd>
                        <dt>"Charged"</dt>
                        <dd>
                            <b>{charged}</b>
                        </dd>
                    </dl>
                </li>
            }
        })
        .collect_view();
    view! {
        <div class="trio-box wide">
            <ol class="trio">{items}</ol>
        </div>
    }
}
