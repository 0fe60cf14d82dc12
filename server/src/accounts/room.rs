//! How much one sandbox may store.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::charges::store::{Store, StoreError};
use crate::id::AccountId;

/// How long a count is trusted at most before the store is asked again.
const FRESH: Duration = Duration::from_secs(3600);
/// How often the store is asked at most as long as there is room, and also when there
/// is none.
const SELDOM: Duration = Duration::from_secs(1);
/// After how long without use a count is forgotten.
const UNUSED: Duration = Duration::from_secs(600);
/// The part of what is free that may be used up before the store is asked again: that
/// many servers can use it up together.
const SERVERS: u64 = 4;

/// Estimates how many records each sandbox has.
///
/// Counting rows takes the longer the more there are, so it is seldom done: each attempt
/// counts as one record, until a good part of the room is used up that there was. The
/// store is always asked before anybody is refused. Attempts that run on other servers
/// are seen late: the limit is exact for one server and nearly so for several.
#[derive(Debug)]
pub struct Room {
    most: u64,
    sandboxes: Mutex<HashMap<AccountId, Arc<Sandbox>>>,
}

#[derive(Debug, Default)]
struct Sandbox {
    count: Mutex<Option<Count>>,
    /// Held by the one who asks the store. The others wait for the answer.
    asking: tokio::sync::Mutex<()>,
}

#[derive(Clone, Copy, Debug)]
struct Count {
    /// What the store said.
    read: u64,
    /// Attempts since then.
    added: u64,
    read_at: Instant,
    used_at: Instant,
}

/// What can be said without the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Room,
    Full,
    Unknown,
}

impl Count {
    /// What this count says at some time, when there may be so many.
    fn says(&self, most: u64, now: Instant) -> Known {
        let age = now.saturating_duration_since(self.read_at);
        if self.read >= most {
            return if age < SELDOM {
                Known::Full
            } else {
                Known::Unknown
            };
        }
        let free = most - self.read;
        let is_due = age >= FRESH || (self.added > free / SERVERS && age >= SELDOM);
        if self.added < free && !is_due {
            Known::Room
        } else {
            Known::Unknown
        }
    }
}

impl Sandbox {
    /// Takes room for one record where that can be said without the store.
    fn take(&self, most: u64) -> Known {
        let now = Instant::now();
        match lock(&self.count).as_mut() {
            None => Known::Unknown,
            Some(count) => {
                let known = count.says(most, now);
                count.used_at = now;
                if known == Known::Room {
                    count.added += 1;
                }
                known
            }
        }
    }
}

impl Room {
    /// So many keys, and so many charges, for one sandbox.
    #[must_use]
    pub fn new(most: u64) -> Self {
        Self {
            most,
            sandboxes: Mutex::default(),
        }
    }

    /// Takes room for one record, if there is some.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot count.
    pub async fn take(&self, store: &dyn Store, account: &AccountId) -> Result<bool, StoreError> {
        let sandbox = lock(&self.sandboxes)
            .entry(account.clone())
            .or_default()
            .clone();
        match sandbox.take(self.most) {
            Known::Room => return Ok(true),
            Known::Full => return Ok(false),
            Known::Unknown => {}
        }
        let _asking = sandbox.asking.lock().await;
        // Somebody else may have asked meanwhile.
        match sandbox.take(self.most) {
            Known::Room => return Ok(true),
            Known::Full => return Ok(false),
            Known::Unknown => {}
        }
        let read = store.records(account).await?;
        let now = Instant::now();
        *lock(&sandbox.count) = Some(Count {
            read,
            added: 1,
            read_at: now,
            used_at: now,
        });
        Ok(read < self.most)
    }

    /// Forgets a sandbox: it was emptied.
    pub fn forget(&self, account: &AccountId) {
        lock(&self.sandboxes).remove(account);
    }

    /// Forgets the counts that nobody has used for long.
    pub fn tidy(&self) {
        lock(&self.sandboxes).retain(|_, sandbox| {
            let used = lock(&sandbox.count).map(|count| count.used_at);
            used.is_some_and(|at| at.elapsed() < UNUSED) || Arc::strong_count(sandbox) > 1
        });
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: u64 = 100;

    fn count(read: u64, added: u64, age: Duration) -> (Count, Instant) {
        let read_at = Instant::now();
        let count = Count {
            read,
            added,
            read_at,
            used_at: read_at,
        };
        (count, read_at + age)
    }

    #[test]
    fn the_store_is_asked_when_a_good_part_of_the_room_is_used_up() {
        let minute = Duration::from_secs(60);
        for (read, added, age, known) in [
            // However many there are: what matters is what is free.
            (0, 1, minute, Known::Room),
            (0, 25, minute, Known::Room),
            (0, 26, minute, Known::Unknown),
            (60, 10, minute, Known::Room),
            (60, 11, minute, Known::Unknown),
            // Not more often than once a second, as long as there is room for sure.
            (0, 99, SELDOM / 2, Known::Room),
            (0, 1, FRESH, Known::Unknown),
            // Nobody is refused by a guess.
            (0, 100, SELDOM / 2, Known::Unknown),
            (99, 1, SELDOM / 2, Known::Unknown),
            (100, 1, SELDOM / 2, Known::Full),
            (100, 1, SELDOM, Known::Unknown),
        ] {
            let (count, now) = count(read, added, age);
            assert_eq!(count.says(MOST, now), known, "{read} {added} {age:?}");
        }
    }

    #[test]
    fn a_large_sandbox_is_counted_as_seldom_as_a_small_one() {
        let (mut count, now) = count(10_000_000, 1, Duration::from_secs(60));
        let most = 20_000_000;
        for _ in 0..1_000_000 {
            assert_eq!(count.says(most, now), Known::Room);
            count.added += 1;
        }
    }
}
