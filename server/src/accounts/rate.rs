//! Who may make a sandbox: so many a minute for one address, so many in all.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const MINUTE: Duration = Duration::from_secs(60);
/// Addresses that are kept in mind before the old ones are dropped.
const ADDRESSES: usize = 10_000;

/// Counts sandboxes.
#[derive(Debug)]
pub struct Sandboxes {
    a_minute: u32,
    in_all: u32,
    made: AtomicU32,
    windows: Mutex<HashMap<IpAddr, (Instant, u32)>>,
}

/// Why no sandbox can be made now.
#[derive(Debug, PartialEq, Eq)]
pub enum Full {
    /// This address made too many.
    Rate {
        /// When to come back, in seconds.
        retry_after_s: u32,
    },
    /// There are too many.
    All,
}

impl Sandboxes {
    /// Limits for one address in a minute and for all, and how many there are.
    #[must_use]
    pub fn new(a_minute: u32, in_all: u32, made: u32) -> Self {
        Self {
            a_minute,
            in_all,
            made: made.into(),
            windows: Mutex::default(),
        }
    }

    /// There are so many: other servers make and delete some as well. Those that are
    /// just being made here may be missing until the next count.
    pub fn recount(&self, count: u32) {
        self.made.store(count, Ordering::Relaxed);
    }

    /// Counts one more sandbox for this address.
    ///
    /// # Errors
    /// [`Full`] when a limit is reached. Nothing is counted then.
    pub fn admit(&self, address: IpAddr, now: Instant) -> Result<(), Full> {
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        if windows.len() >= ADDRESSES {
            windows.retain(|_, (since, _)| now.duration_since(*since) < MINUTE);
        }
        let (since, count) = windows.entry(address).or_insert((now, 0));
        if now.duration_since(*since) >= MINUTE {
            (*since, *count) = (now, 0);
        }
        if *count >= self.a_minute {
            let left = MINUTE.saturating_sub(now.duration_since(*since));
            let retry_after_s = u32::try_from(left.as_secs()).unwrap_or(60).max(1);
            return Err(Full::Rate { retry_after_s });
        }
        // Only ever under the lock, so the two steps are one.
        if self.made.load(Ordering::Relaxed) >= self.in_all {
            return Err(Full::All);
        }
        self.made.fetch_add(1, Ordering::Relaxed);
        *count += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_so_many_a_minute_and_all_have_an_end() {
        let sandboxes = Sandboxes::new(2, 5, 1);
        let (one, two) = (IpAddr::from([127, 0, 0, 1]), IpAddr::from([127, 0, 0, 2]));
        let start = Instant::now();
        assert_eq!(sandboxes.admit(one, start), Ok(()));
        assert_eq!(sandboxes.admit(one, start), Ok(()));
        let later = start + Duration::from_secs(20);
        assert_eq!(
            sandboxes.admit(one, later),
            Err(Full::Rate { retry_after_s: 40 })
        );
        assert_eq!(sandboxes.admit(two, later), Ok(()));
        let later = start + MINUTE;
        assert_eq!(sandboxes.admit(one, later), Ok(()));
        assert_eq!(sandboxes.admit(one, later), Err(Full::All));
        sandboxes.recount(4);
        assert_eq!(sandboxes.admit(one, later), Ok(()));
        assert_eq!(sandboxes.admit(two, later), Err(Full::All));
    }
}
