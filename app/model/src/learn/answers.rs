//! What a reader has answered, as it is kept between visits.

use std::fmt;

/// Answers by question. One that was given to an older revision does not count.
///
/// Kept as text, one answer after the other: `id:revision:choice;`. That is all
/// there is to it, and a browser need not carry a parser for more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers(Vec<Answer>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Answer {
    id: String,
    revision: u32,
    choice: usize,
}

impl Answers {
    /// Reads what was kept. What makes no sense is left out.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let answer = |text: &str| {
            let mut parts = text.split(':');
            let answer = Answer {
                id: parts.next()?.to_owned(),
                revision: parts.next()?.parse().ok()?,
                choice: parts.next()?.parse().ok()?,
            };
            parts.next().is_none().then_some(answer)
        };
        Self(text.split(';').filter_map(answer).collect())
    }

    /// The option that was chosen, by its place, if that was at this revision of
    /// the question.
    #[must_use]
    pub fn chosen(&self, id: &str, revision: u32) -> Option<usize> {
        let answer = self.0.iter().find(|answer| answer.id == id)?;
        (answer.revision == revision).then_some(answer.choice)
    }

    /// Keeps an answer. An answer that is there already stays: committing again
    /// counts once.
    pub fn commit(&mut self, id: &str, revision: u32, choice: usize) {
        if self.chosen(id, revision).is_none() {
            self.withdraw(id);
            self.0.push(Answer {
                id: id.to_owned(),
                revision,
                choice,
            });
        }
    }

    /// Forgets the answer to a question.
    pub fn withdraw(&mut self, id: &str) {
        self.0.retain(|answer| answer.id != id);
    }
}

impl fmt::Display for Answers {
    /// The text to be kept.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|it| write!(f, "{}:{}:{};", it.id, it.revision, it.choice))
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
        answers.commit("other-q", 3, 2);
        let answers = Answers::read(&answers.to_string());
        assert_eq!(answers.chosen("q", 1), Some(1));
        assert_eq!(answers.chosen("q", 2), None);
        assert_eq!(answers.chosen("other-q", 3), Some(2));
        assert_eq!(answers.chosen("r", 1), None);
    }

    #[test]
    fn a_new_revision_or_a_withdrawal_makes_room() {
        let mut answers = Answers::read("q:1:1;");
        answers.commit("q", 2, 0);
        assert_eq!(answers.to_string(), "q:2:0;");
        answers.withdraw("q");
        assert_eq!(answers, Answers::default());
    }

    #[test]
    fn what_makes_no_sense_is_left_out() {
        for text in [
            "",
            ";;",
            "q",
            "q:1",
            "q:x:1;",
            "q:1:-1",
            "q:1:1:1",
            "{\"q\":[1,1]}",
        ] {
            assert_eq!(Answers::read(text), Answers::default(), "{text}");
        }
        assert_eq!(
            Answers::read("q:1:1;nonsense;r:1:0;").chosen("r", 1),
            Some(0)
        );
    }
}
