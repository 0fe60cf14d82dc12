//! A question with options, exactly one of which is right.

use crate::world::Scenario;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// A text that is either written into the program or read from a file.
pub type Text = Cow<'static, str>;

/// A question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Its name, for ever: what a reader answered is kept under it.
    pub id: Text,
    /// Raised only when answers that were given before no longer count, so that
    /// mending a misprint voids nothing.
    pub revision: u32,
    /// What is asked.
    pub prompt: Text,
    /// The options, in the order in which they are offered.
    pub choices: Cow<'static, [Choice]>,
    /// Where the stepper shows it.
    pub show: Option<Show>,
}

/// An option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What it says.
    pub text: Text,
    /// It is the right one.
    pub right: bool,
    /// Why it is right or wrong.
    pub why: Text,
}

/// A place in the stepper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Show {
    /// The scenario, by its name in addresses.
    pub scenario: Text,
    /// The step, from 1.
    pub step: usize,
    /// What the link says.
    pub label: Text,
}

/// What is wrong with a set of questions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Something has no text.
    #[error("{id}: {what} is empty")]
    Empty {
        /// Of which question.
        id: String,
        /// What it is.
        what: &'static str,
    },
    /// An id has to be a word that can be kept and linked to.
    #[error("“{0}”: an id may hold small letters, digits and hyphens only")]
    BadId(String),
    /// Answers of two questions would be kept under one name.
    #[error("{0}: two questions have this id")]
    SameId(String),
    /// There is nothing to choose from.
    #[error("{0}: a question needs at least two options")]
    TooFewOptions(String),
    /// None or several are right.
    #[error("{id}: exactly one option has to be right, not {right}")]
    NotOneRight {
        /// Of which question.
        id: String,
        /// How many are.
        right: usize,
    },
    /// Two options say the same.
    #[error("{id}: two options say “{text}”")]
    SameOption {
        /// Of which question.
        id: String,
        /// What both say.
        text: String,
    },
    /// The stepper has no such place.
    #[error("{id}: there is no step {step} in the scenario “{scenario}”")]
    NoSuchStep {
        /// Of which question.
        id: String,
        /// The scenario.
        scenario: String,
        /// The step.
        step: usize,
    },
}

/// Looks a set of questions over and gives everything that is wrong with it.
#[must_use]
pub fn check(questions: &[Question]) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut ids = BTreeSet::new();
    for question in questions {
        let id = question.id.to_string();
        if !ids.insert(id.clone()) {
            faults.push(Fault::SameId(id.clone()));
        }
        let empty = |what, text: &str| {
            text.trim().is_empty().then(|| Fault::Empty {
                id: id.clone(),
                what,
            })
        };
        let plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
        if id.is_empty() || !id.bytes().all(plain) {
            faults.push(Fault::BadId(id.clone()));
        }
        faults.extend(empty("the prompt", &question.prompt));
        let mut texts = BTreeSet::new();
        for choice in question.choices.iter() {
            faults.extend(empty("an option", &choice.text));
            faults.extend(empty("an option's reason", &choice.why));
            if !texts.insert(choice.text.trim()) {
                faults.push(Fault::SameOption {
                    id: id.clone(),
                    text: choice.text.trim().to_owned(),
                });
            }
        }
        if question.choices.len() < 2 {
            faults.push(Fault::TooFewOptions(id.clone()));
        }
        let right = question.choices.iter().filter(|it| it.right).count();
        if right != 1 {
            faults.push(Fault::NotOneRight {
                id: id.clone(),
                right,
            });
        }
        if let Some(show) = &question.show {
            let steps = Scenario::from_slug(&show.scenario).map(|it| it.trace(1).steps().len());
            if !steps.is_some_and(|steps| (1..=steps).contains(&show.step)) {
                faults.push(Fault::NoSuchStep {
                    id,
                    scenario: show.scenario.to_string(),
                    step: show.step,
                });
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(text: &'static str, right: bool) -> Choice {
        Choice {
            text: text.into(),
            right,
            why: "because".into(),
        }
    }

    fn good() -> Question {
        Question {
            id: "q".into(),
            revision: 1,
            prompt: "Which?".into(),
            choices: vec![choice("this", true), choice("that", false)].into(),
            show: Some(Show {
                scenario: "lost-response".into(),
                step: 8,
                label: "see".into(),
            }),
        }
    }

    #[test]
    fn a_good_question_has_no_fault() {
        assert_eq!(check(&[good()]), []);
    }

    #[test]
    fn each_fault_is_found() {
        let id = || "q".to_owned();
        let spoilt = |spoil: fn(&mut Question)| {
            let mut question = good();
            spoil(&mut question);
            check(&[question])
        };
        assert_eq!(check(&[good(), good()]), [Fault::SameId(id())]);
        for bad in ["", "Q", "a b", "a:b", "a;b"] {
            let mut question = good();
            question.id = bad.into();
            assert_eq!(check(&[question]), [Fault::BadId(bad.to_owned())]);
        }
        assert_eq!(
            spoilt(|q| q.prompt = " ".into()),
            [Fault::Empty {
                id: id(),
                what: "the prompt"
            }]
        );
        assert_eq!(
            spoilt(|q| q.choices = vec![choice("this", true)].into()),
            [Fault::TooFewOptions(id())]
        );
        assert_eq!(
            spoilt(|q| q.choices = vec![choice("a", true), choice("b", true)].into()),
            [Fault::NotOneRight { id: id(), right: 2 }]
        );
        assert_eq!(
            spoilt(|q| q.choices = vec![choice("a", true), choice("a", false)].into()),
            [Fault::SameOption {
                id: id(),
                text: "a".to_owned()
            }]
        );
        let no_step = |scenario: &str, step| {
            [Fault::NoSuchStep {
                id: id(),
                scenario: scenario.to_owned(),
                step,
            }]
        };
        let at = |scenario: &'static str, step| {
            let mut question = good();
            question.show = Some(Show {
                scenario: scenario.into(),
                step,
                label: "see".into(),
            });
            check(&[question])
        };
        assert_eq!(at("lost-response", 9), no_step("lost-response", 9));
        assert_eq!(at("lost-response", 0), no_step("lost-response", 0));
        assert_eq!(at("found-response", 1), no_step("found-response", 1));
    }
}
