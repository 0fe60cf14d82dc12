//! What servers say to each other, as text.

use model::world::LiveFact;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::id::AccountId;

/// The longest payload of a notification, in bytes. PostgreSQL takes fewer than 8000.
const PAYLOAD: usize = 7_900;

/// One thing that all servers are told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Word {
    /// Something happened.
    Fact(AccountId, LiveFact),
    /// There were facts up to this id, and the last of them is not told.
    LeftOut(AccountId, u64),
    /// The account was emptied.
    Reset(AccountId),
    /// A pod of the account restarts. The server that says it has done so.
    Restart(Uuid, AccountId, u32),
    /// For the server that said it: it has heard all up to this batch.
    Echo(Uuid, u64),
}

/// Puts words into as few payloads as they fit in, in order: one line each. Gives
/// the payloads, and how many words are too long for one.
pub(super) fn payloads(words: &[Word]) -> (Vec<String>, usize) {
    let mut payloads: Vec<String> = Vec::new();
    let mut too_long = 0;
    for word in words {
        // Texts and numbers: this cannot fail.
        let line = serde_json::to_string(word).unwrap_or_default();
        if line.len() > PAYLOAD {
            too_long += 1;
            continue;
        }
        match payloads.last_mut() {
            Some(payload) if payload.len() + 1 + line.len() <= PAYLOAD => {
                payload.push('\n');
                payload.push_str(&line);
            }
            _ => payloads.push(line),
        }
    }
    (payloads, too_long)
}

/// The words of a payload. What a newer version of this program says is passed over.
pub(super) fn words(payload: &str) -> impl Iterator<Item = Word> + '_ {
    payload.lines().filter_map(|line| {
        let word = serde_json::from_str(line);
        if let Err(error) = &word {
            tracing::debug!(%error, "another server said what this one does not know");
        }
        word.ok()
    })
}

#[cfg(test)]
mod tests {
    use model::world::What;

    use super::*;

    fn fact(id: u64, request: String) -> Word {
        let fact = LiveFact {
            id,
            request,
            at: 1,
            call: None,
            asked: None,
            what: What::Released {
                key: String::from("a\nb"),
            },
        };
        Word::Fact(AccountId::random(), fact)
    }

    #[test]
    fn what_is_said_is_heard_in_order_and_no_payload_is_too_long() {
        let mut said: Vec<_> = (0..200).map(|id| fact(id, "r".repeat(64))).collect();
        said.push(Word::Reset(AccountId::random()));
        said.push(Word::Restart(Uuid::new_v4(), AccountId::random(), 2));
        said.push(Word::LeftOut(AccountId::random(), 7));
        said.push(Word::Echo(Uuid::new_v4(), 9));
        let (payloads, too_long) = payloads(&said);
        assert_eq!(too_long, 0);
        assert!(payloads.len() > 1);
        assert!(payloads.iter().all(|payload| payload.len() < 8_000));
        let heard: Vec<_> = payloads.iter().flat_map(|text| words(text)).collect();
        assert_eq!(heard, said);
    }

    #[test]
    fn what_is_too_long_or_unknown_is_passed_over() {
        let said = [
            fact(1, String::from("r")),
            fact(2, "r".repeat(PAYLOAD)),
            fact(3, String::from("r")),
        ];
        let (payloads, too_long) = payloads(&said);
        assert_eq!((payloads.len(), too_long), (1, 1));
        let text = format!("{{\"later\":1}}\nnonsense\n{}", payloads[0]);
        let heard: Vec<_> = words(&text).collect();
        assert_eq!(heard, [said[0].clone(), said[2].clone()]);
    }
}
