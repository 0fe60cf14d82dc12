//! Retry-After: reading it and what is done about it.

use crate::Ms;
use std::time::UNIX_EPOCH;

/// What a client does when a reply says when to come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RetryAfter {
    /// It takes no notice.
    Ignore,
    /// It waits at least that long: the drawn wait or Retry-After, whichever is
    /// longer. Where that is more than `most_ms`, or would end after the deadline,
    /// it gives up: coming back sooner than asked would only be refused again.
    Honour {
        /// The longest that it is willing to be sent away for, in ms.
        most_ms: Ms,
    },
}

impl RetryAfter {
    /// Honoured up to a minute.
    pub const DEFAULT: Self = Self::Honour { most_ms: 60_000 };
}

/// Reads the value of a Retry-After header (RFC 9110, 10.2.3): whole seconds, or
/// an HTTP-date, which is compared with `now_ms` since the Unix epoch and is 0 when
/// it has passed. Anything else, "-3", "1.5" or words for instance, is no value and
/// to be ignored.
#[must_use]
pub fn retry_after_ms(value: &str, now_ms: Ms) -> Option<Ms> {
    let value = value.trim_matches([' ', '\t']);
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // More digits than fit are a very long time all the same.
        let seconds: Ms = value.parse().unwrap_or(Ms::MAX);
        return Some(seconds.saturating_mul(1000));
    }
    let date = httpdate::parse_http_date(value).ok()?;
    // A date before 1970 has passed for certain.
    let at_ms = date.duration_since(UNIX_EPOCH).map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(Ms::MAX)
    });
    Some(at_ms.saturating_sub(now_ms))
}
