//! Wakes those who wait for somebody else's answer.

use std::hash::{BuildHasher, RandomState};

use tokio::sync::Notify;
use tokio::sync::futures::Notified;

use crate::id::AccountId;

/// Bells. Many keys share one: who is woken looks whether it was for him.
const BELLS: usize = 64;

/// Rings when an attempt saves an answer or gives its key back: one of this server's,
/// or of another server's that is heard of over the bus.
#[derive(Debug)]
pub struct Settled {
    hasher: RandomState,
    bells: [Notify; BELLS],
}

impl Default for Settled {
    fn default() -> Self {
        Self {
            hasher: RandomState::new(),
            bells: std::array::from_fn(|_| Notify::new()),
        }
    }
}

impl Settled {
    /// Wakes all who wait for this key: the client's own, without its scope.
    pub fn ring(&self, account: &AccountId, key: &str) {
        self.bell(account, key).notify_waiters();
    }

    /// Resolves at the next ring for this key. It counts from when it is enabled.
    pub fn next(&self, account: &AccountId, key: &str) -> Notified<'_> {
        self.bell(account, key).notified()
    }

    fn bell(&self, account: &AccountId, key: &str) -> &Notify {
        let at = self.hasher.hash_one((account.as_str(), key)) % BELLS as u64;
        // The remainder is always in range.
        self.bells.get(at as usize).unwrap_or(&self.bells[0])
    }
}
