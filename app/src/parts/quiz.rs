//! The quick checks as the server writes them, verdicts and reasons included.
//! What is not due yet is hidden; the island only says what is due.

use crate::content::QUESTIONS;
use crate::islands::address::{Address, Home};
use crate::islands::story::Story;
use maud::{Markup, html};
use model::learn::{Choice, Question, Show};
use model::world::Scenario;

/// All questions.
#[must_use]
pub fn quick_checks() -> String {
    html! {
        @for (number, question) in (1..).zip(QUESTIONS) {
            (section(question, number))
        }
        p class="quiz__sum" {
            output name="answered" aria-live="off" { "0" } " of " (QUESTIONS.len()) " answered, "
            output name="right" aria-live="off" { "0" } " right."
        }
    }
    .0
}

fn section(question: &Question, number: usize) -> Markup {
    let id = format!("q-{}", question.id);
    html! {
        section class="quiz" aria-labelledby=(id) data-question=(question.id)
            data-revision=(question.revision) {
            p class="quiz__k" { "Check yourself, " (number) " of " (QUESTIONS.len()) }
            h3 id=(id) tabindex="-1" { (question.prompt) }
            ul {
                @for (at, choice) in question.choices.iter().enumerate() {
                    (option(question, choice, at))
                }
            }
            div class="quiz__foot" {
                p {
                    @if let Some(show) = &question.show {
                        span class="quiz__due" hidden { "Not convinced? " (shown(show)) }
                    }
                }
                button class="btn quiz__due" type="button" data-do="again" hidden { "Try again" }
                button class="btn btn--main" type="button" data-do="commit" disabled { "Commit answer" }
            }
            noscript {
                details class="quiz__plain" {
                    summary { "Show the answer" }
                    ul {
                        @for choice in question.choices.iter() {
                            li {
                                b { @if choice.right { "Right: " } @else { "Wrong: " } (choice.text) }
                                " " (choice.why)
                            }
                        }
                    }
                }
            }
        }
    }
}

fn option(question: &Question, choice: &Choice, at: usize) -> Markup {
    html! {
        li class="opt" data-right[choice.right] {
            label class="opt__l" {
                input class="opt__in" type="radio" name=(question.id) value=(at);
                svg class="opt__m" viewBox="0 0 20 20" aria-hidden="true" {
                    circle cx="10" cy="10" r="9" {}
                    circle class="opt__dot" cx="10" cy="10" r="4.5" {}
                    path class="opt__tick" d="M5.5 10.5l3.2 3.2l6-7" {}
                    path class="opt__cross" d="M6.5 6.5l7 7M13.5 6.5l-7 7" {}
                }
                span class="opt__t" {
                    span class="opt__v" hidden {}
                    (choice.text)
                }
            }
            p class="opt__e quiz__due" hidden { (choice.why) }
        }
    }
}

/// The way to the step that shows it.
fn shown(show: &Show) -> Markup {
    let address = Address {
        story: Story::Scenario(Scenario::from_slug(&show.scenario).unwrap_or_default()),
        step: show.step,
        ..Address::default()
    };
    html! {
        a data-show href=(address.href(Home::Lesson)) { (show.label) }
    }
}
