//! Which outcomes are worth another attempt.

use crate::Ms;

/// What a client heard of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Heard {
    /// Nothing in time, or the connection broke. The outcome is unknown.
    Nothing,
    /// An answer.
    Status {
        /// The status.
        status: u16,
        /// Retry-After, in ms, where there was a valid one.
        retry_after_ms: Option<Ms>,
    },
}

/// What to do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Advice {
    /// It is settled: 2xx, and 402, which is an answer about the card.
    Settled,
    /// Try again, no sooner than this.
    Retry {
        /// What the server asked for, in ms.
        not_before_ms: Option<Ms>,
    },
    /// Trying again cannot help: the request itself is at fault.
    Stop,
}

/// Sorts what was heard.
///
/// Worth retrying: no answer, 408, 429, 500, 502, 503, 504, and 409, which this
/// service gives while an earlier attempt is still running. Everything else in
/// the 4xx would fail the same way again.
#[must_use]
pub const fn advice(heard: Heard) -> Advice {
    match heard {
        Heard::Nothing => Advice::Retry {
            not_before_ms: None,
        },
        Heard::Status {
            status,
            retry_after_ms,
        } => match status {
            200..=299 | 402 => Advice::Settled,
            408 | 409 | 429 | 500 | 502 | 503 | 504 => Advice::Retry {
                not_before_ms: retry_after_ms,
            },
            _ => Advice::Stop,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_status_is_sorted() {
        let of = |status| {
            advice(Heard::Status {
                status,
                retry_after_ms: Some(1000),
            })
        };
        for status in [200, 201, 204, 402] {
            assert_eq!(of(status), Advice::Settled, "{status}");
        }
        for status in [408, 409, 429, 500, 502, 503, 504] {
            assert_eq!(
                of(status),
                Advice::Retry {
                    not_before_ms: Some(1000)
                },
                "{status}"
            );
        }
        for status in [301, 400, 401, 403, 404, 410, 413, 415, 422, 501] {
            assert_eq!(of(status), Advice::Stop, "{status}");
        }
        assert_eq!(
            advice(Heard::Nothing),
            Advice::Retry {
                not_before_ms: None
            }
        );
    }
}
