//! The protocol in virtual time, with faults, and the traces that it leaves.

mod fact;

pub use fact::{Actor, Answered, Call, Fact, Found, LiveFact, Said, What};
