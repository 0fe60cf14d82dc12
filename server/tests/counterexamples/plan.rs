//! From the moves of a counterexample to requests, faults and clock: mechanically.
//!
//! The explorer stops the server between any two commands. The API cannot: what a
//! request does between two of the points below, it does in one go.
//!
//! 1. It arrives. (A request that waits in the network is sent later.)
//! 2. In the unsafe claim, about 40 ms between the look-up and the insert.
//! 3. Between the charge and what follows it, for as long as the fault `slow` says.
//! 4. Between the reply and its reading.
//!
//! So the commands of an attempt are drawn together into such pieces, and whether
//! that still is the same counterexample is asked of the model: the moves in their
//! new order have to be possible, and to end in the same place. Where they are not,
//! the counterexample cannot be forced through the API, and [`Unforced`] says why.

use model::fault::Fault;
use model::protocol::{Command, Outcome};
use model::world::{Budget, ClientNo, Effect, FlightNo, Move, Phase, Rules, State};

/// One thing to do to the real service.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// Sends an attempt that meets this fault, and waits until it has come as far as
    /// it comes by itself. `hold` keeps it between its charge and its end.
    Send {
        flight: FlightNo,
        client: ClientNo,
        fault: Fault,
        hold: bool,
        /// It is left between look-up and insert, for the others that look.
        between: bool,
    },
    /// Waits until an attempt that was held, or left between, is at its end or at
    /// its next hold.
    Wait { flight: FlightNo, hold: bool },
    /// The client reads its reply.
    Read { flight: FlightNo, status: u16 },
    /// The client hangs up.
    HangUp { flight: FlightNo },
    /// The lease runs out.
    EndLease,
}

/// Why a counterexample cannot be forced through the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Unforced {
    #[error("an attempt stands between its claim and its charge, where no fault holds it")]
    BeforeCharge,
    #[error("an attempt that the processor failed stands before it gives its key back")]
    BeforeRelease,
    #[error("something else happens in the 40 ms between a look-up and its insert")]
    BetweenLookUpAndInsert,
    #[error("one attempt would need two faults")]
    TwoFaults,
    #[error("drawn together, its moves are not possible or end elsewhere")]
    AnotherOrder,
}

/// The acts, and the moves in the order in which the acts make them.
#[derive(Clone, Debug)]
pub struct Plan {
    pub acts: Vec<Act>,
    pub moves: Vec<Move>,
    /// Where the world stands after the moves.
    pub end: State,
}

/// One move of the counterexample, with what it came to.
struct Made {
    at: usize,
    step: Move,
    effect: Effect,
}

/// What an attempt is held back from by a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    LookUp,
    /// Up to the charge or, where there is none, the reply.
    Charge,
    /// From the charge to the reply.
    Finish,
}

fn flight_of(step: Move) -> Option<FlightNo> {
    match step {
        Move::Deliver(f)
        | Move::LoseRequest(f)
        | Move::Step(f)
        | Move::Decline(f)
        | Move::Fail(f, _)
        | Move::Crash(f)
        | Move::LoseReply(f)
        | Move::Receive(f) => Some(f),
        Move::Send(_) | Move::TimeOut(_) | Move::LeaseEnds(_) => None,
    }
}

/// Whether a move is the server's own, on one attempt.
fn is_work(step: Move) -> bool {
    matches!(
        step,
        Move::Step(_) | Move::Decline(_) | Move::Fail(..) | Move::Crash(_)
    )
}

/// Translates a counterexample.
pub fn plan(rules: &Rules, budget: Budget, moves: &[Move]) -> Result<Plan, Unforced> {
    let mut state = State::start(rules, budget);
    let mut made = Vec::new();
    for (at, step) in moves.iter().enumerate() {
        let effect = state.apply(rules, *step).expect("a move of the explorer");
        made.push(Made {
            at,
            step: *step,
            effect,
        });
    }
    let mut planner = Planner {
        rules,
        made: &made,
        state: State::start(rules, budget),
        taken: vec![false; made.len()],
        acts: Vec::new(),
        moves: Vec::new(),
    };
    planner.run()?;
    let end = planner.state;
    if end.ledger != state.ledger || end.keys != state.keys || end.clients != state.clients {
        return Err(Unforced::AnotherOrder);
    }
    Ok(Plan {
        acts: planner.acts,
        moves: planner.moves,
        end,
    })
}

struct Planner<'a> {
    rules: &'a Rules,
    made: &'a [Made],
    /// After the moves that are planned.
    state: State,
    taken: Vec<bool>,
    acts: Vec<Act>,
    moves: Vec<Move>,
}

impl<'a> Planner<'a> {
    fn run(&mut self) -> Result<(), Unforced> {
        for at in 0..self.made.len() {
            if self.taken[at] {
                continue;
            }
            let made = &self.made[at];
            match made.step {
                // On its way, a request does nothing: it is sent when it is at work.
                Move::Send(_) | Move::Deliver(_) => self.take(at)?,
                Move::LoseRequest(flight) => {
                    self.send(flight, Fault::LoseRequest, false, false);
                    self.take(at)?;
                }
                Move::Step(flight)
                | Move::Decline(flight)
                | Move::Fail(flight, _)
                | Move::Crash(flight) => self.work(at, flight)?,
                // The fault came with the request.
                Move::LoseReply(_) => self.take(at)?,
                Move::Receive(flight) => {
                    let Effect::Received(reply) = &made.effect else {
                        return Err(Unforced::AnotherOrder);
                    };
                    let status = reply.status();
                    self.acts.push(Act::Read { flight, status });
                    self.take(at)?;
                }
                Move::TimeOut(client) => {
                    if let Effect::TimedOut(flight) = made.effect {
                        self.hang_up(client, flight);
                    }
                    self.take(at)?;
                }
                Move::LeaseEnds(_) => {
                    self.acts.push(Act::EndLease);
                    self.take(at)?;
                }
            }
        }
        self.between()
    }

    /// Makes a move in its new place.
    fn take(&mut self, at: usize) -> Result<(), Unforced> {
        let step = self.made[at].step;
        let applied = self.state.apply(self.rules, step);
        applied.map_err(|_| Unforced::AnotherOrder)?;
        self.taken[at] = true;
        self.moves.push(step);
        Ok(())
    }

    /// The moves of an attempt that are still to come, from here on.
    fn to_come(&self, from: usize, flight: FlightNo) -> Vec<&'a Made> {
        let made: &'a [Made] = self.made;
        made[from..]
            .iter()
            .filter(|it| !self.taken[it.at] && flight_of(it.step) == Some(flight))
            .collect()
    }

    /// A client that hangs up has sent its request, even where nothing came of it.
    fn hang_up(&mut self, client: ClientNo, flight: FlightNo) {
        let waiting = self.state.clients.get(usize::from(client));
        if waiting.is_some_and(|it| it.phase == Phase::Waiting(flight)) && self.is_sent(flight) {
            self.acts.push(Act::HangUp { flight });
        }
    }

    fn is_sent(&self, flight: FlightNo) -> bool {
        self.acts
            .iter()
            .any(|act| matches!(act, Act::Send { flight: it, .. } if *it == flight))
    }

    fn send(&mut self, flight: FlightNo, fault: Fault, hold: bool, between: bool) {
        let client = self.state.flights[usize::from(flight)].client;
        self.acts.push(Act::Send {
            flight,
            client,
            fault,
            hold,
            between,
        });
    }

    /// Takes everything that an attempt does before its next stop.
    fn work(&mut self, at: usize, flight: FlightNo) -> Result<(), Unforced> {
        let coming = self.to_come(at, flight);
        let piece = match &coming[0].effect {
            Effect::Done(Command::LookUp, _) => Piece::LookUp,
            Effect::Done(Command::Complete { .. } | Command::Release { .. }, _) => Piece::Finish,
            _ => Piece::Charge,
        };
        let sent = self.is_sent(flight);
        let first = coming[0].at;
        let mut last = None;
        let mut crashed = false;
        for made in &coming {
            if !is_work(made.step) {
                break;
            }
            let stops = match (&made.effect, piece) {
                // Before these it can be held, if nothing else forbids.
                (Effect::Done(Command::Insert, _), Piece::LookUp) => true,
                (
                    Effect::Done(Command::Complete { .. } | Command::Release { .. }, _),
                    Piece::LookUp | Piece::Charge,
                ) => self.others_between(last, made.at),
                _ => false,
            };
            if stops {
                break;
            }
            crashed |= made.effect == Effect::Crashed;
            last = Some(made);
        }
        let last = last.ok_or(Unforced::AnotherOrder)?;
        let upto = last.at;
        let taken: Vec<usize> = coming
            .iter()
            .map(|made| made.at)
            .filter(|it| (first..=upto).contains(it))
            .collect();
        let fault = self.fault(flight)?;
        let between = matches!(&last.effect, Effect::Done(Command::LookUp, Outcome::Absent));
        let replies = matches!(&last.effect, Effect::Done(Command::Reply(_), _));
        let over = self
            .made
            .iter()
            .all(|it| self.taken[it.at] || taken.contains(&it.at));
        let hold = match &last.effect {
            _ if between || crashed || replies || over => false,
            Effect::Done(Command::Charge { .. }, Outcome::Charged(_)) => true,
            Effect::Done(Command::Charge { .. }, _) => return Err(Unforced::BeforeRelease),
            // It replies by itself, unless a charge is what comes next.
            Effect::Done(
                Command::Claim | Command::LookUp | Command::Insert,
                Outcome::Claimed(_),
            ) => return Err(Unforced::BeforeCharge),
            _ => false,
        };
        let fault = match (hold, fault) {
            (false, fault) => fault,
            (true, Fault::None) => Fault::Slow { ms: super::HOLD_MS },
            (true, _) => return Err(Unforced::TwoFaults),
        };
        if sent {
            self.acts.push(Act::Wait { flight, hold });
        } else {
            let fault = if between {
                self.later_fault(flight, fault)?
            } else {
                fault
            };
            self.send(flight, fault, hold, between);
        }
        for at in taken {
            self.take(at)?;
        }
        Ok(())
    }

    /// An attempt that is left between look-up and insert is sent with the fault of
    /// what it does afterwards.
    fn later_fault(&self, flight: FlightNo, fault: Fault) -> Result<Fault, Unforced> {
        let work: Vec<_> = self
            .made
            .iter()
            .filter(|it| is_work(it.step) && flight_of(it.step) == Some(flight))
            .collect();
        let at = |wanted: fn(&Command<u8>) -> bool| {
            work.iter()
                .find(|it| matches!(&it.effect, Effect::Done(command, _) if wanted(command)))
                .map(|it| it.at)
        };
        let charge = at(|it| matches!(it, Command::Charge { .. }));
        let finish = at(|it| matches!(it, Command::Complete { .. } | Command::Release { .. }));
        let crashes = work.iter().any(|it| it.effect == Effect::Crashed);
        let hold = match (charge, finish) {
            (Some(charge), Some(finish)) => self.made[charge + 1..finish]
                .iter()
                .any(|it| flight_of(it.step) != Some(flight)),
            (Some(_), None) => !crashes,
            _ => false,
        };
        match (hold, fault) {
            (false, fault) => Ok(fault),
            (true, Fault::None) => Ok(Fault::Slow { ms: super::HOLD_MS }),
            (true, _) => Err(Unforced::TwoFaults),
        }
    }

    /// Whether somebody else does something between two moves of an attempt.
    fn others_between(&self, last: Option<&&Made>, until: usize) -> bool {
        let Some(last) = last else { return false };
        let flight = flight_of(last.step);
        self.made[last.at + 1..until]
            .iter()
            .any(|it| !self.taken[it.at] && flight_of(it.step) != flight)
    }

    /// The one fault that an attempt meets.
    fn fault(&self, flight: FlightNo) -> Result<Fault, Unforced> {
        let mut faults = Vec::new();
        let mut before: Option<(&Command<u8>, &Outcome<u8>)> = None;
        for made in self.made {
            if flight_of(made.step) != Some(flight) {
                continue;
            }
            match (&made.step, &made.effect) {
                (Move::Decline(_), _) => faults.push(Fault::Declined),
                (Move::Fail(_, 503), _) => faults.push(Fault::Processor503),
                (Move::Fail(..), _) => faults.push(Fault::Processor500),
                (Move::LoseReply(_), _) => faults.push(Fault::LoseReply),
                (Move::Crash(_), _) => faults.push(match before {
                    // It has done nothing yet that anybody could find.
                    None | Some((Command::LookUp, Outcome::Absent)) => Fault::LoseRequest,
                    Some((_, Outcome::Claimed(_))) => Fault::CrashBeforeCharge,
                    Some((_, Outcome::Charged(_))) => Fault::CrashAfterCharge,
                    Some((_, Outcome::NotCharged(_))) => return Err(Unforced::BeforeRelease),
                    // What it did is done, and nobody hears of it.
                    Some(_) => Fault::LoseReply,
                }),
                _ => {}
            }
            if let Effect::Done(command, outcome) = &made.effect {
                before = Some((command, outcome));
            }
        }
        match faults[..] {
            [] => Ok(Fault::None),
            [fault] => Ok(fault),
            _ => Err(Unforced::TwoFaults),
        }
    }

    /// Nothing but look-ups and clients that hang up may happen while somebody is
    /// between: the other acts take longer than the 40 ms.
    fn between(&self) -> Result<(), Unforced> {
        let mut waiting: Vec<FlightNo> = Vec::new();
        let mut closed = false;
        for act in &self.acts {
            match act {
                Act::Send {
                    flight,
                    between: true,
                    ..
                } if !closed => waiting.push(*flight),
                Act::Wait { flight, .. } if waiting.contains(flight) => {
                    closed = true;
                    waiting.retain(|it| it != flight);
                    if waiting.is_empty() {
                        closed = false;
                    }
                }
                Act::HangUp { .. } if !closed => {}
                _ if waiting.is_empty() => {}
                _ => return Err(Unforced::BetweenLookUpAndInsert),
            }
        }
        match waiting.is_empty() {
            true => Ok(()),
            false => Err(Unforced::BetweenLookUpAndInsert),
        }
    }
}
