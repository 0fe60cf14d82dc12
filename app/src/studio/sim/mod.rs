//! What the two simulations share on their pages: fields, runs in slices, words.

#[cfg(feature = "hydrate")]
pub(crate) mod alive;
#[cfg(feature = "hydrate")]
pub(crate) mod reading;

use crate::studio::words::apart;
use crate::studio::{Field, panels::short};
use maud::{Markup, html};
use model::outage::{Fields as _, Form, Inputs};

/// One figure: its name, its value as text, its unit.
pub(crate) fn output(name: &str, value: &str, unit: &str) -> Markup {
    html! {
        output name=(name) { (apart(value)) }
        @if !unit.is_empty() { " " (unit) }
    }
}

/// A time in ms, to the µs that the model counts in.
pub(crate) fn ms(value: f64) -> String {
    short((value * 1000.0).round() / 1000.0)
}

/// A share as per cent, with one decimal.
pub(crate) fn per_cent(share: f64) -> String {
    let tenths = (share * 1000.0).round() / 10.0;
    // 100 % is all of them, and nothing less is.
    match tenths {
        100.0 if share < 1.0 => "> 99.9 %".to_owned(),
        0.0 if share > 0.0 => "< 0.1 %".to_owned(),
        _ => format!("{tenths} %"),
    }
}

/// A count, grouped from five digits on.
pub(crate) fn count(number: u64) -> String {
    if number < 10_000 {
        number.to_string()
    } else {
        model::money::grouped(number)
    }
}

/// What was changed to stay within the limits, in one sentence each, for readers
/// who do not look at the fields.
pub(crate) fn problems<I: Inputs>(
    form: &Form<I>,
    label: impl Fn(I::Field) -> &'static str,
) -> Markup {
    html! {
        @if !form.problems.is_empty() {
            div.sim__problems {
                p { "Not everything in the form could be taken as it is:" }
                ul {
                    @for problem in &form.problems {
                        li {
                            b { (label(problem.field)) } ": " (problem.wrong)
                            ". Used: " code { (form.inputs.text(problem.field)) }
                        }
                    }
                }
            }
        }
    }
}

/// The digest, for those who compare machines. `by` says who computed it.
pub(crate) fn digest(value: u64, by: &str) -> Markup {
    html! {
        details.sim__testers {
            summary { "For testers: the digest of this run" }
            p {
                output name="digest" data-by=(by) { (format!("{value:016x}")) }
                ", computed by the " (by) ". The same inputs give the same digest on every machine: "
                "it is taken over every bin and every total. "
                code { "cargo xtask bench retry" }
                " and a test in Chromium compare the two sides."
            }
        }
    }
}

/// The canonical query string of a form, with more parameters at its end.
pub(crate) fn query<I: Inputs>(form: &Form<I>, more: &[(&str, &str)]) -> String {
    let mut query = form.inputs.query();
    for (name, value) in more {
        query.push('&');
        query.push_str(name);
        query.push('=');
        query.push_str(value);
    }
    query
}

/// A field of a form with what is wrong with it.
pub(crate) fn field<I: Inputs>(
    form: &Form<I>,
    field: I::Field,
    label: &'static str,
    unit: &'static str,
) -> Field {
    let problem = form
        .problem(field)
        .map(|problem| sentence(&problem.to_string()));
    Field::text(field.name(), label, unit, form.text(field)).wrong(problem)
}

/// With a capital and a full stop.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    first
        .into_iter()
        .flatten()
        .chain(letters)
        .chain(['.'])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_them_is_said_only_of_all() {
        for (share, text) in [
            (1.0, "100 %"),
            (0.99999, "> 99.9 %"),
            (0.00001, "< 0.1 %"),
            (0.0, "0 %"),
            (0.125, "12.5 %"),
        ] {
            assert_eq!(per_cent(share), text);
        }
        assert_eq!(ms(1_234.567_89), "1235");
        assert_eq!(ms(7.25), "7.25");
        assert_eq!(count(9999), "9999");
        assert_eq!(count(1_000_000), "1,000,000");
    }
}
