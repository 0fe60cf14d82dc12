//! Amplification: attempts on several layers multiply.

mod answer;
mod guess;
mod relief;
#[cfg(test)]
mod tests;
mod tree;

use super::words::{apart, grouped};
use super::{Drawn, Field, Pairs, borrowed, csv_line};
use crate::parts::chart::Chart;
use guess::Mode;
use maud::{Markup, html};
use model::retry::amplify::{AmplifyField, AmplifyForm, Count, Stack};

/// Draws it.
#[must_use]
pub fn draw(pairs: &Pairs) -> Drawn {
    let form = AmplifyForm::read(borrowed(pairs));
    let mode = Mode::read(pairs);
    let said = match mode {
        // It would give the answer away.
        Mode::Asked(_) => "Guess first: the answer is folded away.".to_owned(),
        _ => answer::sentence(&form.stack),
    };
    Drawn {
        query: format!("{}{}", form.stack.query(), mode.query()),
        fields: fields(&form, &mode),
        results: html! {
            (guess::draw(&form.stack, &mode))
            @if let Mode::Asked(_) = mode {
                details class="amp__folded" data-keep="answer" {
                    summary { "Show the answer without a guess" }
                    (answer::draw(&form.stack))
                }
            } @else {
                (answer::draw(&form.stack))
            }
        },
        said,
    }
}

fn fields(form: &AmplifyForm, mode: &Mode) -> Vec<Field> {
    let field = |field: AmplifyField, label, unit, note: &str| {
        Field::text(field.name(), label, unit, form.text(field))
            .noted(note)
            .wrong(form.problem(field).map(ToString::to_string))
    };
    vec![
        field(
            AmplifyField::Layers,
            "Attempts of each layer",
            "",
            "From the one next to the user to the bottom: 3,3,3. The first call is an attempt.",
        ),
        field(
            AmplifyField::P,
            "A call to the bottom fails with",
            "",
            "0 to 1; at 1 the service is down.",
        ),
        field(AmplifyField::Rps, "User requests", "/s", ""),
        field(
            AmplifyField::Budget,
            "Retry budget",
            "%",
            "Of the first calls of each layer. Empty: no budget.",
        )
        .under("What holds it back"),
        field(
            AmplifyField::Deadline,
            "Deadline",
            "ms",
            "From the user's request on, handed down. Empty: none.",
        )
        .under("What holds it back"),
        field(
            AmplifyField::Timeout,
            "A failing call takes",
            "ms",
            "Matters with a deadline only.",
        )
        .under("What holds it back")
        .idle(form.stack.deadline_ms.is_none() && form.problem(AmplifyField::Deadline).is_none()),
        // Goes along when the form is sent, so that the answer stays as it is.
        Field::text("guess", "Your guess", "calls", mode.text()).idle(true),
    ]
    .into_iter()
    .filter(|field| field.name != "guess" || !matches!(mode, Mode::Open))
    .collect()
}

/// Its figures as CSV.
#[must_use]
pub fn csv(pairs: &Pairs) -> String {
    let stack = AmplifyForm::read(borrowed(pairs)).stack;
    let mut text = csv_line([
        "level",
        "attempts",
        "worst_calls",
        "expected_calls",
        "worst_rps",
        "expected_rps",
        "chance_of_failure",
    ]);
    for level in stack.levels() {
        let name = match level.layer {
            0 => "user".to_owned(),
            layer => format!("layer {layer}"),
        };
        text += &csv_line([
            name.as_str(),
            &level.attempts.to_string(),
            &plain(level.worst),
            &plain(level.expected),
            &plain(relief::rps(level.worst, stack.rps)),
            &plain(relief::rps(level.expected, stack.rps)),
            &level.fails.to_string(),
        ]);
    }
    text
}

/// Its charts.
#[must_use]
pub fn charts(pairs: &Pairs) -> Vec<Chart> {
    answer::charts(&AmplifyForm::read(borrowed(pairs)).stack)
}

/// A number without groups.
fn plain(count: Count) -> String {
    count.to_string().replace('\u{202f}', "")
}

/// A number in groups of three that are set apart by style only: it is copied and read
/// aloud as one number.
fn digits(count: Count) -> Markup {
    let text = plain(count);
    let (whole, part) = match text.split_once('.') {
        Some((whole, part)) => (whole, format!(".{part}")),
        None => (text.as_str(), String::new()),
    };
    apart(&(grouped(whole) + &part))
}

/// A figure under its name, and whether it is rounded.
fn figure(name: &str, count: Count) -> Markup {
    html! {
        @if count.is_rounded() { "≈ " }
        output name=(name) { (digits(count)) }
        @if count.is_rounded() {
            " "
            small { "rounded: past 2" sup { "53" } " not every digit is kept" }
        }
    }
}

/// The calls of a stack, for a sentence.
fn calls(count: Count) -> String {
    let text = count.to_string();
    let noun = if text == "1" { "call" } else { "calls" };
    format!("{text} {noun}")
}

fn worst(stack: &Stack) -> Count {
    Count::Exact(stack.worst_calls())
}
