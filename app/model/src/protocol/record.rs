//! What is stored under a key.

use super::Answer;
use crate::Ms;
use serde::{Deserialize, Serialize};

/// A fencing token: raised by each takeover, compared by each write.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub struct Token(pub u32);

impl Token {
    /// The token of a first claim.
    pub const FIRST: Self = Self(1);

    /// The token of whoever takes over from the owner of this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// How far the work had come when it was last recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecoveryPoint {
    /// The key is claimed; whether the processor was asked is not known.
    #[default]
    Claimed,
    /// The processor was asked and gave no final answer.
    Asked,
}

/// The state of a key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum KeyState<C> {
    /// Somebody is at work.
    Running {
        /// Until when the claim holds, or `None` in a design without leases.
        lease_until: Option<Ms>,
        /// From where a takeover carries on.
        point: RecoveryPoint,
    },
    /// The last attempt ended without a final answer; the next one carries on.
    Released {
        /// From where it carries on.
        point: RecoveryPoint,
    },
    /// There is a final answer.
    Done(Answer<C>),
    /// Only the fact that the key was used is kept.
    Tombstone,
}

/// The record of a key. `F` is a fingerprint, `C` names a charge; both are
/// parameters so that the world can use small numbers where the server uses
/// hashes and texts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Record<F, C> {
    /// The request that the key was first used for.
    pub fingerprint: F,
    /// The token of the last owner.
    pub token: Token,
    /// When the last owner claimed it.
    pub claimed_at: Ms,
    /// When retention is over. From then on the key answers 410.
    pub expires_at: Ms,
    /// What is known of the work.
    pub state: KeyState<C>,
}
