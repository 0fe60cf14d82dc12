//! What a reader has answered, as it is kept between visits.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Answers by question. One that was given to an older revision does not count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Answers(BTreeMap<String, (u32, usize)>);

impl Answers {
    /// The option that was chosen, by its place, if that was at this revision of
    /// the question.
    #[must_use]
    pub fn chosen(&self, id: &str, revision: u32) -> Option<usize> {
        let (then, choice) = self.0.get(id)?;
        (*then == revision).then_some(*choice)
    }

    /// Keeps an answer. An answer that is there already stays: committing again
    /// counts once.
    pub fn commit(&mut self, id: &str, revision: u32, choice: usize) {
        if self.chosen(id, revision).is_none() {
            self.0.insert(id.to_owned(), (revision, choice));
        }
    }

    /// Forgets the answer to a question.
    pub fn withdraw(&mut self, id: &str) {
        self.0.remove(id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_answer_counts_and_survives_the_round_trip() {
        let mut answers = Answers::default();
        answers.commit("q", 1, 1);
        answers.commit("q", 1, 0);
        let kept = serde_json::to_string(&answers).unwrap();
        let answers: Answers = serde_json::from_str(&kept).unwrap();
        assert_eq!(answers.chosen("q", 1), Some(1));
        assert_eq!(answers.chosen("q", 2), None);
        assert_eq!(answers.chosen("r", 1), None);
    }

    #[test]
    fn a_new_revision_or_a_withdrawal_makes_room() {
        let mut answers: Answers = serde_json::from_str(r#"{"q":[1,1]}"#).unwrap();
        answers.commit("q", 2, 0);
        assert_eq!(answers.chosen("q", 2), Some(0));
        answers.withdraw("q");
        assert_eq!(answers.chosen("q", 2), None);
    }
}
