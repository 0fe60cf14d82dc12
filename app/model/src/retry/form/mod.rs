//! The calculator's inputs as they stand in an address or a form.

pub(crate) mod number;
mod scene;
#[cfg(test)]
mod tests;

pub use scene::{Scene, SceneField, SceneForm};

use super::plan::{Bound, Field, Plan, Problem, RetryAfter, Spread, Why};
use crate::Ms;
use number::{decimal, whole};

/// Everything that the calculator works on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inputs {
    /// The policy.
    pub plan: Plan,
    /// The probability that an attempt fails, 0 to 1.
    pub p: f64,
}

/// The share of ± jitter where none was given: gRPC's.
const SHARE: f64 = 0.2;
const JITTERS: &str = "none, full, equal, decorrelated, share";
const IGNORE: &str = "ignore";

impl Inputs {
    /// What the calculator opens on.
    pub const START: Self = Self {
        plan: Plan::START,
        p: 0.1,
    };

    /// The value of a field as it is written, with a decimal point; empty for no
    /// deadline.
    #[must_use]
    pub fn text(&self, field: Field) -> String {
        let plan = &self.plan;
        match field {
            Field::Attempts => plan.attempts.to_string(),
            Field::Base => plan.base_ms.to_string(),
            Field::Factor => plan.factor.to_string(),
            Field::Cap => plan.cap_ms.to_string(),
            Field::Jitter => plan.spread.name().to_owned(),
            Field::Share => match plan.spread {
                Spread::Share(share) => share.to_string(),
                _ => SHARE.to_string(),
            },
            Field::Timeout => plan.timeout_ms.to_string(),
            Field::P => self.p.to_string(),
            Field::Deadline => plan
                .deadline_ms
                .map_or_else(String::new, |ms| ms.to_string()),
            Field::RetryAfter => match plan.retry_after {
                RetryAfter::Ignore => IGNORE.to_owned(),
                RetryAfter::Honour { most_ms } => most_ms.to_string(),
            },
        }
    }

    /// Whether a field is written in an address: the share only where it is used,
    /// Retry-After only where it differs.
    fn is_written(&self, field: Field) -> bool {
        match field {
            Field::Share => matches!(self.plan.spread, Spread::Share(_)),
            Field::RetryAfter => self.plan.retry_after != RetryAfter::DEFAULT,
            _ => true,
        }
    }

    /// The canonical query string, without a question mark. Two inputs have the same
    /// one only if they are the same. Nothing in it needs escaping.
    #[must_use]
    pub fn query(&self) -> String {
        let pairs: Vec<_> = Field::ALL
            .into_iter()
            .filter(|field| self.is_written(*field))
            .map(|field| format!("{}={}", field.name(), self.text(field)))
            .collect();
        pairs.join("&")
    }

    /// Puts the value of a field back to what the calculator opens on.
    fn reset(&mut self, field: Field) {
        let (plan, start) = (&mut self.plan, Plan::START);
        match field {
            Field::Attempts => plan.attempts = start.attempts,
            Field::Base => plan.base_ms = start.base_ms,
            Field::Factor => plan.factor = start.factor,
            // Never below the base.
            Field::Cap => plan.cap_ms = start.cap_ms.max(plan.base_ms),
            Field::Jitter => plan.spread = start.spread,
            Field::Share => plan.spread = Spread::Share(SHARE),
            Field::Timeout => plan.timeout_ms = start.timeout_ms,
            Field::P => self.p = Self::START.p,
            Field::Deadline => plan.deadline_ms = start.deadline_ms,
            Field::RetryAfter => plan.retry_after = start.retry_after,
        }
    }

    /// Everything that is wrong with it, in the order of the fields.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let mut problems = self.plan.check().err().unwrap_or_default();
        if let Some(why) = super::plan::ranged(self.p, 0.0, 1.0) {
            problems.push(Problem::new(Field::P, why));
        }
        problems.sort_by_key(|problem| problem.field);
        problems
    }
}

/// A form that was sent: what was typed, what is wrong with it, and what to reckon
/// with meanwhile.
#[derive(Clone, Debug, PartialEq)]
pub struct Form {
    /// What the figures are worked out from. Where a field has a problem, the value
    /// that the calculator opens on stands in for it (for the cap, no less than the
    /// base); the page says so beside the field.
    pub inputs: Inputs,
    /// What is wrong, at most once for each field.
    pub problems: Vec<Problem>,
    typed: Vec<(Field, String)>,
}

impl Form {
    /// Reads the pairs of a query string or a form, already unescaped. A field that
    /// is missing has the value that the calculator opens on, one that is there
    /// twice the later value; names that are not known are left alone.
    #[must_use]
    pub fn read<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut typed: Vec<(Field, String)> = Vec::new();
        for (name, value) in pairs {
            if let Some(field) = Field::named(name) {
                typed.retain(|(it, _)| *it != field);
                typed.push((field, value.to_owned()));
            }
        }
        typed.sort_by_key(|(field, _)| *field);
        let mut inputs = Inputs::START;
        let mut problems = Vec::new();
        for (field, text) in &typed {
            if let Err(why) = set(&mut inputs, *field, text) {
                problems.push(Problem::new(*field, why));
            }
        }
        // What is out of range makes room for what is not, until all is well: each
        // round puts at least one field back.
        for _ in Field::ALL {
            let found = inputs.problems();
            if found.is_empty() {
                break;
            }
            for problem in found {
                inputs.reset(problem.field);
                if problems.iter().all(|it| it.field != problem.field) {
                    problems.push(problem);
                }
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
    pub fn problem(&self, field: Field) -> Option<&Problem> {
        self.problems.iter().find(|problem| problem.field == field)
    }

    /// What stands in a field: what was typed where there is a problem with it, else
    /// the value as it was understood.
    #[must_use]
    pub fn text(&self, field: Field) -> String {
        if self.problem(field).is_some()
            && let Some((_, text)) = self.typed.iter().find(|(it, _)| *it == field)
        {
            return text.clone();
        }
        self.inputs.text(field)
    }
}

/// Takes what was typed into a field.
fn set(inputs: &mut Inputs, field: Field, text: &str) -> Result<(), Why> {
    let plan = &mut inputs.plan;
    let ms = |text: &str| -> Result<Ms, Why> { whole(text, Bound::Ms(0)) };
    match field {
        Field::Attempts => {
            let attempts = whole(text, Bound::Attempts(1))?;
            plan.attempts = u32::try_from(attempts).unwrap_or(u32::MAX);
        }
        Field::Base => plan.base_ms = ms(text)?,
        Field::Factor => plan.factor = decimal(text)?,
        Field::Cap => plan.cap_ms = ms(text)?,
        Field::Jitter => {
            plan.spread = match text.trim().to_ascii_lowercase().as_str() {
                "none" => Spread::None,
                "full" => Spread::Full,
                "equal" => Spread::Equal,
                "decorrelated" => Spread::Decorrelated,
                "share" => Spread::Share(SHARE),
                _ => return Err(Why::UnknownWord(JITTERS)),
            };
        }
        // The jitter comes before it. For the other kinds there is nothing to set,
        // and nothing wrong with it.
        Field::Share => {
            if let Spread::Share(share) = &mut plan.spread {
                *share = decimal(text)?;
            }
        }
        Field::Timeout => plan.timeout_ms = ms(text)?,
        Field::P => inputs.p = decimal(text)?,
        Field::Deadline => {
            plan.deadline_ms = match text.trim() {
                "" => None,
                text => Some(ms(text)?),
            };
        }
        Field::RetryAfter => {
            plan.retry_after = match text.trim() {
                IGNORE => RetryAfter::Ignore,
                text => RetryAfter::Honour { most_ms: ms(text)? },
            };
        }
    }
    Ok(())
}
