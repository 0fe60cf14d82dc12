//! Moves told as facts: the one place where the world's moves become what a
//! trace holds. Whoever makes the moves says when they happened.

use super::fact::{Answered, Found, Said, What};
use super::moves::{Effect, Move};
use super::state::{ClientNo, FlightNo, State};
use crate::Ms;
use crate::money::Currency;
use crate::protocol::{Answer, Command, Outcome, Refusal, Reply, Token};
use crate::retry::Heard;

/// The name of a key in the lesson: the first is `k-7f3`.
#[must_use]
pub fn key_name(key: u8) -> String {
    format!("k-{:03x}", (0x7f3 + u32::from(key) * 0x4d5) & 0xfff)
}

/// The name of a charge in the lesson: the first is `ch_9`.
#[must_use]
pub fn charge_name(charge: u8) -> String {
    format!("ch_{}", u32::from(charge) + 9)
}

/// What a fact says that no state holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    /// The intent that the client pays for, counted from 1.
    pub(super) intent: u32,
    /// How much a client pays, in minor units.
    pub(super) amount: u64,
    /// In which currency.
    pub(super) currency: Currency,
    /// How long a client has waited that stops waiting now, in ms.
    pub(super) waited_ms: Ms,
}

/// Which attempt of which client a move concerned, in the state after it.
/// `None` for what belongs to no attempt.
pub(super) fn concerned(state: &State, act: Move, effect: &Effect) -> Option<(FlightNo, ClientNo)> {
    Some(match act {
        Move::Deliver(f)
        | Move::LoseRequest(f)
        | Move::Step(f)
        | Move::Decline(f)
        | Move::Fail(f, _)
        | Move::Crash(f)
        | Move::LoseReply(f)
        | Move::Receive(f) => (f, state.flight(f).map_or(0, |it| it.client)),
        Move::Send(client) | Move::TimeOut(client) => match effect {
            Effect::Sent(flight) | Effect::TimedOut(flight) => (*flight, client),
            _ => (0, client),
        },
        Move::LeaseEnds(_) => return None,
    })
}

/// What a move tells, in the state after it. `new_entry` says that it wrote into
/// the ledger.
pub(super) fn what(
    state: &State,
    flight: FlightNo,
    effect: &Effect,
    new_entry: bool,
    terms: Terms,
) -> Option<What> {
    let key = state.flight(flight).and_then(|it| it.key).map(key_name);
    Some(match effect {
        Effect::Sent(_) => What::Sent {
            intent: terms.intent,
            key,
            amount: terms.amount,
            currency: terms.currency,
        },
        Effect::Arrived => What::Arrived,
        Effect::RequestLost => What::RequestLost,
        Effect::Crashed => What::Crashed,
        Effect::ReplyLost(_) => What::ReplyLost,
        Effect::Received(reply) => What::Received(answered(reply)),
        Effect::TimedOut(_) => What::TimedOut {
            after_ms: terms.waited_ms,
        },
        Effect::LeaseEnded => return None,
        Effect::Done(Command::Reply(reply), _) if state.is_awaited(flight) => {
            What::Replied(answered(reply))
        }
        Effect::Done(Command::Reply(reply), _) => What::Unheard(answered(reply)),
        Effect::Done(command, outcome) => {
            let key = key.unwrap_or_default();
            return done(command, outcome, key, new_entry, state.now);
        }
    })
}

/// What a client has heard by a move, if it has heard or missed anything.
pub(super) fn heard(effect: &Effect) -> Option<Heard> {
    match effect {
        Effect::Received(reply) => {
            let answered = answered(reply);
            Some(Heard::Status {
                status: answered.status,
                retry_after_ms: answered.retry_after_s.map(|s| Ms::from(s) * 1000),
            })
        }
        Effect::TimedOut(_) => Some(Heard::Nothing),
        _ => None,
    }
}

/// What a command and its outcome tell, or `None` for a reply.
fn done(
    command: &Command<u8>,
    outcome: &Outcome<u8>,
    key: String,
    new_entry: bool,
    now: Ms,
) -> Option<What> {
    Some(match (command, outcome) {
        (Command::LookUp, Outcome::Absent) => What::Claimed {
            key,
            found: Found::Nothing,
        },
        (_, Outcome::Claimed(claim)) => {
            let lease_ms = claim.lease_until.map(|until| until.saturating_sub(now));
            let token = claim.token.0;
            What::Claimed {
                key,
                found: if claim.token == Token::FIRST {
                    Found::New { lease_ms, token }
                } else {
                    Found::TakenOver { lease_ms, token }
                },
            }
        }
        (_, Outcome::Refused(refusal)) => What::Claimed {
            key,
            found: match refusal {
                Refusal::InProgress { retry_after_s } => Found::InProgress {
                    retry_after_s: *retry_after_s,
                },
                Refusal::Reused => Found::Reused,
                Refusal::Expired => Found::Expired,
            },
        },
        (_, Outcome::Known(answer)) => What::Claimed {
            key,
            found: Found::Done {
                status: answer.status(),
                charge: charge_name(answer.charge),
            },
        },
        (Command::Charge { keyed }, Outcome::Charged(Answer { paid, charge })) => {
            let (paid, charge) = (*paid, charge_name(*charge));
            What::Charged {
                keyed: *keyed,
                said: if new_entry {
                    Said::Final { paid, charge }
                } else {
                    Said::Repeated { paid, charge }
                },
            }
        }
        (Command::Charge { keyed }, Outcome::NotCharged(trouble)) => What::Charged {
            keyed: *keyed,
            said: Said::Trouble {
                status: trouble.processor_status,
            },
        },
        (Command::Complete { answer, .. }, outcome) => What::Saved {
            key,
            status: answer.status(),
            charge: charge_name(answer.charge),
            written: *outcome == Outcome::Written,
        },
        (Command::Release { .. }, _) => What::Released { key },
        _ => return None,
    })
}

fn answered(reply: &Reply<u8>) -> Answered {
    Answered {
        status: reply.status(),
        charge: match reply {
            Reply::Final { answer, .. } => Some(charge_name(answer.charge)),
            _ => None,
        },
        replayed: matches!(reply, Reply::Final { replayed: true, .. }),
        retry_after_s: match reply {
            Reply::Refused(Refusal::InProgress { retry_after_s }) => Some(*retry_after_s),
            Reply::Trouble(trouble) => trouble.retry_after_s,
            _ => None,
        },
    }
}
