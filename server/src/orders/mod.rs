//! Other ways to make work safe: a status that is set rather than advanced, a
//! change that names the version it is for, and a queue whose consumer notes what
//! it has done in the transaction that does it.

pub(crate) mod api;
pub(crate) mod consumer;

use async_trait::async_trait;
use model::protocol::Fingerprint;
use serde::{Deserialize, Serialize};

use crate::charges::store::StoreError;
use crate::id::AccountId;
use crate::lab::settings::{ConsumerRule, PatchRule, StatusRule};

/// How far an order has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Nothing happened yet.
    New,
    /// It is paid.
    Paid,
    /// It is sent off.
    Shipped,
    /// It arrived.
    Delivered,
}

impl Status {
    /// All of them, in order.
    pub const ALL: [Self; 4] = [Self::New, Self::Paid, Self::Shipped, Self::Delivered];

    /// Its name, on the wire and in the store.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Paid => "paid",
            Self::Shipped => "shipped",
            Self::Delivered => "delivered",
        }
    }

    /// The one after it. The last stays.
    #[must_use]
    pub const fn next(self) -> Self {
        match self {
            Self::New => Self::Paid,
            Self::Paid => Self::Shipped,
            Self::Shipped | Self::Delivered => Self::Delivered,
        }
    }
}

/// An order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Order {
    /// The client's name for it.
    pub id: String,
    /// How far it has come.
    pub status: Status,
    /// Rises with each change.
    pub version: u64,
    /// In minor units.
    pub total: i64,
    /// How often something was sent off.
    pub parcels: u64,
}

/// What is to be done to an order. One that is not there is new.
#[derive(Clone, Debug)]
pub enum Change {
    /// Bring it to a status.
    Status {
        /// Which.
        to: Status,
        /// Set it, or go one further.
        rule: StatusRule,
    },
    /// Add to its total.
    Add {
        /// How much, in minor units.
        amount: i64,
        /// The version that it is meant for.
        version: Option<u64>,
        /// The client's name for the change, and what it said under it.
        name: Option<(String, Fingerprint)>,
        /// Compare the version, or not.
        rule: PatchRule,
    },
}

/// What came of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changed {
    /// It is done, or there was nothing to do.
    Done(Order),
    /// This very change was applied before: the order as it is now.
    Already(Order),
    /// The order has another version: somebody else's change came first.
    Conflict(Order),
    /// Its name belongs to another change.
    Reused,
}

/// A message of the queue.
#[derive(Clone, Debug, Serialize)]
pub struct Message {
    /// The sender's name for it. The same message may be sent twice.
    pub id: String,
    /// The order that it is about.
    pub order: String,
    /// What is to be added to its total, in minor units.
    pub add: i64,
    /// How often it was delivered.
    pub deliveries: u32,
    /// It was acknowledged.
    pub done: bool,
    /// The first deliveries whose acknowledgement gets lost.
    pub lost_acks: u32,
    /// In the first delivery the consumer dies after the effect.
    pub crash_after_effect: bool,
    /// How the consumer knows what it has done.
    #[serde(skip)]
    pub rule: ConsumerRule,
    /// Whose it is.
    #[serde(skip)]
    pub account: Option<AccountId>,
    /// Its place in the queue.
    #[serde(skip)]
    pub number: i64,
}

/// Where orders and messages are kept.
#[async_trait]
pub trait Orders: Send + Sync + 'static {
    /// One order.
    async fn order(&self, account: &AccountId, id: &str) -> Result<Option<Order>, StoreError>;
    /// Changes an order, in one transaction.
    async fn change_order(
        &self,
        account: AccountId,
        id: String,
        change: Change,
    ) -> Result<Changed, StoreError>;
    /// Puts a message into the queue.
    async fn publish(&self, account: AccountId, message: Message) -> Result<(), StoreError>;
    /// The last messages of an account, newest first.
    async fn messages(&self, account: &AccountId) -> Result<Vec<Message>, StoreError>;
    /// Some message waits to be delivered.
    async fn due(&self) -> Result<bool, StoreError>;
    /// Hands out the next message. It comes again unless it is acknowledged in time.
    async fn deliver(&self) -> Result<Option<Message>, StoreError>;
    /// Carries a message out, as far as its rule has it in one transaction. False
    /// when it was carried out before.
    async fn consume(&self, message: Message) -> Result<bool, StoreError>;
    /// Notes that a message was carried out. For the rule that does it afterwards.
    async fn note_consumed(&self, message: Message) -> Result<(), StoreError>;
    /// Acknowledges a message.
    async fn acknowledge(&self, message: Message) -> Result<(), StoreError>;
}
