//! What the client believes beside what is true.

use super::shot::Shot;
use super::words;
use leptos::prelude::*;
use maud::{Markup, html};

/// Two columns whose rows are held against each other.
#[component]
pub fn Compare(
    /// What is shown.
    shot: Memo<Shot>,
) -> impl IntoView {
    view! { <table class="cmp" inner_html=move || shot.with(rows).0></table> }
}

fn rows(shot: &Shot) -> Markup {
    let frame = &shot.frame;
    html! {
        thead {
            tr {
                th scope="col" class="tone-client" { span { "What the client believes" } }
                th scope="col" class="tone-server" { span { "What is true" } }
            }
        }
        tbody {
            tr class="big" {
                td { output name="belief" aria-live="off" { (words::belief(frame)) } }
                td { output name="truth" aria-live="off" { (words::truth(frame)) } }
            }
            @for row in words::versus(frame) {
                tr class="c-lab" { th colspan="2" scope="rowgroup" { (row.about) } }
                tr class={ "c-val" @if row.differ { " diff" } } {
                    td { (row.believed) }
                    td { (row.actual) }
                }
            }
        }
    }
}
