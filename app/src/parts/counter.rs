//! The pinned counter: what was intended, what was charged, how often it was tried.

use super::shot::Shot;
use leptos::prelude::*;
use maud::{Markup, html};

/// "intended 1 / charged N", with the attempts beside it.
///
/// Outputs announce their changes by themselves unless told not to; one live
/// region speaks for the whole player.
#[component]
pub fn Counter(
    /// What is shown.
    shot: Memo<Shot>,
) -> impl IntoView {
    let counts = move || {
        shot.with(|shot| {
            let frame = &shot.frame;
            counts(
                frame.intended as usize,
                frame.charged(),
                frame.attempts as usize,
                true,
            )
        })
    };
    view! { <dl class="count" inner_html=move || counts().0></dl> }
}

/// The three numbers. Only those of the player are named outputs.
#[must_use]
pub fn counts(intended: usize, charged: usize, attempts: usize, named: bool) -> Markup {
    let number = |name: &str, number: usize| {
        html! {
            dd {
                @if named {
                    output name=(name) aria-live="off" { (number) }
                } @else {
                    (number)
                }
            }
        }
    };
    let tone = match charged {
        0 => "none",
        _ if charged > intended => "bad",
        _ => "ok",
    };
    html! {
        div { dt { "intended" } (number("intended", intended)) }
        div class="slash" aria-hidden="true" {}
        div class=(tone) { dt { "charged" } (number("charged", charged)) }
        div class="att" { dt { "attempts" } (number("attempts", attempts)) }
    }
}
