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
