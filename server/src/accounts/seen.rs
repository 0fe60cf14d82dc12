//! Which sandboxes were used since the last time somebody asked.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use crate::id::AccountId;

/// Collects them in memory: writing it down with each request would double the writes.
#[derive(Debug, Default)]
pub struct Seen(Mutex<HashSet<AccountId>>);

impl Seen {
    /// This one was used.
    pub fn note(&self, account: &AccountId) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !seen.contains(account) {
            seen.insert(account.clone());
        }
    }

    /// All that were used since the last call.
    #[must_use]
    pub fn take(&self) -> Vec<AccountId> {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.drain().collect()
    }
}
