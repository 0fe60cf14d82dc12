//! Virtual time: which of the possible moves happens when, by a script of faults.

use super::fact::{Call, Fact, What};
use super::moves::{Effect, Move};
use super::narrate::{self, Terms};
use super::state::{Budget, ClientNo, FlightNo, Place, Rules, State};
use crate::Ms;
use crate::fault::Fault;
use crate::money::Currency;
use crate::protocol::Command;
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
                self.record(due, &effect, self.state.ledger.len() > before);
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
    fn record(&mut self, due: Due, effect: &Effect, new_entry: bool) {
        let Some((flight, client)) = narrate::concerned(&self.state, due.act, effect) else {
            return;
        };
        if let Some(call) = due.call {
            self.busy_until(flight, call.back);
        }
        match effect {
            Effect::Sent(_) => {
                if let Some(teller) = self.clients.get_mut(usize::from(client)) {
                    teller.courier.send();
                    teller.sent_at = due.at;
                }
            }
            Effect::Arrived => self.busy_until(flight, due.at),
            _ => {}
        }
        let terms = Terms {
            intent: u32::from(self.setup.rules.intent(client)) + 1,
            amount: self.setup.amount,
            currency: self.setup.currency,
            waited_ms: self.setup.policy.timeout_ms,
        };
        let Some(what) = narrate::what(&self.state, flight, effect, new_entry, terms) else {
            return;
        };
        self.note(due.at, due.call, flight, what);
        if let Some(heard) = narrate::heard(effect) {
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
