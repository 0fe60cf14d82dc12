//! Virtual time: which of the possible moves happens when, by a script of faults.

use super::fact::{Answered, Call, Fact, Found, Said, What};
use super::moves::{Effect, Move};
use super::state::{Budget, ClientNo, FlightNo, Place, Rules, State};
use crate::Ms;
use crate::fault::Fault;
use crate::money::Currency;
use crate::protocol::{Answer, Command, Outcome, Refusal, Reply};
use crate::retry::{Courier, Heard, Next, Policy, Stopped};
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;

/// How long things take, in ms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// From the client to the API or back.
    pub wire_ms: Ms,
    /// From the API to the store of keys or back.
    pub store_ms: Ms,
    /// From the API to the processor until the money is taken.
    pub charge_ms: Ms,
    /// From there until the API has the processor's answer.
    pub answer_ms: Ms,
}

/// Everything that a run depends on but the seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// The design and the clients.
    pub rules: Rules,
    /// When the clients try again.
    pub policy: Policy,
    /// How long things take.
    pub timing: Timing,
    /// What goes wrong, one for each attempt in the order of sending.
    pub faults: Vec<Fault>,
    /// How much each client pays, in minor units.
    pub amount: u64,
    /// In which currency.
    pub currency: Currency,
}

impl Setup {
    /// The world of the lesson: $40, one client, the lesson's policy.
    #[must_use]
    pub fn lesson() -> Self {
        Self {
            rules: Rules::one_client(Policy::LESSON.attempts),
            policy: Policy::LESSON,
            timing: Timing {
                wire_ms: 40,
                store_ms: 10,
                charge_ms: 350,
                answer_ms: 50,
            },
            faults: Vec::new(),
            amount: 4000,
            currency: Currency::Usd,
        }
    }
}

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

/// Runs the world until nothing more happens.
#[must_use]
pub fn run(setup: &Setup, seed: u64) -> Vec<Fact> {
    let mut run = Run {
        setup,
        state: State::start(&setup.rules, Budget::OPEN),
        random: Xoshiro256PlusPlus::seed_from_u64(seed),
        clients: setup
            .rules
            .first_keys
            .iter()
            .map(|_| Teller {
                courier: Courier::new(setup.policy),
                send_at: 0,
                sent_at: 0,
            })
            .collect(),
        free_at: Vec::new(),
        agenda: Vec::new(),
        facts: Vec::new(),
    };
    while run.go_on() {}
    run.facts
}

/// One client's clockwork.
struct Teller {
    courier: Courier,
    send_at: Ms,
    sent_at: Ms,
}

/// A move that is due.
#[derive(Clone, Copy)]
struct Due {
    /// The possible move that it stands for.
    cause: Move,
    /// What really happens: the move, or the fault in its place.
    act: Move,
    at: Ms,
    call: Option<Call>,
}

struct Run<'a> {
    setup: &'a Setup,
    state: State,
    random: Xoshiro256PlusPlus,
    clients: Vec<Teller>,
    /// For each flight, from when on its process is free for the next command.
    free_at: Vec<Ms>,
    agenda: Vec<Due>,
    facts: Vec<Fact>,
}

impl Run<'_> {
    /// Makes the next move, if there is one.
    fn go_on(&mut self) -> bool {
        let possible = self.state.moves(&self.setup.rules);
        self.agenda.retain(|due| possible.contains(&due.cause));
        for cause in possible {
            if !self.agenda.iter().any(|due| due.cause == cause)
                && let Some(due) = self.plan(cause)
            {
                self.agenda.push(due);
            }
        }
        // Of those that are due at once, the one that was planned first.
        let Some(next) = (0..self.agenda.len()).min_by_key(|i| self.agenda.get(*i).map(|d| d.at))
        else {
            return false;
        };
        let due = self.agenda.remove(next);
        self.state.advance(&self.setup.rules, due.at);
        let before = self.state.ledger.len();
        match self.state.apply(&self.setup.rules, due.act) {
            Ok(effect) => {
                self.record(due, effect, self.state.ledger.len() > before);
                true
            }
            // Not reached: `act` is possible whenever `cause` is.
            Err(_) => false,
        }
    }

    fn fault(&self, flight: FlightNo) -> Fault {
        let fault = self.setup.faults.get(usize::from(flight));
        fault.copied().unwrap_or_default()
    }

    /// When a possible move happens, and what happens in its place. `None` for
    /// what the script does not ask for.
    fn plan(&self, cause: Move) -> Option<Due> {
        let now = self.state.now;
        let timing = &self.setup.timing;
        let due = |act, at| {
            Some(Due {
                cause,
                act,
                at,
                call: None,
            })
        };
        match cause {
            Move::Send(client) => due(cause, self.teller(client)?.send_at.max(now)),
            Move::TimeOut(client) => due(
                cause,
                self.teller(client)?.sent_at + self.setup.policy.timeout_ms,
            ),
            Move::Deliver(flight) => match self.fault(flight) {
                Fault::LoseRequest => due(Move::LoseRequest(flight), now + timing.wire_ms / 2),
                _ => due(cause, now + timing.wire_ms),
            },
            Move::Receive(flight) => match self.fault(flight) {
                Fault::LoseReply => due(Move::LoseReply(flight), now + timing.wire_ms * 3 / 5),
                _ => due(cause, now + timing.wire_ms),
            },
            Move::Step(flight) => self.plan_work(cause, flight),
            Move::LoseRequest(_)
            | Move::LoseReply(_)
            | Move::Decline(_)
            | Move::Fail(..)
            | Move::Crash(_)
            | Move::LeaseEnds(_) => None,
        }
    }

    fn teller(&self, client: ClientNo) -> Option<&Teller> {
        self.clients.get(usize::from(client))
    }

    fn plan_work(&self, cause: Move, flight: FlightNo) -> Option<Due> {
        let Place::Working(attempt) = &self.state.flight(flight)?.place else {
            return None;
        };
        let timing = &self.setup.timing;
        let free = self.free_at.get(usize::from(flight)).copied();
        let sent = free.unwrap_or(0).max(self.state.now);
        let fault = self.fault(flight);
        let crash = |at| Due {
            cause,
            act: Move::Crash(flight),
            at,
            call: None,
        };
        let call = |act, there: Ms, back: Ms| Due {
            cause,
            act,
            at: sent + there,
            call: Some(Call {
                sent,
                back: sent + there + back,
            }),
        };
        Some(match attempt.command()? {
            Command::Charge { .. } => {
                let act = match fault {
                    Fault::CrashBeforeCharge => return Some(crash(sent)),
                    Fault::Processor500 => Move::Fail(flight, 500),
                    Fault::Processor503 => Move::Fail(flight, 503),
                    Fault::Processor429 => Move::Fail(flight, 429),
                    Fault::Declined => Move::Decline(flight),
                    _ => cause,
                };
                let late = match fault {
                    Fault::Slow { ms } => ms,
                    _ => 0,
                };
                call(act, timing.charge_ms, timing.answer_ms + late)
            }
            Command::Complete { .. } if fault == Fault::CrashAfterCharge => {
                crash(self.state.now + timing.answer_ms / 2)
            }
            Command::Complete { .. } if fault == Fault::CrashBeforeSave => crash(sent),
            Command::Reply(_) => Due {
                cause,
                act: cause,
                at: sent,
                call: None,
            },
            _ => call(cause, timing.store_ms, timing.store_ms),
        })
    }

    /// Writes down what happened.
    fn record(&mut self, due: Due, effect: Effect, new_entry: bool) {
        let (flight, client) = match due.act {
            Move::Deliver(f)
            | Move::LoseRequest(f)
            | Move::Step(f)
            | Move::Decline(f)
            | Move::Fail(f, _)
            | Move::Crash(f)
            | Move::LoseReply(f)
            | Move::Receive(f) => (f, self.state.flight(f).map_or(0, |it| it.client)),
            Move::Send(client) | Move::TimeOut(client) => match effect {
                Effect::Sent(flight) | Effect::TimedOut(flight) => (flight, client),
                _ => (0, client),
            },
            Move::LeaseEnds(_) => return,
        };
        let key = self.state.flight(flight).and_then(|it| it.key);
        if let Some(call) = due.call {
            self.busy_until(flight, call.back);
        }
        let mut heard = None;
        let what = match effect {
            Effect::Sent(_) => {
                if let Some(teller) = self.clients.get_mut(usize::from(client)) {
                    teller.courier.send();
                    teller.sent_at = due.at;
                }
                What::Sent {
                    intent: u32::from(client) + 1,
                    key: key.map(key_name),
                    amount: self.setup.amount,
                    currency: self.setup.currency,
                }
            }
            Effect::Arrived => {
                self.busy_until(flight, due.at);
                What::Arrived
            }
            Effect::RequestLost => What::RequestLost,
            Effect::Crashed => What::Crashed,
            Effect::ReplyLost(_) => What::ReplyLost,
            Effect::Received(reply) => {
                let answered = answered(&reply);
                heard = Some(Heard::Status {
                    status: answered.status,
                    retry_after_ms: answered.retry_after_s.map(|s| Ms::from(s) * 1000),
                });
                What::Received(answered)
            }
            Effect::TimedOut(_) => {
                heard = Some(Heard::Nothing);
                What::TimedOut {
                    after_ms: self.setup.policy.timeout_ms,
                }
            }
            Effect::LeaseEnded => return,
            Effect::Done(command, outcome) => {
                let name = key.map(key_name).unwrap_or_default();
                match told(&command, outcome, name, new_entry, due.at) {
                    Some(what) => what,
                    None => match command {
                        Command::Reply(reply) if self.state.is_awaited(flight) => {
                            What::Replied(answered(&reply))
                        }
                        Command::Reply(reply) => What::Unheard(answered(&reply)),
                        _ => return,
                    },
                }
            }
        };
        self.note(due.at, due.call, flight, what);
        if let Some(heard) = heard {
            self.decide(client, flight, heard);
        }
    }

    fn busy_until(&mut self, flight: FlightNo, at: Ms) {
        let flight = usize::from(flight);
        if self.free_at.len() <= flight {
            self.free_at.resize(flight + 1, 0);
        }
        if let Some(free) = self.free_at.get_mut(flight) {
            *free = at;
        }
    }

    fn note(&mut self, at: Ms, call: Option<Call>, flight: FlightNo, what: What) {
        self.facts.push(Fact {
            at,
            call,
            attempt: u32::from(flight) + 1,
            what,
        });
    }

    /// The client decides what to do about what it heard.
    fn decide(&mut self, client: ClientNo, flight: FlightNo, heard: Heard) {
        let now = self.state.now;
        let Some(teller) = self.clients.get_mut(usize::from(client)) else {
            return;
        };
        let what = match teller.courier.next(heard, &mut self.random) {
            Next::Stop(Stopped::Settled) => return,
            Next::Stop(_) => What::GaveUp,
            Next::Wait { ms, ceiling_ms } => {
                teller.send_at = now + ms;
                What::Waits {
                    ms,
                    ceiling_ms,
                    asked_for: ms > ceiling_ms,
                }
            }
        };
        self.note(now, None, flight, what);
    }
}

/// What a command and its outcome tell, or `None` for a reply.
fn told(
    command: &Command<u8>,
    outcome: Outcome<u8>,
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
                found: if claim.token == crate::protocol::Token::FIRST {
                    Found::New { lease_ms, token }
                } else {
                    Found::TakenOver { lease_ms, token }
                },
            }
        }
        (_, Outcome::Refused(refusal)) => What::Claimed {
            key,
            found: match refusal {
                Refusal::InProgress { retry_after_s } => Found::InProgress { retry_after_s },
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
            let charge = charge_name(charge);
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
            written: outcome == Outcome::Written,
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
