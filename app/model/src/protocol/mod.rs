//! The charge protocol as a state machine without I/O.
//!
//! An [`Attempt`] hands out one [`Command`] at a time and is fed its
//! [`Outcome`]. Whoever drives it does the work: the server with a real store,
//! the [world](crate::world) in virtual time. What a stored key means for a
//! request is decided in one place, [`admission`].

pub mod admission;
mod attempt;
mod design;
mod fingerprint;
mod key;
mod record;

pub use attempt::{
    Answer, Attempt, Claim, Command, Outcome, Paid, ProtocolError, Refusal, Reply, Trouble,
};
pub use design::{ClaimRule, Design, ExpiredRule, Keyless};
pub use fingerprint::Fingerprint;
pub use key::{IdempotencyKey, KeyError, LONGEST, ProcessorKey};
pub use record::{KeyState, Record, RecoveryPoint, Token};
