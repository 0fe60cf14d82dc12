//! The canonical form: what of a state decides what can follow.
//!
//! - A token is a name. All that counts is whether it is the record's: [`OWNER`]
//!   or [`STALE`].
//! - An attempt that nobody waits for matters by its place, key and body, not by
//!   its number nor by which of two equal clients sent it.
//! - A reply that nobody waits for changes nothing any more.
//! - Equal clients (one key, one intent, one body) can change places.

use super::super::state::{
    Budget, ChargeNo, Client, ClientNo, Entry, Flight, FlightNo, Phase, Place, Rules, State,
};
use crate::protocol::{Command, Paid, Record, Token};

/// The token of whoever owns the key. It is the first one, since the unsafe form
/// inserts with that over whatever is there.
pub(super) const OWNER: Token = Token::FIRST;
/// The token of a claim that was taken over.
pub(super) const STALE: Token = Token(0);

/// What all attempts share: the store of keys and the ledger.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Shared {
    pub(super) keys: Vec<Option<Record<u8, ChargeNo>>>,
    pub(super) ledger: Vec<Entry>,
}

/// A client as far as its future goes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct View {
    /// The first of its equals.
    pub(super) client: ClientNo,
    pub(super) stand: Stand,
}

/// Where a client stands, with the attempt that it waits for in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Stand {
    Ready,
    Waiting(Flight),
    Settled { paid: Paid, charge: ChargeNo },
    Refused,
    GaveUp,
}

/// Which clients are each other's equals.
#[derive(Clone, Debug)]
pub(super) struct Equals {
    first: Vec<ClientNo>,
}

impl Equals {
    pub(super) fn of(rules: &Rules) -> Self {
        let same = |a: ClientNo, b: ClientNo| {
            rules.first_keys.get(usize::from(a)) == rules.first_keys.get(usize::from(b))
                && rules.intent(a) == rules.intent(b)
                && rules.body(a) == rules.body(b)
        };
        let all = (0..).take(rules.first_keys.len());
        let first = all.map(|no| (0..no).find(|it| same(*it, no)).unwrap_or(no));
        Self {
            first: first.collect(),
        }
    }

    /// The first of a client's equals.
    pub(super) fn first(&self, client: ClientNo) -> ClientNo {
        let first = self.first.get(usize::from(client)).copied();
        first.unwrap_or(client)
    }

    /// What the attempts of a state share.
    pub(super) fn shared(&self, state: &State) -> Shared {
        let mut keys = state.keys.clone();
        for record in keys.iter_mut().flatten() {
            record.token = OWNER;
        }
        let mut ledger = state.ledger.clone();
        for entry in &mut ledger {
            entry.client = self.first(entry.client);
        }
        Shared { keys, ledger }
    }

    /// A client of a state.
    pub(super) fn view(&self, state: &State, no: ClientNo, client: &Client) -> View {
        let stand = match client.phase {
            Phase::Ready => Stand::Ready,
            Phase::Waiting(flight) => Stand::Waiting(self.awaited(state, no, flight)),
            Phase::Settled { paid, charge } => Stand::Settled { paid, charge },
            Phase::Refused => Stand::Refused,
            Phase::GaveUp => Stand::GaveUp,
        };
        View {
            client: self.first(no),
            stand,
        }
    }

    fn awaited(&self, state: &State, no: ClientNo, flight: FlightNo) -> Flight {
        let found = state.flights.get(usize::from(flight));
        let over = || Flight {
            client: self.first(no),
            key: None,
            place: Place::Over,
        };
        found.map_or_else(over, |it| self.local(state, it))
    }

    /// An attempt of a state, its tokens named by what they are worth.
    fn local(&self, state: &State, flight: &Flight) -> Flight {
        let mut local = flight.clone();
        local.client = self.first(flight.client);
        match &flight.place {
            Place::Outbound => {}
            Place::Inbound(_) | Place::Over => local.key = None,
            Place::Working(attempt) => {
                let record = |key: u8| state.keys.get(usize::from(key)).and_then(Option::as_ref);
                let token = match attempt.command() {
                    // The record is behind it.
                    None | Some(Command::Reply(_)) => None,
                    Some(_) => attempt
                        .token()
                        .map(|token| match flight.key.and_then(record) {
                            Some(record) if record.token == token => OWNER,
                            _ => STALE,
                        }),
                };
                local.place = Place::Working(attempt.with_token(token));
            }
        }
        local
    }

    /// An attempt that nobody waits for, or `None` when nothing can come of it.
    pub(super) fn orphan(&self, state: &State, flight: &Flight) -> Option<Flight> {
        match &flight.place {
            Place::Over | Place::Inbound(_) => None,
            Place::Working(attempt)
                if matches!(attempt.command(), None | Some(Command::Reply(_))) =>
            {
                None
            }
            Place::Outbound | Place::Working(_) => Some(self.local(state, flight)),
        }
    }
}

/// The key that a canonical attempt owns.
pub(super) fn owned(flight: &Flight) -> Option<u8> {
    match &flight.place {
        Place::Working(attempt) if attempt.token() == Some(OWNER) => flight.key,
        _ => None,
    }
}

/// A canonical attempt after its key was taken over.
pub(super) fn ousted(flight: &Flight) -> Flight {
    let mut ousted = flight.clone();
    if owned(flight).is_some()
        && let Place::Working(attempt) = &flight.place
    {
        ousted.place = Place::Working(attempt.with_token(Some(STALE)));
    }
    ousted
}

/// The most that the packed form holds of each kind of trouble.
pub(super) const MOST_TROUBLE: u8 = 3;

/// A budget in eight bits, two for each kind of trouble.
pub(super) const fn pack_budget(budget: Budget) -> u8 {
    budget.crashes | budget.losses << 2 | budget.slow_owners << 4 | budget.processor << 6
}
