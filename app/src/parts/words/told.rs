//! What a step tells: its place on the scrubber, its heading, its sentences.

use super::{name, reply, short_id, span};
use model::money::Money;
use model::protocol::Paid;
use model::world::{Fact, Found, Said, What};

/// The group of facts that a step adds.
#[derive(Clone, Copy)]
pub struct Told<'a>(pub &'a [Fact]);

impl<'a> Told<'a> {
    fn has(self, test: impl Fn(&What) -> bool) -> bool {
        self.0.iter().any(|fact| test(&fact.what))
    }

    fn head(self) -> Option<&'a What> {
        self.0.first().map(|fact| &fact.what)
    }

    fn retries(self) -> bool {
        self.has(|what| matches!(what, What::Waits { .. }))
            || self.0.first().is_some_and(|fact| fact.attempt > 1)
    }

    fn lost(self) -> bool {
        self.has(|what| matches!(what, What::ReplyLost | What::RequestLost))
    }

    /// One word for the step's place on the scrubber.
    #[must_use]
    pub fn tick(self) -> &'static str {
        if self.has(|what| matches!(what, What::RequestLost)) {
            return "Lost";
        }
        match self.head() {
            Some(What::Waits { .. }) if self.has(|what| matches!(what, What::Sent { .. })) => {
                "Retry"
            }
            Some(What::Waits { .. }) => "Wait",
            Some(What::Sent { .. }) if self.retries() => "Retry",
            Some(What::Claimed { found, .. }) => match found {
                Found::New { .. } => "Claim",
                Found::TakenOver { .. } => "Take over",
                Found::InProgress { .. } => "409",
                Found::Done { .. } => "Replay",
                Found::Reused => "422",
                Found::Expired => "410",
                Found::Nothing => "Look up",
            },
            Some(What::Charged { said, .. }) => match said {
                Said::Trouble { .. } => "Failure",
                _ => "Charge",
            },
            Some(What::Saved { .. }) => "Save",
            Some(What::Released { .. }) => "Release",
            Some(What::Replied(_)) if self.lost() => "Lost",
            Some(What::Replied(_) | What::Unheard(_) | What::Received(_)) => "Reply",
            Some(What::TimedOut { .. }) => "Timeout",
            Some(What::Broke { .. }) => "Broken",
            Some(What::Crashed) => "Crash",
            Some(What::Resent) => "Resend",
            Some(What::GaveUp) => "Give up",
            _ => "Send",
        }
    }

    /// The step's heading.
    #[must_use]
    pub fn title(self) -> String {
        let text = match self.head() {
            _ if self.has(|what| matches!(what, What::RequestLost)) => {
                "The request gets lost on its way"
            }
            Some(What::Sent { .. }) if !self.retries() => "The app asks for the money",
            Some(What::Waits { .. } | What::Sent { .. }) => match self.key() {
                Some(true) => "The app asks again, with a key",
                Some(false) => "The app asks again, without a key",
                None => "The app waits",
            },
            Some(What::Claimed { found, .. }) => match found {
                Found::New { .. } => "The API claims the key",
                Found::TakenOver { .. } => "A new attempt takes the key over",
                Found::InProgress { .. } => "The first attempt is still at work: 409",
                Found::Done { .. } => "The key is done: the first answer again",
                Found::Reused => "The key belongs to another request: 422",
                Found::Expired => "The key has expired: 410",
                Found::Nothing => "The API looks the key up and finds nothing",
            },
            Some(What::Charged { said, .. }) => match said {
                Said::Final {
                    paid: Paid::Succeeded,
                    ..
                } => "The processor takes the money",
                Said::Final { .. } => "The processor declines the card",
                Said::Repeated { .. } => "The processor knows its key and takes nothing",
                Said::Trouble { .. } => "The processor fails",
            },
            Some(What::Saved { written: true, .. }) => "The answer is saved under the key",
            Some(What::Saved { .. }) => "A late owner's write is refused",
            Some(What::Released { .. }) => "The key is given back",
            Some(What::Replied(_)) if self.lost() => "The reply gets lost on its way back",
            Some(What::Replied(_) | What::Received(_)) => "The reply arrives",
            Some(What::Unheard(_)) => "The reply finds nobody",
            Some(What::TimedOut { .. }) => "The app stops waiting",
            Some(What::Broke { .. }) => "The connection breaks",
            Some(What::Crashed) => "The process dies",
            Some(What::Resent) => "The browser sends it again by itself",
            Some(What::GaveUp) => "The app gives up",
            _ => "Something happens",
        };
        text.to_owned()
    }

    /// Whether the attempt that this step sends carries a key, if it sends one.
    fn key(self) -> Option<bool> {
        self.0.iter().find_map(|fact| match &fact.what {
            What::Sent { key, .. } => Some(key.is_some()),
            _ => None,
        })
    }

    /// Who does something to whom in this step.
    #[must_use]
    pub fn who(self) -> String {
        let Some(what) = self
            .0
            .iter()
            .map(|fact| &fact.what)
            .find(|what| !matches!(what, What::Waits { .. }))
            .or_else(|| self.head())
        else {
            return String::new();
        };
        let (from, to) = what.between();
        if from == to {
            name(from).to_owned()
        } else {
            format!("{} to {}", name(from), name(to))
        }
    }

    /// The step in whole sentences.
    #[must_use]
    pub fn sentences(self) -> String {
        let told: Vec<String> = self.0.iter().filter_map(sentence).collect();
        told.join(" ")
    }
}

/// One fact as a sentence, where it has one to itself.
fn sentence(fact: &Fact) -> Option<String> {
    Some(match &fact.what {
        What::Sent {
            key,
            amount,
            currency,
            ..
        } => {
            let money = Money {
                minor: *amount,
                currency: *currency,
            };
            let again = if fact.attempt > 1 { "again " } else { "" };
            match key {
                Some(key) => format!("Asks {again}for {money} under key {}.", short_id(key)),
                None => format!("Asks {again}for {money}, without a key."),
            }
        }
        What::Arrived | What::Received(_) => return None,
        What::Resent => {
            "The connection ended before a byte came back, so the browser sent the same request once more, without a word to the app. Retries happen below the code that you write, too.".to_owned()
        }
        What::RequestLost => {
            "The network loses it. The API never hears of it, and nothing is charged.".to_owned()
        }
        What::Claimed { found, .. } => match found {
            Found::New { lease_ms, .. } => match lease_ms {
                Some(ms) => format!(
                    "Inserts the key under the unique constraint. It was free, so this attempt owns it for {}.",
                    span(*ms)
                ),
                None => "Inserts the key. This attempt owns it until it is done.".to_owned(),
            },
            Found::TakenOver { token, .. } => format!(
                "Nobody works on the key any more. This attempt takes it over, with fencing token {token}."
            ),
            Found::InProgress { retry_after_s } => format!(
                "The key is claimed and an earlier attempt is still at work, so nothing new is started: 409, come back in {retry_after_s} s."
            ),
            Found::Done { status, charge } => format!(
                "The key is done, so the saved answer is sent again: {status}, {}, marked as a replay. The processor is not asked.",
                short_id(charge)
            ),
            Found::Reused => {
                "The key was used for another request. Replaying its answer would be a lie, so this is refused.".to_owned()
            }
            Found::Expired => {
                "The key was used so long ago that its answer is gone. Nothing is charged; a new key is needed.".to_owned()
            }
            Found::Nothing => "Looks the key up and finds nothing.".to_owned(),
        },
        What::Charged { keyed, said } => {
            let with = if *keyed {
                " The processor gets a key derived from it, too."
            } else {
                ""
            };
            match said {
                Said::Final {
                    paid: Paid::Succeeded,
                    charge,
                } => format!(
                    "Asks the processor for the money. {} is in the ledger: from here on it is charged.{with}",
                    short_id(charge)
                ),
                Said::Final { charge, .. } => format!(
                    "Asks the processor for the money. The card is declined ({}); nothing is taken.",
                    short_id(charge)
                ),
                Said::Repeated { charge, .. } => format!(
                    "Asks the processor for the money. The processor has seen this key and gives its first answer, {}, again.",
                    short_id(charge)
                ),
                Said::Trouble { status } => format!(
                    "Asks the processor for the money. The processor answers {status}, which is not final, and takes nothing."
                ),
            }
        }
        What::Saved {
            status,
            charge,
            written: true,
            ..
        } => format!(
            "Saves {status} and {} under the key: whoever asks again gets this answer.",
            short_id(charge)
        ),
        What::Saved { .. } => {
            "Wants to save its answer, but its fencing token is out of date. Nothing is written.".to_owned()
        }
        What::Released { .. } => {
            "Gives the key back without an answer; the next attempt carries on from there.".to_owned()
        }
        What::Crashed => "The process dies where it stands. Its claim on the key stays behind.".to_owned(),
        What::Replied(answered) => format!("Replies {}.", reply(answered)),
        What::ReplyLost => {
            "The network drops it. Everything is done; only the app has not heard.".to_owned()
        }
        What::Unheard(answered) => format!(
            "Replies {}, but the app has stopped listening.",
            reply(answered)
        ),
        What::TimedOut { after_ms } => format!(
            "After {} the app stops waiting. It knows only that it heard nothing.",
            span(*after_ms)
        ),
        What::Broke { after_ms } => format!(
            "After {} the connection breaks without an answer. That is as good as silence.",
            span(*after_ms)
        ),
        What::Waits {
            ms,
            ceiling_ms,
            asked_for,
        } => {
            if *asked_for {
                format!("Waits {}, as the server asked.", span(*ms))
            } else {
                format!(
                    "Waits {}, drawn between 0 and {}.",
                    span(*ms),
                    span(*ceiling_ms)
                )
            }
        }
        What::GaveUp => "The app tries no further.".to_owned(),
    })
}
