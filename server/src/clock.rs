//! The server's own clock.

use std::time::{SystemTime, UNIX_EPOCH};

use model::Ms;

/// Now, in ms since the Unix epoch. Nothing is judged by it directly: leases and
/// retention go by the store's clock, which adds what a sandbox moved its clock by.
#[must_use]
pub fn now() -> Ms {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| {
            Ms::try_from(since.as_millis()).unwrap_or(Ms::MAX)
        })
}
