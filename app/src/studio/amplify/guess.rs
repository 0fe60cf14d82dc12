//! The reader's guess, before the answer.

use crate::studio::{Pairs, borrowed};
use maud::{Markup, html};
use model::retry::amplify::{AmplifyField, Count, Guess, Stack, grade, guess};

/// How far the reader is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// The question is asked; what was written is no number, with why, or nothing yet.
    Asked(Option<(String, String)>),
    /// The reader has committed to a number.
    Guessed(u128),
    /// Figures were asked for by their address: no question.
    Open,
}

impl Mode {
    /// An address with inputs and without a guess is one that somebody shares: it
    /// shows its figures. One without any starts with the question.
    pub(super) fn read(pairs: &Pairs) -> Self {
        let is_input = |name: &str| AmplifyField::ALL.iter().any(|field| field.name() == name);
        match borrowed(pairs).filter(|(name, _)| *name == "guess").last() {
            Some((_, text)) if text.trim().is_empty() => Self::Asked(None),
            Some((_, text)) => match guess(text) {
                Ok(calls) => Self::Guessed(calls),
                Err(why) => Self::Asked(Some((text.to_owned(), why.to_string()))),
            },
            None if borrowed(pairs).any(|(name, _)| is_input(name)) => Self::Open,
            None => Self::Asked(None),
        }
    }

    /// What stands in the field.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Asked(Some((text, _))) => text.clone(),
            Self::Guessed(calls) => calls.to_string(),
            Self::Asked(None) | Self::Open => String::new(),
        }
    }

    /// What it adds to the canonical query.
    pub(super) fn query(&self) -> String {
        match self {
            Self::Open => String::new(),
            Self::Asked(_) => "&guess=".to_owned(),
            Self::Guessed(calls) => format!("&guess={calls}"),
        }
    }
}

/// The question, or how good the guess was.
pub(super) fn draw(stack: &Stack, mode: &Mode) -> Markup {
    match mode {
        Mode::Open => html! {},
        Mode::Guessed(calls) => verdict(stack, *calls),
        Mode::Asked(wrong) => ask(stack, wrong.as_ref()),
    }
}

fn ask(stack: &Stack, wrong: Option<&(String, String)>) -> Markup {
    let layers = match stack.layers.as_slice() {
        [one] => format!("One layer makes up to {one} attempts"),
        layers => {
            let attempts: Vec<_> = layers.iter().map(ToString::to_string).collect();
            format!(
                "{} services call one another, and make up to {} attempts",
                layers.len(),
                attempts.join(", ")
            )
        }
    };
    html! {
        // A form of its own: the number counts when it is sent, not while it is typed.
        // Its answer is the page again, so it works without JavaScript too.
        form class="amp__guess" method="get" action="#answer" {
            @for field in AmplifyField::ALL {
                input type="hidden" name=(field.name()) value=(stack.text(field));
            }
            p class="amp__q" id="amp-question" {
                (layers) ". Everything at the bottom fails. How many calls does one request of a user become there?"
            }
            div class="amp__try" {
                label for="amp-guess" { "Your guess" }
                input type="text" inputmode="numeric" autocomplete="off" id="amp-guess" name="guess"
                    value=(wrong.map_or("", |(text, _)| text.as_str()))
                    aria-describedby="amp-question amp-wrong" aria-invalid=[wrong.map(|_| "true")];
                button class="btn btn--main" type="submit" { "Commit to it" }
            }
            p class=(if wrong.is_some() { "field__n field__n--wrong" } else { "field__n" }) id="amp-wrong" {
                @match wrong {
                    Some((_, why)) => (why),
                    None => "A number before you read on. Within a factor of three is good.",
                }
            }
        }
    }
}

fn verdict(stack: &Stack, guess: u128) -> Markup {
    let calls = stack.worst_calls();
    let (class, words) = match grade(guess, calls) {
        Guess::Exact => ("good", "to the call"),
        Guess::Good => ("good", "within a factor of three: good"),
        Guess::TooLow => ("off", "too low, by more than a factor of three"),
        Guess::TooHigh => ("off", "too high, by a factor of three or more"),
    };
    html! {
        p class={ "amp__verdict amp__verdict--" (class) } id="answer" {
            "You said "
            output name="guess" { (super::digits(Count::Exact(guess))) }
            ", it is "
            strong { (super::digits(Count::Exact(calls))) }
            ": "
            output name="guess-grade" { (words) }
            ". "
            @if matches!(grade(guess, calls), Guess::TooLow) {
                "Layers look like a sum and are a product. "
            }
            a href={ "?" (stack.query()) "&guess=" } { "Ask me again" }
        }
    }
}
