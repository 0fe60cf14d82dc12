//! Where the world stands: a small value that can be copied, compared and hashed.

use crate::Ms;
use crate::protocol::{Attempt, Design, Paid, Record, Reply};

/// A charge in the world, by its number.
pub type ChargeNo = u8;
/// A body that can be charged for, by its number: the world's fingerprint.
pub type BodyNo = u8;
/// The position of an attempt in [`State::flights`].
pub type FlightNo = u8;
/// The position of a client in [`State::clients`].
pub type ClientNo = u8;

/// Which key a client sends with its attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyUse {
    /// None.
    Without,
    /// One for the intent, the same on each attempt.
    Same,
    /// A new one on each attempt: the mistake.
    NewEachTime,
}

/// What does not change while the world runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// The server's design.
    pub design: Design,
    /// How the clients use keys.
    pub key_use: KeyUse,
    /// Attempts that a client makes at the most.
    pub attempts: u32,
    /// How long a claim holds, in ms.
    pub lease_ms: Ms,
    /// How long a key is kept, in ms.
    pub retention_ms: Ms,
    /// For each client, the key that it starts with. Two clients with one key are
    /// two tabs that pay the same order.
    pub first_keys: Vec<u8>,
    /// For each client, the intent that it pays for. Where it says nothing, as
    /// many intents as there are first keys.
    pub intents: Vec<u8>,
    /// For each client, the body that it sends. Where it says nothing, each
    /// intent has a body of its own.
    pub bodies: Vec<BodyNo>,
}

impl Rules {
    /// One client, the correct design, one key for all attempts.
    #[must_use]
    pub fn one_client(attempts: u32) -> Self {
        Self {
            design: Design::default(),
            key_use: KeyUse::Same,
            attempts,
            lease_ms: 30_000,
            retention_ms: 86_400_000,
            first_keys: vec![0],
            intents: Vec::new(),
            bodies: Vec::new(),
        }
    }

    /// The intent that a client pays for.
    #[must_use]
    pub fn intent(&self, client: ClientNo) -> u8 {
        let of = |list: &[u8]| list.get(usize::from(client)).copied();
        of(&self.intents)
            .or_else(|| of(&self.first_keys))
            .unwrap_or(client)
    }

    /// The body that a client sends.
    #[must_use]
    pub fn body(&self, client: ClientNo) -> BodyNo {
        let own = self.bodies.get(usize::from(client)).copied();
        own.unwrap_or_else(|| self.intent(client))
    }
}

/// Where a client stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// It may send its next attempt.
    Ready,
    /// It waits for the reply to this attempt.
    Waiting(FlightNo),
    /// It has a final answer.
    Settled {
        /// How the charge ended, by what it was told.
        paid: Paid,
        /// The charge that it was told of.
        charge: ChargeNo,
    },
    /// It was told that trying again cannot help.
    Refused,
    /// Its attempts are used up, and it has no answer.
    GaveUp,
}

/// One client with one intent: one press of Pay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Client {
    /// Attempts sent so far.
    pub sent: u32,
    /// Where it stands.
    pub phase: Phase,
}

/// Where an attempt is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// The request is on its way.
    Outbound,
    /// The server works on it.
    Working(Attempt<ChargeNo>),
    /// The reply is on its way.
    Inbound(Reply<ChargeNo>),
    /// Nothing of it moves any more.
    Over,
}

/// One attempt, from its sending on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Flight {
    /// Who sent it.
    pub client: ClientNo,
    /// Under which key.
    pub key: Option<u8>,
    /// Where it is.
    pub place: Place,
}

/// One line of the processor's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    /// The charge.
    pub charge: ChargeNo,
    /// The processor key that it came with, if it came with one.
    pub key: Option<u8>,
    /// For whose intent.
    pub client: ClientNo,
    /// The money was taken; if not, the card was declined.
    pub taken: bool,
}

/// How much may still go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Budget {
    /// Crashes.
    pub crashes: u8,
    /// Lost messages, requests and replies alike.
    pub losses: u8,
    /// Leases that run out under a living owner that has no heartbeat.
    pub slow_owners: u8,
    /// Failures and refusals of the card processor.
    pub processor: u8,
}

impl Budget {
    /// Nothing is held back. For scripted runs, where the script decides.
    pub const OPEN: Self = Self {
        crashes: u8::MAX,
        losses: u8::MAX,
        slow_owners: u8::MAX,
        processor: u8::MAX,
    };
}

/// Where the world stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// Now, in ms. Stays 0 where time is not counted.
    pub now: Ms,
    /// The clients.
    pub clients: Vec<Client>,
    /// Every attempt that was sent.
    pub flights: Vec<Flight>,
    /// What is stored under each key, by the key's number.
    pub keys: Vec<Option<Record<BodyNo, ChargeNo>>>,
    /// The processor's ledger, in the order of its entries.
    pub ledger: Vec<Entry>,
    /// How much may still go wrong.
    pub budget: Budget,
}

impl State {
    /// The beginning: nothing sent, nothing stored, nothing charged.
    #[must_use]
    pub fn start(rules: &Rules, budget: Budget) -> Self {
        let client = Client {
            sent: 0,
            phase: Phase::Ready,
        };
        Self {
            now: 0,
            clients: vec![client; rules.first_keys.len()],
            flights: Vec::new(),
            keys: Vec::new(),
            ledger: Vec::new(),
            budget,
        }
    }

    /// How often money was taken for the intent of this client.
    #[must_use]
    pub fn charged(&self, client: ClientNo) -> usize {
        self.ledger
            .iter()
            .filter(|entry| entry.taken && entry.client == client)
            .count()
    }

    /// The flight at this position.
    pub(super) fn flight(&self, flight: FlightNo) -> Option<&Flight> {
        self.flights.get(usize::from(flight))
    }

    /// Whether the client of this flight still waits for it.
    #[must_use]
    pub fn is_awaited(&self, flight: FlightNo) -> bool {
        self.flight(flight).is_some_and(|it| {
            self.clients
                .get(usize::from(it.client))
                .is_some_and(|client| client.phase == Phase::Waiting(flight))
        })
    }
}
