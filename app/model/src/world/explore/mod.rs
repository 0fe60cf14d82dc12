//! Every interleaving of clients, crashes, lost messages, slow owners and ends of
//! leases, breadth first, over the protocol's own code.

mod canon;
mod packed;
mod property;
mod search;
mod table;
mod tell;

pub use property::{Properties, Property};
pub use search::{Counterexample, DEFAULT_BOUND, Progress, Search, TooLarge, Verdict};
pub use tell::{STEP_MS, tell};

#[cfg(test)]
mod tests;
