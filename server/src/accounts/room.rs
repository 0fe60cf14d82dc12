//! How much one sandbox may store.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::charges::store::{Store, StoreError};
use crate::id::AccountId;

/// How long a count is trusted before the store is asked again.
const FRESH: Duration = Duration::from_secs(10);
/// The same for a sandbox that was found full.
const FULL: Duration = Duration::from_secs(1);

/// Estimates how many records each sandbox has.
///
/// Counting rows for each new key would cost more than the key. So each attempt
/// counts as one record until the store is asked again, and it is asked before
/// anybody is refused. Attempts that run on other servers are seen late: the
/// limit is exact for one server and nearly so for several.
#[derive(Debug)]
pub struct Room {
    most: u64,
    counts: Mutex<HashMap<AccountId, Count>>,
}

#[derive(Clone, Copy, Debug)]
struct Count {
    records: u64,
    read_at: Instant,
    full: bool,
}

impl Room {
    /// So many keys, and so many charges, for one sandbox.
    #[must_use]
    pub fn new(most: u64) -> Self {
        Self {
            most,
            counts: Mutex::default(),
        }
    }

    /// Takes room for one record, if there is some.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot count.
    pub async fn take(&self, store: &dyn Store, account: &AccountId) -> Result<bool, StoreError> {
        if let Some(count) = self.lock().get_mut(account) {
            let age = count.read_at.elapsed();
            if count.full && age < FULL {
                return Ok(false);
            }
            if count.records < self.most && age < FRESH {
                count.records += 1;
                return Ok(true);
            }
        }
        let records = store.records(account).await?;
        let full = records >= self.most;
        let count = Count {
            records: records.saturating_add(1),
            read_at: Instant::now(),
            full,
        };
        self.lock().insert(account.clone(), count);
        Ok(!full)
    }

    /// Forgets a sandbox: it was emptied.
    pub fn forget(&self, account: &AccountId) {
        self.lock().remove(account);
    }

    /// Forgets the counts that nobody trusts any more.
    pub fn tidy(&self) {
        self.lock()
            .retain(|_, count| count.read_at.elapsed() < FRESH);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AccountId, Count>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
