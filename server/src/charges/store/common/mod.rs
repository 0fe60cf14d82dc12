//! The statements that SQLite and PostgreSQL understand in the same words.

mod accounts;
mod books;
mod orders;
mod records;

/// Writes them down as functions over the pool and the connection of one database.
/// `$intents_by` is what the order of insertion is read from in `intents`.
macro_rules! common {
    ($pool:ty, $connection:ty, intents_by = $intents_by:literal) => {
        use model::fault::Fault;
        use sqlx::{query, query_as, query_scalar};

        use crate::charges::store::orders::{self, Applied, MessageRow, OrderRow};
        use crate::charges::store::rows::{
            self, ChargeRow, EntryRow, IntentRow, ListedRow, RefundRow, int,
        };
        use crate::charges::store::{
            ChangeSettings, Charge, Entry, Intent, KeyRow, Made, Refund, ReleaseKey, StoreError,
        };
        use crate::id::AccountId;
        use crate::lab::settings::{Changes, ConsumerRule};
        use crate::orders::{Change, Changed, Message, Order};

        crate::charges::store::common::accounts!($pool, $connection);
        crate::charges::store::common::records!($pool, $connection, intents_by = $intents_by);
        crate::charges::store::common::books!($pool, $connection);
        crate::charges::store::common::orders!($pool, $connection);
    };
}

pub(super) use accounts::accounts;
pub(super) use books::books;
pub(super) use common;
pub(super) use orders::orders;
pub(super) use records::records;
