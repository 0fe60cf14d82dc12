//! The form and its results, as the server writes them.

use super::{Drawn, Field, Place, share};
use maud::{Markup, html};

/// All of a tool that lives: the form, the results, and what is said aloud.
#[must_use]
pub fn whole(place: Place, drawn: &Drawn) -> Markup {
    html! {
        (form(place, &drawn.fields))
        div class="studio__out" {
            div data-results { (drawn.results) }
            div data-share { (share(place, &drawn.query)) }
        }
        p class="vh" role="status" data-said {}
    }
}

/// The form. It works without JavaScript: its button asks for the page again.
#[must_use]
pub fn form(place: Place, fields: &[Field]) -> Markup {
    html! {
        form class="studio__form" method="get" action=(place.path()) {
            @for group in fields.chunk_by(|a, b| a.group == b.group) {
                fieldset class="studio__set" {
                    @if let Some(name) = group.first().map(|field| field.group).filter(|name| !name.is_empty()) {
                        legend { (name) }
                    }
                    div class="studio__fields" {
                        @for field in group { (field.draw()) }
                    }
                }
            }
            button class="btn btn--main studio__go" type="submit" { "Work it out" }
        }
    }
}
