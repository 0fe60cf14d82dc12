//! What is wrong with a plan: every field at once, nothing bent in silence.

use super::{Plan, RetryAfter, Spread};
use crate::Ms;
use std::fmt;

/// A field of the calculator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    /// How many attempts.
    Attempts,
    /// The first nominal wait.
    Base,
    /// The growth.
    Factor,
    /// The cap.
    Cap,
    /// The kind of jitter.
    Jitter,
    /// The share of ± jitter.
    Share,
    /// The time-out of one attempt.
    Timeout,
    /// The chance that an attempt fails.
    P,
    /// The overall deadline.
    Deadline,
    /// The longest Retry-After.
    RetryAfter,
}

impl Field {
    /// Every field, in the order of the form and the address.
    pub const ALL: [Self; 10] = [
        Self::Attempts,
        Self::Base,
        Self::Factor,
        Self::Cap,
        Self::Jitter,
        Self::Share,
        Self::Timeout,
        Self::P,
        Self::Deadline,
        Self::RetryAfter,
    ];

    /// Its name in an address.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Attempts => "attempts",
            Self::Base => "base",
            Self::Factor => "factor",
            Self::Cap => "cap",
            Self::Jitter => "jitter",
            Self::Share => "share",
            Self::Timeout => "timeout",
            Self::P => "p",
            Self::Deadline => "deadline",
            Self::RetryAfter => "retry-after",
        }
    }

    /// The field of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.name() == name)
    }
}

/// What is wrong with a value.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Why {
    /// Nothing is there, and the field needs a value.
    #[error("a value is needed here")]
    Empty,
    /// No number can be read in it.
    #[error("this is not a number")]
    NotANumber,
    /// NaN or infinite.
    #[error("this has to be a finite number")]
    NotFinite,
    /// A part of a millisecond, or of an attempt.
    #[error("this has to be a whole number")]
    NotWhole,
    /// 1,000 or 1.000: a thousand to some, one to others.
    #[error("is that a thousand or one? Write {without} or {one}")]
    Ambiguous {
        /// Without the separator.
        without: String,
        /// What stands before the separator.
        one: String,
    },
    /// Not one of the words that are known here.
    #[error("write one of these: {0}")]
    UnknownWord(&'static str),
    /// Below the least.
    #[error("at least {0}")]
    TooSmall(Bound),
    /// Above the most.
    #[error("at most {0}")]
    TooLarge(Bound),
    /// The first wait is already over the cap.
    #[error(
        "the first wait of {base_ms} ms is over the cap of {cap_ms} ms: raise the cap or lower the base"
    )]
    BaseOverCap {
        /// The base.
        base_ms: Ms,
        /// The cap.
        cap_ms: Ms,
    },
}

/// A limit, with its unit where it has one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// A plain number.
    Number(f64),
    /// A time in ms.
    Ms(Ms),
    /// A number of attempts, the first call included.
    Attempts(u32),
    /// A number of layers.
    Layers(usize),
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Ms(Plan::LONGEST_TIMER) => {
                write!(
                    f,
                    "{} ms, the longest that a timer can run",
                    Plan::LONGEST_TIMER
                )
            }
            Self::Ms(ms) => write!(f, "{ms} ms"),
            Self::Attempts(1) => f.write_str("1 attempt: the first call is one"),
            Self::Attempts(attempts) => write!(f, "{attempts} attempts"),
            Self::Layers(layers) => write!(f, "{layers} layers"),
        }
    }
}

/// One thing that is wrong, with the field that it stands beside.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{why}")]
pub struct Problem {
    /// Which field.
    pub field: Field,
    /// What is wrong.
    pub why: Why,
}

impl Problem {
    pub(crate) const fn new(field: Field, why: Why) -> Self {
        Self { field, why }
    }
}

impl Plan {
    /// Looks the plan over.
    ///
    /// # Errors
    /// Every [`Problem`] that it has, in the order of the fields.
    pub fn check(&self) -> Result<(), Vec<Problem>> {
        let mut problems = Vec::new();
        let mut say = |field, why| problems.push(Problem::new(field, why));
        if self.attempts == 0 {
            say(Field::Attempts, Why::TooSmall(Bound::Attempts(1)));
        } else if self.attempts > Self::MOST_ATTEMPTS {
            say(
                Field::Attempts,
                Why::TooLarge(Bound::Attempts(Self::MOST_ATTEMPTS)),
            );
        }
        if let Some(why) = ranged(self.factor, 1.0, Self::MOST_FACTOR) {
            say(Field::Factor, why);
        }
        for (field, ms, least) in [
            (Field::Base, Some(self.base_ms), 0),
            (Field::Cap, Some(self.cap_ms), 1),
            (Field::Timeout, Some(self.timeout_ms), 1),
            (Field::Deadline, self.deadline_ms, 1),
            (
                Field::RetryAfter,
                match self.retry_after {
                    RetryAfter::Ignore => None,
                    RetryAfter::Honour { most_ms } => Some(most_ms),
                },
                0,
            ),
        ] {
            match ms {
                Some(ms) if ms < least => say(field, Why::TooSmall(Bound::Ms(least))),
                Some(ms) if ms > Self::LONGEST_TIMER => {
                    say(field, Why::TooLarge(Bound::Ms(Self::LONGEST_TIMER)));
                }
                _ => {}
            }
        }
        if self.base_ms > self.cap_ms {
            say(
                Field::Cap,
                Why::BaseOverCap {
                    base_ms: self.base_ms,
                    cap_ms: self.cap_ms,
                },
            );
        }
        if let Spread::Share(share) = self.spread
            && let Some(why) = ranged(share, 0.0, 1.0)
        {
            say(Field::Share, why);
        }
        if problems.is_empty() {
            Ok(())
        } else {
            problems.sort_by_key(|problem| problem.field);
            Err(problems)
        }
    }

    /// The largest factor that makes sense to anybody.
    pub const MOST_FACTOR: f64 = 1_000_000.0;
}

/// What is wrong with a number that has to lie from `least` to `most`.
pub(crate) fn ranged(number: f64, least: f64, most: f64) -> Option<Why> {
    if !number.is_finite() {
        Some(Why::NotFinite)
    } else if number < least {
        Some(Why::TooSmall(Bound::Number(least)))
    } else if number > most {
        Some(Why::TooLarge(Bound::Number(most)))
    } else {
        None
    }
}
