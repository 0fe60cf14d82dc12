//! Which failures to try again: cases for a learner to sort, and why each belongs
//! where it does. The verdict itself is [`advice`]'s.

use super::{Advice, Heard, advice};

/// Where a case belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Try again, with the same key.
    Again,
    /// It is an answer: stop, there is nothing to try again.
    Settled,
    /// Trying again would fail the same way.
    Never,
}

/// Something that an attempt can come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// Its name in addresses and forms.
    pub id: &'static str,
    /// What the client sees.
    pub seen: &'static str,
    /// What it heard, in the model's terms.
    pub heard: Heard,
    /// Why it belongs where it does.
    pub why: &'static str,
}

impl Case {
    /// Where it belongs.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        match advice(self.heard) {
            Advice::Retry { .. } => Verdict::Again,
            Advice::Settled => Verdict::Settled,
            Advice::Stop => Verdict::Never,
        }
    }

    const fn status(id: &'static str, status: u16, seen: &'static str, why: &'static str) -> Self {
        Self {
            id,
            seen,
            heard: Heard::Status {
                status,
                retry_after_ms: None,
            },
            why,
        }
    }

    const fn silence(id: &'static str, seen: &'static str, why: &'static str) -> Self {
        Self {
            id,
            seen,
            heard: Heard::Nothing,
            why,
        }
    }
}

/// The cases, mixed so that neighbours differ.
pub const CASES: [Case; 18] = [
    Case::silence(
        "timeout",
        "Nothing within the time-out",
        "The payment may have been made or not. Only another attempt with the same key finds out \
         without charging twice.",
    ),
    Case::status(
        "400",
        400,
        "400 Bad Request",
        "The service cannot read this request, and the next attempt sends the same bytes.",
    ),
    Case::status(
        "503",
        503,
        "503 Service Unavailable",
        "The service says that it passes. Wait, and no less than Retry-After says.",
    ),
    Case::status(
        "402",
        402,
        "402 Payment Required: the card was declined",
        "That is the card's answer, and it is final. A retry with the same key gets it again; a \
         new key would be a new payment.",
    ),
    Case::silence(
        "reset",
        "The connection broke while waiting",
        "As with a time-out: whatever the service did, the reply is lost.",
    ),
    Case::status(
        "401",
        401,
        "401 Unauthorized",
        "The credentials are wrong, and they will be wrong again. Get new ones first.",
    ),
    Case::status(
        "409",
        409,
        "409 Conflict: this key is in progress",
        "An earlier attempt is still at work. Come back later, with the same key, for its result.",
    ),
    Case::status(
        "422",
        422,
        "422: this key was used for another request",
        "Key and payment do not belong together. That is a bug in the client, and trying again \
         repeats it.",
    ),
    Case::status(
        "500",
        500,
        "500 Internal Server Error",
        "Something broke, and nobody knows before or after the charge. The key makes it safe to \
         ask again.",
    ),
    Case::status(
        "201",
        201,
        "201 Created, marked as a replay",
        "A replay is a success: an earlier attempt did the work, and this is its answer.",
    ),
    Case::status(
        "429",
        429,
        "429 Too Many Requests",
        "It was refused for now, not for what it is. Wait at least as long as Retry-After says.",
    ),
    Case::status(
        "404",
        404,
        "404 Not Found",
        "There is nothing at this address, however often it is asked.",
    ),
    Case::status(
        "502",
        502,
        "502 Bad Gateway",
        "A proxy got no proper answer from the service. The service may have done the work.",
    ),
    Case::status(
        "410",
        410,
        "410 Gone: this key's retention is over",
        "The record of this key is forgotten, so the service cannot tell a retry from a new \
         payment. A person has to look.",
    ),
    Case::status(
        "504",
        504,
        "504 Gateway Time-out",
        "A time-out further inside. The work may be done, as with the client's own time-out.",
    ),
    Case::status(
        "413",
        413,
        "413 Content Too Large",
        "The same body is too large again.",
    ),
    Case::status(
        "408",
        408,
        "408 Request Time-out",
        "The service did not get the whole request in time, so it has not acted on it.",
    ),
    Case::status(
        "501",
        501,
        "501 Not Implemented",
        "A 5xx, but one that says what the service cannot do at all.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_has_the_verdict_of_the_client() {
        let of = |verdict| {
            CASES
                .iter()
                .filter(|case| case.verdict() == verdict)
                .map(|case| case.id)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            of(Verdict::Again),
            [
                "timeout", "503", "reset", "409", "500", "429", "502", "504", "408"
            ]
        );
        assert_eq!(of(Verdict::Settled), ["402", "201"]);
        assert_eq!(
            of(Verdict::Never),
            ["400", "401", "422", "404", "410", "413", "501"]
        );
    }

    #[test]
    fn each_case_is_told_apart_and_explained() {
        let mut ids: Vec<_> = CASES.iter().map(|case| case.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), CASES.len());
        for case in CASES {
            assert!(
                case.why.ends_with('.') && !case.why.contains("  "),
                "{}",
                case.id
            );
            if let Heard::Status { status, .. } = case.heard {
                assert!(case.seen.starts_with(&status.to_string()), "{}", case.id);
            }
        }
    }
}
