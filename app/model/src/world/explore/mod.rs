//! Every interleaving of clients, crashes, lost messages, slow owners and ends of
//! leases, breadth first, over the protocol's own code.
//!
//! A [`Search`] looks at every state that some [`Rules`](super::Rules) and a
//! [`Budget`](super::Budget) of trouble allow, for one in which a [`Property`] does
//! not hold. It comes to a [`Verdict`]: everything holds in so many states; a
//! shortest [`Counterexample`], as moves and as a [`Trace`](super::Trace) that the
//! player shows; or not finished, at a bound. It runs in slices
//! ([`Search::step`]), knows no clock, and comes to the same on every machine.
//!
//! # What guards what
//!
//! Over all 32 combinations of five mechanisms, with one key for all attempts
//! (asserted in `tests/table.rs`, with the shortest lengths):
//!
//! - [`OneCharge`](Property::OneCharge) fails exactly when the processor takes no
//!   key *and* either the key is looked up before it is inserted or leases can run
//!   out. A lease that ends says nothing about the charge that its owner made: only
//!   the processor's key makes a takeover safe.
//! - [`NeverStuck`](Property::NeverStuck) fails exactly when there are no leases.
//! - [`SavedAnswer`](Property::SavedAnswer) fails when the key is looked up before
//!   it is inserted, and when leases can run out under a living owner (no
//!   heartbeat) whose writes nothing refuses (no fencing). Its shortest way there:
//!   the processor fails one attempt, a second takes over and answers, and the first
//!   gives the key back and with it the saved answer. **This is what fencing is
//!   for. It changes nothing about the number of charges.**
//! - [`OwnAnswer`](Property::OwnAnswer) fails where `OneCharge` does: a declined
//!   retry of a payment that was made tells its client that it was not.
//! - [`NobodyElses`](Property::NobodyElses) is guarded by none of the five but by
//!   the fingerprint and by keys that belong to their account.
//! - [`Agreement`](Property::Agreement) fails where `OneCharge` or `SavedAnswer` does.
//!
//! Heartbeat alone and fencing alone break nothing here: the heartbeat of this world
//! is never late while its process lives, and each makes up for the other. A real
//! process can be paused, which is this world's slow owner, so both belong to the
//! design.
//!
//! # How
//!
//! A state is 128 bits. What the attempts share (records and ledger), an attempt's
//! place and a client's standing are numbered as they are met, and what a move does
//! to such numbers is found by making it with [`State::apply`](super::State::apply)
//! in a small state, once for each pair: no rule of the protocol is written down a
//! second time. The canonical form (`canon.rs`) leaves out what cannot matter; the
//! tests compare it with a search over plain states.
//!
//! "Never stuck" is about futures in which nothing more goes wrong and those whose
//! attempts are used up try again. The search follows one such future; the tests
//! compare that with all of them.
//!
//! # Sources
//!
//! Breadth-first checking of states with a canonical form is as in *Ip and Dill,
//! Better verification through symmetry* (1996); fencing tokens and what they are
//! for as in *Kleppmann, How to do distributed locking* (2016). The tests run
//! [stateright](https://docs.rs/stateright) beside it.

mod canon;
mod index;
mod lives;
mod packed;
mod property;
mod search;
mod table;
mod tell;
mod weakened;

pub use property::{Properties, Property};
pub use search::{Counterexample, DEFAULT_BOUND, Progress, Search, TooLarge, Verdict};
pub use tell::{STEP_MS, tell};
pub use weakened::Weakened;

#[cfg(test)]
mod tests;
