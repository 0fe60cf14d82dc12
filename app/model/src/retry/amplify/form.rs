//! The inputs of the amplification page, and the reader's guess.

use super::Stack;
use crate::retry::form::number::{decimal, whole};
use crate::retry::plan::{Bound, Plan, Why, ranged};

/// A field of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AmplifyField {
    /// The attempts of each layer: 3,3,3.
    Layers,
    /// The chance that a call at the bottom fails.
    P,
    /// User requests a second.
    Rps,
    /// The budget, in percent.
    Budget,
    /// The deadline, in ms.
    Deadline,
    /// How long a failing call takes, in ms.
    Timeout,
}

impl AmplifyField {
    /// Every field, in the order of the address.
    pub const ALL: [Self; 6] = [
        Self::Layers,
        Self::P,
        Self::Rps,
        Self::Budget,
        Self::Deadline,
        Self::Timeout,
    ];

    /// Its name in an address.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Layers => "layers",
            Self::P => "p",
            Self::Rps => "rps",
            Self::Budget => "budget",
            Self::Deadline => "deadline",
            Self::Timeout => "timeout",
        }
    }
}

/// One thing that is wrong, with the field that it stands beside.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{why}")]
pub struct AmplifyProblem {
    /// Which field.
    pub field: AmplifyField,
    /// What is wrong.
    pub why: Why,
}

/// A form that was sent.
#[derive(Clone, Debug, PartialEq)]
pub struct AmplifyForm {
    /// What is reckoned with; a field with a problem has the value that the page
    /// opens on.
    pub stack: Stack,
    /// What is wrong, at most once for each field.
    pub problems: Vec<AmplifyProblem>,
    typed: Vec<(AmplifyField, String)>,
}

impl AmplifyForm {
    /// Reads the pairs of a query string or a form, already unescaped. A field that
    /// is missing has the value that the page opens on, one that is there twice the
    /// later value; names that are not known are left alone.
    #[must_use]
    pub fn read<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut typed: Vec<(AmplifyField, String)> = Vec::new();
        for (name, value) in pairs {
            if let Some(field) = AmplifyField::ALL.into_iter().find(|it| it.name() == name) {
                typed.retain(|(it, _)| *it != field);
                typed.push((field, value.to_owned()));
            }
        }
        typed.sort_by_key(|(field, _)| *field);
        let mut stack = Stack::start();
        let mut problems = Vec::new();
        for (field, text) in &typed {
            if let Err(why) = set(&mut stack, *field, text) {
                problems.push(AmplifyProblem { field: *field, why });
            }
        }
        Self {
            stack,
            problems,
            typed,
        }
    }

    /// What is wrong with a field.
    #[must_use]
    pub fn problem(&self, field: AmplifyField) -> Option<&AmplifyProblem> {
        self.problems.iter().find(|problem| problem.field == field)
    }

    /// What stands in a field: what was typed where there is a problem with it, else
    /// the value as it was understood.
    #[must_use]
    pub fn text(&self, field: AmplifyField) -> String {
        if self.problem(field).is_some()
            && let Some((_, text)) = self.typed.iter().find(|(it, _)| *it == field)
        {
            return text.clone();
        }
        self.stack.text(field)
    }
}

impl Stack {
    /// The value of a field as it is written.
    #[must_use]
    pub fn text(&self, field: AmplifyField) -> String {
        let or_empty = |ms: Option<u64>| ms.map_or_else(String::new, |ms| ms.to_string());
        match field {
            AmplifyField::Layers => {
                let layers: Vec<_> = self.layers.iter().map(u32::to_string).collect();
                layers.join(",")
            }
            AmplifyField::P => self.p.to_string(),
            AmplifyField::Rps => self.rps.to_string(),
            // 7 % is .07, and .07·100 is 7.000000000000001 in binary.
            AmplifyField::Budget => self.budget.map_or_else(String::new, |share| {
                ((share * 1e8).round() / 1e6).to_string()
            }),
            AmplifyField::Deadline => or_empty(self.deadline_ms),
            AmplifyField::Timeout => self.timeout_ms.to_string(),
        }
    }

    /// The canonical query string, without a question mark: the deadline and what a
    /// call takes only where there is a deadline.
    #[must_use]
    pub fn query(&self) -> String {
        let pairs: Vec<_> = AmplifyField::ALL
            .into_iter()
            .filter(|field| {
                self.deadline_ms.is_some()
                    || !matches!(field, AmplifyField::Deadline | AmplifyField::Timeout)
            })
            .map(|field| format!("{}={}", field.name(), self.text(field)))
            .collect();
        pairs.join("&")
    }
}

fn set(stack: &mut Stack, field: AmplifyField, text: &str) -> Result<(), Why> {
    let text = text.trim();
    let ms = |least: u64| -> Result<u64, Why> {
        match whole(text, Bound::Ms(least))? {
            ms if ms < least => Err(Why::TooSmall(Bound::Ms(least))),
            ms if ms > Plan::LONGEST_TIMER => Err(Why::TooLarge(Bound::Ms(Plan::LONGEST_TIMER))),
            ms => Ok(ms),
        }
    };
    let number = |most: f64| -> Result<f64, Why> {
        let number = decimal(text)?;
        match ranged(number, 0.0, most) {
            Some(why) => Err(why),
            None => Ok(number),
        }
    };
    match field {
        AmplifyField::Layers => stack.layers = layers(text)?,
        AmplifyField::P => stack.p = number(1.0)?,
        AmplifyField::Rps => {
            let rps = whole(text, Bound::Number(0.0))?;
            if rps > Stack::MOST_RPS {
                return Err(Why::TooLarge(Bound::Number(Stack::MOST_RPS as f64)));
            }
            stack.rps = rps;
        }
        AmplifyField::Budget => {
            stack.budget = match text {
                "" => None,
                _ => Some(number(1000.0)? / 100.0),
            };
        }
        AmplifyField::Deadline => {
            stack.deadline_ms = match text {
                "" => None,
                _ => Some(ms(1)?),
            };
        }
        AmplifyField::Timeout => stack.timeout_ms = ms(1)?,
    }
    Ok(())
}

/// 3,3,3 or 3 3 3 or 3×3×3.
fn layers(text: &str) -> Result<Vec<u32>, Why> {
    let mut parts = Vec::new();
    for part in text.split([',', ';', '×', 'x', '*']) {
        let before = parts.len();
        parts.extend(part.split_whitespace());
        // "3,,3" is not two layers in silence.
        if parts.len() == before {
            return Err(Why::Empty);
        }
    }
    if parts.len() > Stack::MOST_LAYERS {
        return Err(Why::TooLarge(Bound::Layers(Stack::MOST_LAYERS)));
    }
    parts
        .into_iter()
        .map(|part| match whole(part, Bound::Attempts(1))? {
            0 => Err(Why::TooSmall(Bound::Attempts(1))),
            attempts => u32::try_from(attempts)
                .ok()
                .filter(|attempts| *attempts <= Stack::MOST_ATTEMPTS)
                .ok_or(Why::TooLarge(Bound::Attempts(Stack::MOST_ATTEMPTS))),
        })
        .collect()
}

/// How near a guess came.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Guess {
    /// To the call.
    Exact,
    /// From a third of it up to just under three times.
    Good,
    /// Less than a third of it.
    TooLow,
    /// Three times as much, or more.
    TooHigh,
}

/// Reads a guess.
///
/// # Errors
/// [`Why`] it is no whole number of at least 1.
pub fn guess(text: &str) -> Result<u128, Why> {
    match whole(text, Bound::Number(1.0))? {
        0 => Err(Why::TooSmall(Bound::Number(1.0))),
        calls => Ok(u128::from(calls)),
    }
}

/// Grades a guess at the worst number of calls: within a factor of three is good,
/// for 27 that is 9 to 80.
#[must_use]
pub const fn grade(guess: u128, calls: u128) -> Guess {
    if guess == calls {
        Guess::Exact
    } else if guess.saturating_mul(3) < calls {
        Guess::TooLow
    } else if guess >= calls.saturating_mul(3) {
        Guess::TooHigh
    } else {
        Guess::Good
    }
}
