//! What a step means by what went before it: its own facts do not tell.

use model::world::{Fact, Found, Frame, KeyStage, What};

/// Changes the words of a step where what went before gives it another meaning.
/// Its own facts begin at position `from`.
pub(super) fn amend(title: &mut String, sentences: &mut String, facts: &[Fact], from: usize) {
    let before = facts.get(..from).unwrap_or_default();
    let (was, is) = (Frame::after(before), Frame::after(facts));
    if let Some(fact) = facts.get(from) {
        match &fact.what {
            What::Sent { intent, .. } if *intent > 1 => {
                *title = "Another client asks for its own payment".to_owned();
                *sentences = sentences.replacen("Asks again", "Asks", 1);
                sentences.push_str(" It is another order, under the same key.");
            }
            What::Claimed { found, .. } => claimed(title, sentences, before, &was, fact, found),
            _ => {}
        }
    }
    if loses_answer(&was, &is) {
        "A saved answer is lost".clone_into(title);
        sentences
            .push_str(" The answer that stood there is gone: whoever asks next does not get it.");
    }
    // The step with which more is taken than was meant says so.
    if is.overcharged() && !was.overcharged() {
        title.push_str(" again");
        sentences.push_str(" One press of Pay has now been charged twice.");
    }
}

fn claimed(
    title: &mut String,
    sentences: &mut String,
    before: &[Fact],
    was: &Frame,
    fact: &Fact,
    found: &Found,
) {
    let looked_up = |it: &Fact| {
        let nothing = matches!(
            it.what,
            What::Claimed {
                found: Found::Nothing,
                ..
            }
        );
        it.attempt == fact.attempt && nothing
    };
    match found {
        Found::New { .. } if before.iter().any(looked_up) => {
            "The API inserts the key".clone_into(title);
            "Inserts the key, since it found none when it looked. Nothing checks whether that is still so."
                .clone_into(sentences);
            if !was.keys.is_empty() {
                sentences.push_str(" Another attempt has stored it since, and is written over.");
            }
        }
        Found::TakenOver { token, .. } if was.working.iter().any(|it| *it != fact.attempt) => {
            "A new attempt takes the key over".clone_into(title);
            *sentences = format!(
                "The lease is over, so this attempt takes the key over, with fencing token {token}. The first one is slow, not dead: it works on and does not know."
            );
        }
        _ => {}
    }
}

/// An answer that was saved under a key stands there no more.
fn loses_answer(was: &Frame, is: &Frame) -> bool {
    was.keys.iter().any(|line| {
        let KeyStage::Done { charge, .. } = &line.stage else {
            return false;
        };
        let stands = |now: &model::world::KeyLine| {
            now.key == line.key
                && matches!(&now.stage, KeyStage::Done { charge: it, .. } if it == charge)
        };
        !is.keys.iter().any(stands)
    })
}

#[cfg(test)]
mod tests {
    use super::super::shot::{Line, lines};
    use model::world::explore::{Verdict, Weakened};

    fn told(weakened: Weakened) -> Vec<Line> {
        match weakened.search() {
            Ok(Verdict::Broken(example)) => lines(&example.trace),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_last_step_of_a_counterexample_names_the_harm() {
        for (weakened, title, sentence) in [
            (
                Weakened::NoProcessorKey,
                "The processor takes the money again",
                "charged twice",
            ),
            (
                Weakened::LookupFirst,
                "A saved answer is lost",
                "is written over",
            ),
            (
                Weakened::NoHeartbeatNoFencing,
                "A saved answer is lost",
                "Gives the key back",
            ),
            (Weakened::NoLease, "The process dies", "stays behind"),
        ] {
            let lines = told(weakened);
            let last = lines.last().expect("a step");
            assert_eq!(last.title, title, "{weakened:?}");
            assert!(last.sentences.contains(sentence), "{}", last.sentences);
        }
    }

    #[test]
    fn a_blind_insert_is_not_told_as_a_unique_one() {
        let lines = told(Weakened::NoProcessorKeyLookupFirst);
        let inserts: Vec<_> = lines
            .iter()
            .filter(|line| line.sentences.starts_with("Inserts"))
            .collect();
        assert_eq!(inserts.len(), 2);
        for line in inserts {
            assert!(!line.sentences.contains("unique"), "{}", line.sentences);
        }
    }

    #[test]
    fn a_takeover_says_whether_the_owner_is_dead_or_slow() {
        let takeover = |weakened| {
            let lines = told(weakened);
            let found = lines.iter().find(|line| line.tick == "Take over");
            found.map(|line| line.sentences.clone()).unwrap_or_default()
        };
        assert!(takeover(Weakened::NoProcessorKey).starts_with("Nobody works"));
        assert!(takeover(Weakened::NoProcessorKeyNoHeartbeat).contains("slow, not dead"));
    }

    #[test]
    fn the_payment_of_somebody_else_is_no_retry() {
        let lines = told(Weakened::NoAccountScope);
        let other = lines
            .iter()
            .find(|line| line.title.starts_with("Another client"));
        let other = &other.expect("a second payment").sentences;
        assert!(other.starts_with("Asks for") && other.contains("another order"));
    }
}
