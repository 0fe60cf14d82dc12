//! The pure part of Charge Once: the charge protocol, a world that drives it in
//! virtual time, the retry policy, and the traces that the pages draw.
//!
//! Nothing in here reads a clock, does I/O, draws a picture or asks the operating
//! system for randomness. Time is a number that is passed in ([`Ms`]) and
//! randomness is a seeded generator that is passed in, so that the same input
//! gives the same bits on a server and in a browser.

pub mod fault;
pub mod learn;
pub mod money;
pub mod outage;
pub mod protocol;
pub mod retry;
pub mod stakes;
pub mod world;

/// A point in time or a length of time, in milliseconds.
///
/// In a world it counts from the first move; on the server it counts from the
/// Unix epoch, by the store's clock.
pub type Ms = u64;
