//! The reference of the charge service: the policy that the draft standard asks
//! for, and the page that each problem's `type` and `Link` lead to.

mod policy;
mod problems;

use leptos::prelude::*;
use leptos_meta::{Meta, Title};
use policy::{RULES, SECTIONS};
pub use problems::{Described, PROBLEMS};

/// `/api`.
#[component]
pub fn ApiPage() -> impl IntoView {
    let sections = SECTIONS
        .iter()
        .map(|section| {
            let lines = section
                .lines
                .iter()
                .map(|line| view! { <li inner_html=*line></li> })
                .collect_view();
            view! {
                <section id=section.id>
                    <h2>{section.title}</h2>
                    <p inner_html=section.text></p>
                    <ul>{lines}</ul>
                </section>
            }
        })
        .collect_view();
    let rules = RULES
        .iter()
        .map(|(situation, answer)| {
            view! {
                <tr>
                    <td>{*situation}</td>
                    <td inner_html=*answer></td>
                </tr>
            }
        })
        .collect_view();
    let problems = PROBLEMS
        .iter()
        .map(|problem| {
            view! {
                <section id=problem.slug>
                    <h3>
                        <code>{problem.status} " " {problem.slug}</code>
                    </h3>
                    <p>
                        <b>{problem.title} "."</b>
                        " "
                        {problem.text}
                    </p>
                </section>
            }
        })
        .collect_view();
    view! {
        <Title text="API | Charge Once"/>
        <Meta
            name="description"
            content="The policy of the charge service: keys, fingerprints, leases, retention, and what each problem means."
        />
        <main class="page api" id="main">
            <h1>"The charge service, on the wire"</h1>
            <p>
                "What the service promises about retries, so that a client can rely on it. The same for programs: "
                <a href="/api/openapi.json" rel="external">
                    "openapi.json"
                </a>
                "."
            </p>
            {sections.into_any()}
            <section id="answers">
                <h2>"What is answered, in this order"</h2>
                <p>"The first row that fits decides."</p>
                <div class="api__scroll" tabindex="0" role="region" aria-label="Answers in order">
                    <table>
                        <thead>
                            <tr>
                                <th scope="col">"Situation"</th>
                                <th scope="col">"Answer"</th>
                            </tr>
                        </thead>
                        <tbody>{rules}</tbody>
                    </table>
                </div>
            </section>
            <section id="problems">
                <h2>"Problems"</h2>
                <p>
                    "Errors are " <code>"application/problem+json"</code>
                    ". The end of their " <code>"type"</code> " is stable; go by that, and not by the text."
                </p>
                {problems.into_any()}
            </section>
        </main>
    }
}
