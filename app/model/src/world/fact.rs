//! What happened: the facts that a trace is made of.
//!
//! The world writes them in virtual time; the server writes the same ones while
//! it works, and the browser adds what only a client can know.

use crate::Ms;
use crate::money::Currency;
use crate::protocol::Paid;
use serde::{Deserialize, Serialize};

/// Who takes part. The order is that of the columns in a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Actor {
    /// The shop's app.
    Client,
    /// The payments API.
    Api,
    /// The store of idempotency keys.
    Keys,
    /// The card processor with its ledger.
    Processor,
}

/// One fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// When it took effect, in ms since the trace began.
    pub at: Ms,
    /// For a call: when it was made and when its outcome was back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<Call>,
    /// Of which attempt, counted from 1 in the order in which they were sent.
    pub attempt: u32,
    /// What happened.
    pub what: What,
}

/// When a call was made and when its outcome was back, in ms since the trace began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// The request left.
    pub sent: Ms,
    /// The outcome was back.
    pub back: Ms,
}

/// What can happen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// The client sends an attempt.
    Sent {
        /// Which press of Pay it is for, counted from 1.
        intent: u32,
        /// The idempotency key, if it sends one.
        key: Option<String>,
        /// How much it wants to pay, in minor units.
        amount: u64,
        /// In which currency.
        currency: Currency,
    },
    /// The request reached the API.
    Arrived,
    /// The same request arrived once more: the client's network stack sent it again
    /// by itself when the connection ended before a byte came back. Browsers do.
    Resent,
    /// The network lost the request.
    RequestLost,
    /// The API asked the store for the key.
    Claimed {
        /// The key.
        key: String,
        /// What the store said.
        found: Found,
    },
    /// The API asked the processor for the money.
    Charged {
        /// The processor was handed a key of its own.
        keyed: bool,
        /// What the processor said.
        said: Said,
    },
    /// The API saved the answer under the key.
    Saved {
        /// The key.
        key: String,
        /// The status that a replay will have.
        status: u16,
        /// The charge.
        charge: String,
        /// The token still matched. If not, nothing was written.
        written: bool,
    },
    /// The API gave the key back without an answer.
    Released {
        /// The key.
        key: String,
    },
    /// The process died.
    Crashed,
    /// The API replied.
    Replied(Answered),
    /// The network lost the reply.
    ReplyLost,
    /// The API had a reply, but nobody listened any more.
    Unheard(Answered),
    /// The client got the reply.
    Received(Answered),
    /// The client stopped waiting.
    TimedOut {
        /// After how long, in ms.
        after_ms: Ms,
    },
    /// The connection ended without an answer.
    Broke {
        /// After how long, in ms.
        after_ms: Ms,
    },
    /// The client waits before it sends again.
    Waits {
        /// For how long, in ms.
        ms: Ms,
        /// The ceiling that the wait was drawn from, in ms.
        ceiling_ms: Ms,
        /// The server asked for it with Retry-After.
        asked_for: bool,
    },
    /// The client stops trying without an answer.
    GaveUp,
}

/// What the store of keys said to a claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// The key was new and is ours now.
    New {
        /// For how long, in ms, or for ever in a design without leases.
        lease_ms: Option<Ms>,
        /// The fencing token.
        token: u32,
    },
    /// Nobody worked on it any more; it is ours now.
    TakenOver {
        /// For how long, in ms.
        lease_ms: Option<Ms>,
        /// The fencing token.
        token: u32,
    },
    /// Somebody is at work under it.
    InProgress {
        /// When to come back, in seconds.
        retry_after_s: u32,
    },
    /// It is done, and this was its answer.
    Done {
        /// The status.
        status: u16,
        /// The charge.
        charge: String,
    },
    /// It belongs to another request.
    Reused,
    /// It is expired.
    Expired,
    /// Only in the unsafe form: the look-up found nothing.
    Nothing,
}

/// What the card processor said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    /// A final word on a new charge.
    Final {
        /// How it ended.
        paid: Paid,
        /// The charge.
        charge: String,
    },
    /// The final word of an earlier call with the same processor key.
    Repeated {
        /// How it ended then.
        paid: Paid,
        /// The charge.
        charge: String,
    },
    /// No final word.
    Trouble {
        /// The processor's status.
        status: u16,
    },
}

/// A reply as its reader sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// The status.
    pub status: u16,
    /// The charge, where it names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charge: Option<String>,
    /// It is a replay, and says so.
    #[serde(default)]
    pub replayed: bool,
    /// When to come back, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_s: Option<u32>,
}

impl What {
    /// Who acts and, where something passes between two, who it is meant for.
    #[must_use]
    pub const fn between(&self) -> (Actor, Actor) {
        match self {
            Self::Sent { .. } | Self::Arrived | Self::Resent | Self::RequestLost => {
                (Actor::Client, Actor::Api)
            }
            Self::Claimed { .. } | Self::Saved { .. } | Self::Released { .. } => {
                (Actor::Api, Actor::Keys)
            }
            Self::Charged { .. } => (Actor::Api, Actor::Processor),
            Self::Replied(_) | Self::ReplyLost | Self::Received(_) | Self::Unheard(_) => {
                (Actor::Api, Actor::Client)
            }
            Self::Crashed => (Actor::Api, Actor::Api),
            Self::TimedOut { .. } | Self::Broke { .. } | Self::Waits { .. } | Self::GaveUp => {
                (Actor::Client, Actor::Client)
            }
        }
    }
}

/// A fact as the server tells it while it happens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveFact {
    /// Its number in the account's stream, so that a dropped stream resumes.
    pub id: u64,
    /// The request id of the attempt: the client's own where it sent one.
    pub request: String,
    /// When it took effect, by the server's clock, in ms since the Unix epoch.
    pub at: Ms,
    /// For a call: when it was made and when it was back, by the same clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<Call>,
    /// With the first fact of an attempt: what it asked for, so that a reader
    /// who did not send it can draw it. Absent when the request was not valid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Asked>,
    /// What happened. Only the facts that a server can know.
    pub what: What,
}

/// What an attempt asked for, as the server read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// The idempotency key, if it came with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// How much it wants to pay, in minor units.
    pub amount: u64,
    /// In which currency.
    pub currency: Currency,
}
