//! Charges: from the request on the wire to the money in the ledger.

pub mod api;
pub mod body;
pub mod driver;
mod grace;
mod heartbeat;
pub mod key_header;
pub mod order;
pub mod prefer;
pub mod processor;
pub mod receive;
pub mod reply;
pub mod scoped_key;
pub mod settled;
pub mod store;
pub mod submit;
pub(crate) mod sweeper;
mod told;
pub mod wish;
