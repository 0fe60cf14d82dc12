//! Charges: from the request on the wire to the money in the ledger.

pub mod api;
pub mod body;
pub mod driver;
mod heartbeat;
pub mod key_header;
pub mod order;
pub mod prefer;
pub mod processor;
pub mod receive;
pub mod reply;
pub mod settled;
pub mod store;
pub mod submit;
mod told;
