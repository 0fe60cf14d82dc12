//! One attempt on the server's side, as a state machine without I/O.

use super::admission::Admission;
use super::{ClaimRule, Design, RecoveryPoint, Token};
use crate::Ms;
use serde::{Deserialize, Serialize};

/// How a charge ended, for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Paid {
    /// The money is taken: 201.
    Succeeded,
    /// The card was declined: 402, and no money is taken.
    Declined,
}

/// A final answer: all that is saved under a key, and all that a replay needs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Answer<C> {
    /// How it ended.
    pub paid: Paid,
    /// The charge that the answer speaks of.
    pub charge: C,
}

impl<C> Answer<C> {
    /// The status on the wire.
    #[must_use]
    pub const fn status(&self) -> u16 {
        match self.paid {
            Paid::Succeeded => 201,
            Paid::Declined => 402,
        }
    }
}

/// Why a known key gives no new work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// 422: the key belongs to another request.
    Reused,
    /// 410: the key was used, and what it answered is no longer kept.
    Expired,
    /// 409: somebody is at work under this key.
    InProgress {
        /// When to come back, in seconds.
        retry_after_s: u32,
    },
}

impl Refusal {
    /// The status on the wire.
    #[must_use]
    pub const fn status(self) -> u16 {
        match self {
            Self::Reused => 422,
            Self::Expired => 410,
            Self::InProgress { .. } => 409,
        }
    }
}

/// The card processor gave no final answer, and nothing was charged as far as it said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Trouble {
    /// What the processor answered: 500, 503, 429.
    pub processor_status: u16,
    /// When the processor wants to be asked again, in seconds.
    pub retry_after_s: Option<u32>,
}

impl Trouble {
    /// The status on the wire: 502 for a fault of the processor, 503 when it is
    /// busy. Its 429 is about us and not about our client, so that is 503 too.
    #[must_use]
    pub const fn status(self) -> u16 {
        match self.processor_status {
            503 | 429 => 503,
            _ => 502,
        }
    }
}

/// What an attempt tells its client.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Reply<C> {
    /// A final answer.
    Final {
        /// The answer.
        answer: Answer<C>,
        /// It is the saved answer of an earlier attempt.
        replayed: bool,
    },
    /// The key gives no new work.
    Refused(Refusal),
    /// Not final: the next attempt carries on.
    Trouble(Trouble),
}

impl<C> Reply<C> {
    /// The status on the wire.
    #[must_use]
    pub const fn status(&self) -> u16 {
        match self {
            Self::Final { answer, .. } => answer.status(),
            Self::Refused(refusal) => refusal.status(),
            Self::Trouble(trouble) => trouble.status(),
        }
    }
}

/// What the driver is to do next. Each is one arrow in the picture.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Command<C> {
    /// Read what is stored under the key. Only in the unsafe form.
    LookUp,
    /// Insert the key under the unique constraint or, when that fails, judge what
    /// is there with [`admit`](super::admission::admit), all in one transaction.
    Claim,
    /// Insert the key without the constraint. Only in the unsafe form.
    Insert,
    /// Ask the card processor for the money.
    Charge {
        /// Hand it the derived key.
        keyed: bool,
    },
    /// Save the answer under the key, if the token still matches.
    Complete {
        /// The token of the claim.
        token: Token,
        /// What to save.
        answer: Answer<C>,
    },
    /// Give the key back without an answer, if the token still matches.
    Release {
        /// The token of the claim.
        token: Token,
        /// From where the next attempt carries on.
        point: RecoveryPoint,
    },
    /// Answer the client. Nothing comes after it.
    Reply(Reply<C>),
}

/// A claim that succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Claim {
    /// The fencing token.
    pub token: Token,
    /// Where the work stands: a first claim starts at [`RecoveryPoint::Claimed`].
    pub point: RecoveryPoint,
    /// Until when the claim holds, by the store's clock.
    pub lease_until: Option<Ms>,
}

/// What a command came to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Outcome<C> {
    /// To [`Command::LookUp`]: nothing is there that stands in the way.
    Absent,
    /// To [`Command::Claim`] and [`Command::Insert`]: the key is ours.
    Claimed(Claim),
    /// To [`Command::LookUp`] and [`Command::Claim`]: the key gives no new work.
    Refused(Refusal),
    /// To [`Command::LookUp`] and [`Command::Claim`]: the key is done.
    Known(Answer<C>),
    /// To [`Command::Charge`]: the processor's final word.
    Charged(Answer<C>),
    /// To [`Command::Charge`]: no final word.
    NotCharged(Trouble),
    /// To [`Command::Complete`] and [`Command::Release`]: written.
    Written,
    /// To [`Command::Complete`] and [`Command::Release`]: somebody took over in
    /// the meantime, and this is the answer that is saved by now, if any.
    Fenced(Option<Answer<C>>),
    /// To [`Command::Reply`]: handed to the connection.
    Sent,
}

/// The driver fed an outcome that does not belong to the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this outcome does not answer the command that was handed out")]
pub struct ProtocolError;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Stage<C> {
    LookUp,
    Claim,
    Insert,
    Charge,
    Complete(Answer<C>),
    Release(Trouble),
    Reply(Reply<C>),
    Over,
}

/// One attempt on the server's side: a request that passed the front of the
/// precedence table, from its claim to its reply.
///
/// It is a small value: the explorer copies, compares and hashes it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Attempt<C> {
    keyed: bool,
    processor_keys: bool,
    token: Option<Token>,
    stage: Stage<C>,
}

impl<C: Clone> Attempt<C> {
    /// Starts an attempt, with or without an idempotency key.
    #[must_use]
    pub fn new(keyed: bool, design: &Design) -> Self {
        let stage = match (keyed, design.claim) {
            (false, _) => Stage::Charge,
            (true, ClaimRule::UniqueInsert) => Stage::Claim,
            (true, ClaimRule::LookupThenInsert) => Stage::LookUp,
        };
        Self {
            keyed,
            processor_keys: design.processor_keys,
            token: None,
            stage,
        }
    }

    /// What is to be done now, or `None` when the attempt is over.
    #[must_use]
    pub fn command(&self) -> Option<Command<C>> {
        Some(match &self.stage {
            Stage::LookUp => Command::LookUp,
            Stage::Claim => Command::Claim,
            Stage::Insert => Command::Insert,
            Stage::Charge => Command::Charge {
                keyed: self.keyed && self.processor_keys,
            },
            Stage::Complete(answer) => Command::Complete {
                token: self.token.unwrap_or_default(),
                answer: answer.clone(),
            },
            Stage::Release(_) => Command::Release {
                token: self.token.unwrap_or_default(),
                point: RecoveryPoint::Asked,
            },
            Stage::Reply(reply) => Command::Reply(reply.clone()),
            Stage::Over => return None,
        })
    }

    /// Takes what the command came to and moves on.
    ///
    /// # Errors
    /// [`ProtocolError`] when the outcome does not answer the command; the
    /// attempt stays as it was.
    pub fn feed(&mut self, outcome: Outcome<C>) -> Result<(), ProtocolError> {
        self.stage = match (&self.stage, outcome) {
            (Stage::LookUp, Outcome::Absent) => Stage::Insert,
            (Stage::LookUp | Stage::Claim | Stage::Insert, Outcome::Claimed(claim)) => {
                self.token = Some(claim.token);
                Stage::Charge
            }
            (Stage::LookUp | Stage::Claim, Outcome::Refused(refusal)) => {
                Stage::Reply(Reply::Refused(refusal))
            }
            (Stage::LookUp | Stage::Claim, Outcome::Known(answer)) => Stage::Reply(Reply::Final {
                answer,
                replayed: true,
            }),
            (Stage::Charge, Outcome::Charged(answer)) if self.token.is_some() => {
                Stage::Complete(answer)
            }
            (Stage::Charge, Outcome::Charged(answer)) => Stage::Reply(Reply::Final {
                answer,
                replayed: false,
            }),
            (Stage::Charge, Outcome::NotCharged(trouble)) if self.token.is_some() => {
                Stage::Release(trouble)
            }
            (Stage::Charge, Outcome::NotCharged(trouble)) => Stage::Reply(Reply::Trouble(trouble)),
            (Stage::Complete(answer), Outcome::Written) => Stage::Reply(Reply::Final {
                answer: answer.clone(),
                replayed: false,
            }),
            (Stage::Release(trouble), Outcome::Written) => Stage::Reply(Reply::Trouble(*trouble)),
            (Stage::Complete(_) | Stage::Release(_), Outcome::Fenced(Some(answer))) => {
                Stage::Reply(Reply::Final {
                    answer,
                    replayed: true,
                })
            }
            (Stage::Complete(_) | Stage::Release(_), Outcome::Fenced(None)) => {
                Stage::Reply(Reply::Refused(Refusal::InProgress { retry_after_s: 1 }))
            }
            (Stage::Reply(_), Outcome::Sent) => Stage::Over,
            _ => return Err(ProtocolError),
        };
        Ok(())
    }

    /// The token of its claim, while it has one.
    #[must_use]
    pub const fn token(&self) -> Option<Token> {
        self.token
    }

    /// The same attempt with another token. For the explorer, to which tokens are
    /// names: all that counts is whether it is the record's.
    #[must_use]
    pub(crate) fn with_token(&self, token: Option<Token>) -> Self {
        let mut renamed = self.clone();
        renamed.token = token;
        renamed
    }
}

impl<C> Outcome<C> {
    /// What a look-up or a claim comes to that was not admitted to new work, or
    /// `None` when it was and the store has to write.
    #[must_use]
    pub fn of_admission(admission: Admission<C>) -> Option<Self> {
        match admission {
            Admission::Refused(refusal) => Some(Self::Refused(refusal)),
            Admission::Replay(answer) => Some(Self::Known(answer)),
            _ => None,
        }
    }
}

#[cfg(test)]
#[path = "attempt_tests.rs"]
mod tests;
