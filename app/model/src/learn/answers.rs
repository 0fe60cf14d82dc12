//! What a reader has answered, as it is kept between visits.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Answers by question. One that was given to an older revision does not count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Answers(BTreeMap<String, (u32, usize)>);

impl Answers {
    /// The option that was chosen, by its place.
    #[must_use]
    pub fn chosen(&self, question: &super::Question) -> Option<usize> {
        let (revision, choice) = self.0.get(question.id.as_ref())?;
        (*revision == question.revision && *choice < question.choices.len()).then_some(*choice)
    }

    /// Keeps an answer. An answer that is there already stays: committing again
    /// counts once.
    pub fn commit(&mut self, question: &super::Question, choice: usize) {
        if self.chosen(question).is_none() {
            self.0
                .insert(question.id.to_string(), (question.revision, choice));
        }
    }

    /// Forgets the answer to a question.
    pub fn withdraw(&mut self, question: &super::Question) {
        self.0.remove(question.id.as_ref());
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Choice, Question};
    use super::*;

    fn question(revision: u32) -> Question {
        let choice = |right| Choice {
            text: "text".into(),
            right,
            why: "why".into(),
        };
        Question {
            id: "q".into(),
            revision,
            prompt: "?".into(),
            choices: vec![choice(true), choice(false)].into(),
            show: None,
        }
    }

    #[test]
    fn the_first_answer_counts_and_survives_the_round_trip() {
        let mut answers = Answers::default();
        answers.commit(&question(1), 1);
        answers.commit(&question(1), 0);
        let kept = serde_json::to_string(&answers).unwrap();
        let answers: Answers = serde_json::from_str(&kept).unwrap();
        assert_eq!(answers.chosen(&question(1)), Some(1));
        assert_eq!(answers.chosen(&question(2)), None);
    }

    #[test]
    fn a_withdrawn_or_impossible_answer_is_none() {
        let mut answers: Answers = serde_json::from_str(r#"{"q":[1,7]}"#).unwrap();
        assert_eq!(answers.chosen(&question(1)), None);
        answers.commit(&question(1), 0);
        assert_eq!(answers.chosen(&question(1)), Some(0));
        answers.withdraw(&question(1));
        assert_eq!(answers.chosen(&question(1)), None);
    }
}
