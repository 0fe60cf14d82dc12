//! What can happen next, and what it changes.

use super::state::{
    Budget, ChargeNo, ClientNo, Flight, FlightNo, KeyUse, Phase, Place, Rules, State,
};
use crate::Ms;
use crate::protocol::{Attempt, Command, KeyState, Outcome, Paid, Record, Reply, Token, Trouble};
use crate::retry::{Advice, Heard, advice};

/// One move of the world. Everything interleaves with everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Move {
    /// A client sends its next attempt.
    Send(ClientNo),
    /// A request reaches the server.
    Deliver(FlightNo),
    /// A request is lost.
    LoseRequest(FlightNo),
    /// The server carries out the attempt's next command.
    Step(FlightNo),
    /// The same for a charge, and the card is declined.
    Decline(FlightNo),
    /// The same for a charge, and the processor fails with this status.
    Fail(FlightNo, u16),
    /// The process that works on the attempt dies.
    Crash(FlightNo),
    /// A reply is lost.
    LoseReply(FlightNo),
    /// A reply reaches its client.
    Receive(FlightNo),
    /// A client stops waiting for the reply.
    TimeOut(ClientNo),
    /// The lease on a key runs out. Only where time is not counted.
    LeaseEnds(u8),
}

/// What a move came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// An attempt is on its way.
    Sent(FlightNo),
    /// The request is there.
    Arrived,
    /// The request is gone.
    RequestLost,
    /// A command was carried out, and this is what it came to.
    Done(Command<ChargeNo>, Outcome<ChargeNo>),
    /// The process is dead.
    Crashed,
    /// The reply is gone.
    ReplyLost(Reply<ChargeNo>),
    /// The client has read the reply.
    Received(Reply<ChargeNo>),
    /// The client stopped waiting for this attempt.
    TimedOut(FlightNo),
    /// The lease is over.
    LeaseEnded,
}

/// The move is not possible here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not possible in this state")]
pub struct ImpossibleMove(pub Move);

impl State {
    /// Every move that is possible now, in a fixed order.
    #[must_use]
    pub fn moves(&self, rules: &Rules) -> Vec<Move> {
        let mut moves = Vec::new();
        for (i, client) in (0..).zip(&self.clients) {
            match client.phase {
                Phase::Ready if client.sent < rules.attempts => moves.push(Move::Send(i)),
                Phase::Waiting(_) => moves.push(Move::TimeOut(i)),
                _ => {}
            }
        }
        for (i, flight) in (0..).zip(&self.flights) {
            self.moves_of(i, flight, &mut moves);
        }
        for (i, record) in (0..).zip(&self.keys) {
            if let Some(record) = record
                && self.can_run_out(i, record, rules)
            {
                moves.push(Move::LeaseEnds(i));
            }
        }
        moves
    }

    fn moves_of(&self, i: FlightNo, flight: &Flight, moves: &mut Vec<Move>) {
        let Budget {
            crashes,
            losses,
            processor,
            ..
        } = self.budget;
        match &flight.place {
            Place::Outbound => {
                moves.push(Move::Deliver(i));
                if losses > 0 {
                    moves.push(Move::LoseRequest(i));
                }
            }
            Place::Working(attempt) => {
                moves.push(Move::Step(i));
                if processor > 0 && matches!(attempt.command(), Some(Command::Charge { .. })) {
                    moves.extend([Move::Decline(i), Move::Fail(i, 500)]);
                }
                if crashes > 0 {
                    moves.push(Move::Crash(i));
                }
            }
            Place::Inbound(_) => {
                moves.push(Move::Receive(i));
                if losses > 0 {
                    moves.push(Move::LoseReply(i));
                }
            }
            Place::Over => {}
        }
    }

    /// Whether the lease on a key can run out where time is not counted: freely
    /// when its owner is dead, and out of the budget when it is alive without a
    /// heartbeat.
    fn can_run_out(&self, key: u8, record: &Record<u8, ChargeNo>, rules: &Rules) -> bool {
        let KeyState::Running {
            lease_until: Some(until),
            ..
        } = record.state
        else {
            return false;
        };
        if until <= self.now {
            return false;
        }
        match self.owner(key, record.token) {
            None => true,
            Some(_) => !rules.design.heartbeat && self.budget.slow_owners > 0,
        }
    }

    /// The living attempt that holds this token of this key and is not done with
    /// the record. One that only has its reply left renews no lease.
    fn owner(&self, key: u8, token: Token) -> Option<FlightNo> {
        (0..).zip(&self.flights).find_map(|(i, flight)| {
            let Place::Working(attempt) = &flight.place else {
                return None;
            };
            let holds = flight.key == Some(key) && attempt.token() == Some(token);
            (holds && !matches!(attempt.command(), Some(Command::Reply(_)) | None)).then_some(i)
        })
    }

    /// Makes a move.
    ///
    /// # Errors
    /// [`ImpossibleMove`] when it is not among [`State::moves`]; nothing changes.
    pub fn apply(&mut self, rules: &Rules, step: Move) -> Result<Effect, ImpossibleMove> {
        let done = match step {
            Move::Send(client) => self.send(rules, client),
            Move::Deliver(flight) => self.deliver(rules, flight),
            Move::LoseRequest(flight) => self.lose_request(flight),
            Move::Step(flight) => self.work(rules, flight, None),
            Move::Decline(flight) => self.work(rules, flight, Some(Err(Paid::Declined))),
            Move::Fail(flight, status) => self.work(
                rules,
                flight,
                Some(Ok(Trouble {
                    processor_status: status,
                    retry_after_s: None,
                })),
            ),
            Move::Crash(flight) => self.crash(flight),
            Move::LoseReply(flight) => self.lose_reply(flight),
            Move::Receive(flight) => self.receive(rules, flight),
            Move::TimeOut(client) => self.time_out(rules, client),
            Move::LeaseEnds(key) => self.lease_ends(rules, key),
        };
        done.ok_or(ImpossibleMove(step))
    }

    fn send(&mut self, rules: &Rules, no: ClientNo) -> Option<Effect> {
        let first = *rules.first_keys.get(usize::from(no))?;
        let client = self.clients.get_mut(usize::from(no))?;
        if client.phase != Phase::Ready || client.sent >= rules.attempts {
            return None;
        }
        let flight = FlightNo::try_from(self.flights.len()).ok()?;
        let key = match rules.key_use {
            KeyUse::Without => None,
            KeyUse::Same => Some(first),
            KeyUse::NewEachTime => {
                let clients = u8::try_from(rules.first_keys.len()).ok()?;
                let step = clients.checked_mul(u8::try_from(client.sent).ok()?)?;
                Some(first.checked_add(step)?)
            }
        };
        client.sent += 1;
        client.phase = Phase::Waiting(flight);
        self.flights.push(Flight {
            client: no,
            key,
            place: Place::Outbound,
        });
        Some(Effect::Sent(flight))
    }

    pub(super) fn place(&mut self, flight: FlightNo) -> Option<&mut Place> {
        self.flights
            .get_mut(usize::from(flight))
            .map(|flight| &mut flight.place)
    }

    fn deliver(&mut self, rules: &Rules, no: FlightNo) -> Option<Effect> {
        let keyed = self.flight(no)?.key.is_some();
        let place = self.place(no)?;
        if *place != Place::Outbound {
            return None;
        }
        *place = Place::Working(Attempt::new(keyed, &rules.design));
        Some(Effect::Arrived)
    }

    fn lose_request(&mut self, no: FlightNo) -> Option<Effect> {
        if self.flight(no)?.place != Place::Outbound {
            return None;
        }
        self.budget.losses = self.budget.losses.checked_sub(1)?;
        *self.place(no)? = Place::Over;
        Some(Effect::RequestLost)
    }

    fn lose_reply(&mut self, no: FlightNo) -> Option<Effect> {
        let Place::Inbound(reply) = self.flight(no)?.place.clone() else {
            return None;
        };
        self.budget.losses = self.budget.losses.checked_sub(1)?;
        *self.place(no)? = Place::Over;
        Some(Effect::ReplyLost(reply))
    }

    fn crash(&mut self, no: FlightNo) -> Option<Effect> {
        if !matches!(self.flight(no)?.place, Place::Working(_)) {
            return None;
        }
        self.budget.crashes = self.budget.crashes.checked_sub(1)?;
        *self.place(no)? = Place::Over;
        Some(Effect::Crashed)
    }

    fn lease_ends(&mut self, rules: &Rules, key: u8) -> Option<Effect> {
        let record = self.keys.get(usize::from(key))?.clone()?;
        if !self.can_run_out(key, &record, rules) {
            return None;
        }
        if self.owner(key, record.token).is_some() {
            self.budget.slow_owners = self.budget.slow_owners.checked_sub(1)?;
        }
        let now = self.now;
        if let Some(Some(Record {
            state: KeyState::Running { lease_until, .. },
            ..
        })) = self.keys.get_mut(usize::from(key))
        {
            *lease_until = Some(now);
        }
        Some(Effect::LeaseEnded)
    }

    fn receive(&mut self, rules: &Rules, no: FlightNo) -> Option<Effect> {
        let flight = self.flight(no)?;
        let Place::Inbound(reply) = flight.place.clone() else {
            return None;
        };
        let client = flight.client;
        let awaited = self.is_awaited(no);
        *self.place(no)? = Place::Over;
        if awaited {
            let heard = Heard::Status {
                status: reply.status(),
                retry_after_ms: None,
            };
            let phase = match (&reply, advice(heard)) {
                (Reply::Final { answer, .. }, _) => Phase::Settled {
                    paid: answer.paid,
                    charge: answer.charge,
                },
                (_, Advice::Retry { .. }) => self.may_retry(rules, client),
                _ => Phase::Refused,
            };
            self.clients.get_mut(usize::from(client))?.phase = phase;
        }
        Some(Effect::Received(reply))
    }

    fn may_retry(&self, rules: &Rules, client: ClientNo) -> Phase {
        match self.clients.get(usize::from(client)) {
            Some(client) if client.sent < rules.attempts => Phase::Ready,
            _ => Phase::GaveUp,
        }
    }

    fn time_out(&mut self, rules: &Rules, no: ClientNo) -> Option<Effect> {
        let Phase::Waiting(flight) = self.clients.get(usize::from(no))?.phase else {
            return None;
        };
        let phase = self.may_retry(rules, no);
        self.clients.get_mut(usize::from(no))?.phase = phase;
        // A reply that nobody waits for is no move any more.
        if let Some(place @ Place::Inbound(_)) = self.place(flight) {
            *place = Place::Over;
        }
        Some(Effect::TimedOut(flight))
    }

    /// Lets time pass: leases of living owners that have a heartbeat are renewed.
    pub fn advance(&mut self, rules: &Rules, now: Ms) {
        self.now = self.now.max(now);
        if !rules.design.heartbeat {
            return;
        }
        for key in 0..self.keys.len() {
            let Ok(no) = u8::try_from(key) else { return };
            let Some(token) = self
                .keys
                .get(key)
                .and_then(Option::as_ref)
                .map(|it| it.token)
            else {
                continue;
            };
            if self.owner(no, token).is_none() {
                continue;
            }
            let until = self.now + rules.lease_ms;
            if let Some(Some(Record {
                state:
                    KeyState::Running {
                        lease_until: Some(lease),
                        ..
                    },
                ..
            })) = self.keys.get_mut(key)
            {
                *lease = (*lease).max(until);
            }
        }
    }
}
