//! Forms as they stand in an address: a problem beside a field, the rest kept.

use crate::retry::form::number::{decimal, whole};
use crate::retry::plan::{Bound, Why, ranged};

/// The fields of a form.
pub trait Fields: Copy + Ord + 'static {
    /// Every field, in the order of the form and the address.
    const ALL: &'static [Self];

    /// Its name in an address.
    fn name(self) -> &'static str;
}

/// What a simulation runs on, as the values of a form.
pub trait Inputs: Copy + Default {
    /// The fields of its form.
    type Field: Fields;

    /// The value of a field as it is written.
    fn text(&self, field: Self::Field) -> String;

    /// Takes what was typed into a field.
    ///
    /// # Errors
    /// [`Why`] it cannot be taken; nothing is changed then.
    fn set(&mut self, field: Self::Field, text: &str) -> Result<(), Why>;

    /// The inputs within all limits, whatever is in them, and what that changed.
    fn mended(self) -> (Self, Vec<(Self::Field, Wrong)>);

    /// The canonical query string, with every field and without a question mark.
    /// Nothing in it needs escaping.
    fn query(&self) -> String {
        let pairs: Vec<_> = Self::Field::ALL
            .iter()
            .map(|field| format!("{}={}", field.name(), self.text(*field)))
            .collect();
        pairs.join("&")
    }
}

/// What is wrong with a field.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Wrong {
    /// With its value, whatever the others are. The form's first value stands in.
    #[error("{0}")]
    Value(Why),
    /// The windows would be cut before the first one.
    #[error("the cap is below the first wait; this runs with a cap of {0} ms")]
    CapBelowBase(u64),
    /// Together with other fields it could be more than a run may have.
    #[error("that could be more than {most} {what}; this runs with {used}")]
    TooMuch {
        /// The limit.
        most: u64,
        /// Of what.
        what: &'static str,
        /// What the field was brought down to.
        used: u64,
    },
    /// The outage ends before it starts.
    #[error("the end lies before the start; this runs with an end at {0} s")]
    EndsBeforeItStarts(u32),
}

/// One thing that is wrong, with the field that it stands beside.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{wrong}")]
pub struct Problem<Field> {
    /// Which field.
    pub field: Field,
    /// What is wrong.
    pub wrong: Wrong,
}

/// A form that was sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Form<I: Inputs> {
    /// What is run. It is within all limits, whatever was typed; the problems say
    /// where it is not what was typed.
    pub inputs: I,
    /// What is wrong, at most once for each field.
    pub problems: Vec<Problem<I::Field>>,
    typed: Vec<(I::Field, String)>,
}

impl<I: Inputs> Form<I> {
    /// Reads the pairs of a query string or a form, already unescaped. A field that
    /// is missing or empty has the value that the page opens on, one that is there
    /// twice the later value; names that are not known are left alone.
    #[must_use]
    pub fn read<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut typed: Vec<(I::Field, String)> = Vec::new();
        for (name, value) in pairs {
            if let Some(field) = I::Field::ALL.iter().find(|field| field.name() == name) {
                typed.retain(|(it, _)| it != field);
                if !value.trim().is_empty() {
                    typed.push((*field, value.to_owned()));
                }
            }
        }
        typed.sort_by_key(|(field, _)| *field);
        let mut inputs = I::default();
        let mut problems = Vec::new();
        for (field, text) in &typed {
            if let Err(why) = inputs.set(*field, text) {
                problems.push(Problem {
                    field: *field,
                    wrong: Wrong::Value(why),
                });
            }
        }
        let (inputs, changed) = inputs.mended();
        for (field, wrong) in changed {
            if problems.iter().all(|problem| problem.field != field) {
                problems.push(Problem { field, wrong });
            }
        }
        problems.sort_by_key(|problem| problem.field);
        Self {
            inputs,
            problems,
            typed,
        }
    }

    /// What is wrong with a field.
    #[must_use]
    pub fn problem(&self, field: I::Field) -> Option<&Problem<I::Field>> {
        self.problems.iter().find(|problem| problem.field == field)
    }

    /// What stands in a field: what was typed where there is a problem with it, else
    /// the value as it was understood.
    #[must_use]
    pub fn text(&self, field: I::Field) -> String {
        if self.problem(field).is_some()
            && let Some((_, text)) = self.typed.iter().find(|(it, _)| *it == field)
        {
            return text.clone();
        }
        self.inputs.text(field)
    }
}

/// What a number counts, and from where to where it may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The least that it may be.
    pub least: u64,
    /// The most that it may be.
    pub most: u64,
    /// What messages count in.
    unit: Unit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Plain,
    Ms,
    Attempts,
}

impl Limits {
    pub(super) const fn plain(least: u64, most: u64) -> Self {
        Self {
            least,
            most,
            unit: Unit::Plain,
        }
    }

    pub(super) const fn ms(least: u64, most: u64) -> Self {
        Self {
            least,
            most,
            unit: Unit::Ms,
        }
    }

    pub(super) const fn attempts(most: u32) -> Self {
        Self {
            least: 1,
            most: most as u64,
            unit: Unit::Attempts,
        }
    }

    fn bound(self, value: u64) -> Bound {
        match self.unit {
            Unit::Plain => Bound::Number(value as f64),
            Unit::Ms => Bound::Ms(value),
            Unit::Attempts => Bound::Attempts(u32::try_from(value).unwrap_or(u32::MAX)),
        }
    }

    /// Reads a whole number within the limits.
    pub(super) fn whole(self, text: &str) -> Result<u64, Why> {
        match whole(text, self.bound(self.least))? {
            number if number < self.least => Err(Why::TooSmall(self.bound(self.least))),
            number if number > self.most => Err(Why::TooLarge(self.bound(self.most))),
            number => Ok(number),
        }
    }

    /// The same for a field of 32 bits.
    pub(super) fn small(self, text: &str) -> Result<u32, Why> {
        u32::try_from(self.whole(text)?).map_err(|_| Why::TooLarge(self.bound(self.most)))
    }

    /// Reads a number within the limits.
    pub(super) fn number(self, text: &str) -> Result<f64, Why> {
        let number = decimal(text)?;
        match ranged(number, self.least as f64, self.most as f64) {
            Some(why) => Err(why),
            None => Ok(number),
        }
    }

    /// The nearest number within the limits.
    pub(super) fn clamp(self, number: u64) -> u64 {
        number.clamp(self.least, self.most)
    }

    /// The same for a field of 32 bits.
    pub(super) fn clamp_small(self, number: u32) -> u32 {
        u32::try_from(self.clamp(number.into())).unwrap_or(u32::MAX)
    }

    /// The number, if it is within the limits, else another. NaN is within none.
    pub(super) fn number_or(self, number: f64, other: f64) -> f64 {
        if (self.least as f64..=self.most as f64).contains(&number) {
            number
        } else {
            other
        }
    }
}

/// The largest seed: every program that holds numbers as f64 has it exactly.
pub(super) const MOST_SEED: u64 = (1 << 53) - 1;

/// The pairs of a query string that needs no unescaping.
#[cfg(test)]
pub(super) fn pairs(query: &str) -> impl Iterator<Item = (&str, &str)> {
    query.split('&').filter_map(|pair| pair.split_once('='))
}
