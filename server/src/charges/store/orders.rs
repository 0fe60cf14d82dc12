//! What becomes of an order and of a message, whichever database holds them.

use model::Ms;
use model::protocol::Fingerprint;
use sqlx::FromRow;

use super::StoreError;
use crate::lab::settings::{ConsumerRule, PatchRule, StatusRule};
use crate::orders::{Change, Changed, Message, Order, Status};

/// After how long a message that was not acknowledged comes again.
pub(super) const AGAIN_MS: Ms = 300;
/// The most messages that are shown.
pub(super) const SHOWN: u32 = 100;

#[derive(FromRow)]
pub(super) struct OrderRow {
    id: String,
    status: String,
    version: i64,
    total: i64,
    parcels: i64,
}

impl TryFrom<OrderRow> for Order {
    type Error = StoreError;

    fn try_from(row: OrderRow) -> Result<Self, StoreError> {
        Ok(Self {
            id: row.id,
            status: Status::ALL
                .into_iter()
                .find(|known| known.name() == row.status)
                .ok_or(StoreError::Corrupt("status"))?,
            version: row.version.unsigned_abs(),
            total: row.total,
            parcels: row.parcels.unsigned_abs(),
        })
    }
}

#[derive(FromRow)]
pub(super) struct MessageRow {
    number: i64,
    account: String,
    message: String,
    order_id: String,
    amount: i64,
    rule: String,
    lost_acks: i64,
    crash: bool,
    deliveries: i64,
    done: bool,
}

impl TryFrom<MessageRow> for Message {
    type Error = StoreError;

    fn try_from(row: MessageRow) -> Result<Self, StoreError> {
        let count = |count| u32::try_from(count).map_err(|_| StoreError::Corrupt("count"));
        Ok(Self {
            id: row.message,
            order: row.order_id,
            add: row.amount,
            deliveries: count(row.deliveries)?,
            done: row.done,
            lost_acks: count(row.lost_acks)?,
            crash_after_effect: row.crash,
            rule: match row.rule.as_str() {
                "same_transaction" => ConsumerRule::SameTransaction,
                "separate" => ConsumerRule::Separate,
                "blind" => ConsumerRule::Blind,
                _ => return Err(StoreError::Corrupt("rule")),
            },
            account: Some(row.account.into()),
            number: row.number,
        })
    }
}

pub(super) const fn rule_name(rule: ConsumerRule) -> &'static str {
    match rule {
        ConsumerRule::SameTransaction => "same_transaction",
        ConsumerRule::Separate => "separate",
        ConsumerRule::Blind => "blind",
    }
}

/// The account of a message that came from the store.
pub(super) fn owner(message: &Message) -> Result<&str, StoreError> {
    message
        .account
        .as_ref()
        .map(crate::id::AccountId::as_str)
        .ok_or(StoreError::Corrupt("message"))
}

/// What a message does to its order.
pub(super) fn carry_out(message: &Message, mut order: Order) -> Order {
    order.total = order.total.saturating_add(message.add);
    order.version += 1;
    order
}

/// What a change comes to.
pub(super) enum Applied {
    /// Nothing is to be written.
    Said(Changed),
    /// This is to be written.
    Order(Order),
}

/// The name of a change and what was said under it, where its rule looks at them.
pub(super) fn named(change: &Change) -> Option<(&str, &Fingerprint)> {
    match change {
        Change::Add {
            name: Some((name, fingerprint)),
            rule: PatchRule::IfMatch,
            ..
        } => Some((name, fingerprint)),
        _ => None,
    }
}

/// Applies a change to an order. `known` is the fingerprint that is noted under the
/// name of the change, if there is one.
pub(super) fn apply(change: &Change, mut order: Order, known: Option<&[u8]>) -> Applied {
    // The name before the version: whoever reads the new version and sends the same
    // change again must not have it twice.
    if let (Some((_, fingerprint)), Some(known)) = (named(change), known) {
        return Applied::Said(if known == fingerprint.as_bytes() {
            Changed::Already(order)
        } else {
            Changed::Reused
        });
    }
    match change {
        Change::Status { to, rule } => {
            let next = match rule {
                StatusRule::Set => *to,
                StatusRule::Step => order.status.next(),
            };
            if next == order.status {
                return Applied::Said(Changed::Done(order));
            }
            order.parcels += u64::from(next == Status::Shipped);
            order.status = next;
        }
        Change::Add {
            amount,
            version,
            rule,
            ..
        } => {
            if *rule == PatchRule::IfMatch && *version != Some(order.version) {
                return Applied::Said(Changed::Conflict(order));
            }
            order.total = order.total.saturating_add(*amount);
        }
    }
    order.version += 1;
    Applied::Order(order)
}
