//! Small drawings. None of them carries meaning alone: a word stands beside each.

use leptos::prelude::*;
use maud::{Markup, PreEscaped, html};
use model::world::Actor;

/// The mark of the product: a charge inside a loop that goes round once.
#[must_use]
pub fn mark() -> impl IntoView {
    view! {
        <svg viewBox="0 0 24 24" aria-hidden="true">
            <path d="M19.4 7.2A9 9 0 1 0 21 12" fill="none" stroke="currentColor" stroke-width="2"/>
            <path d="M21.6 2.6v6.2h-6.2z" fill="currentColor"/>
            <circle cx="12" cy="12" r="3.75" class="f-client"/>
        </svg>
    }
}

/// A filled shape in the 16 px grid of buttons.
#[must_use]
pub fn solid(path: &'static str) -> impl IntoView {
    view! {
        <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d=path fill="currentColor"/>
        </svg>
    }
}

/// To the step before.
pub const PREVIOUS: &str = "M3 3h2v10H3zM12 3v10L6 8z";
/// To the step after.
pub const NEXT: &str = "M11 3h2v10h-2zM4 3l6 5l-6 5z";
/// Starts.
pub const PLAY: &str = "M4 2.5l9 5.5l-9 5.5z";
/// Stops.
pub const PAUSE: &str = "M4 3h3v10H4zM9 3h3v10H9z";
/// Back to the beginning.
pub const RESTART: &str = "M8 2.5a5.5 5.5 0 1 0 5.5 5.5h-2A3.5 3.5 0 1 1 8 4.5V7l4-3.5L8 0z";

/// Points to what opens.
#[must_use]
pub fn chevron(path: &'static str) -> impl IntoView {
    view! {
        <svg class="chev" width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
            <path d=path fill="none" stroke="currentColor" stroke-width="1.75"/>
        </svg>
    }
}

/// A chevron to the end of the line.
pub const TO_END: &str = "M4 2l4 4l-4 4";
/// A chevron downwards.
pub const DOWN: &str = "M2 4l4 4l4-4";

/// A tick.
pub const TICK: PreEscaped<&str> = PreEscaped(
    r#"<svg viewBox="0 0 12 12" aria-hidden="true"><path d="M1.5 6.5l3 3l6-7" fill="none" stroke="currentColor" stroke-width="2"/></svg>"#,
);

/// Two roads that part.
#[must_use]
pub fn fork() -> impl IntoView {
    view! {
        <svg viewBox="0 0 18 18" aria-hidden="true">
            <path d="M2 9h5c4 0 3-5 8-5M7 9c4 0 3 5 8 5" fill="none" stroke="currentColor" stroke-width="1.75"/>
        </svg>
    }
}

/// The sign of an actor in running text.
#[must_use]
pub fn sign(actor: Actor) -> Markup {
    html! {
        svg class="inl" viewBox="0 0 14 14" aria-hidden="true" {
            (PreEscaped(super::diagram::glyph(actor, 7, 7)))
        }
    }
}
