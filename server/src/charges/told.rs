//! What the store and the processor said, in the words of the trace and the log.

use model::Ms;
use model::protocol::{Claim, Outcome, Refusal, Token};
use model::world::{Found, Said};

use super::processor::Verdict;
use super::store::{Claimed, Taken};

/// What a claim found, in one word for the log and as a fact. `None` for what a
/// claim cannot come to.
pub(super) fn found(claimed: &Claimed, lease_ms: Option<Ms>) -> Option<(&'static str, Found)> {
    Some(match &claimed.outcome {
        Outcome::Claimed(Claim {
            token: Token(token),
            ..
        }) if claimed.takeover => (
            "takeover",
            Found::TakenOver {
                lease_ms,
                token: *token,
            },
        ),
        Outcome::Claimed(Claim {
            token: Token(token),
            ..
        }) => (
            "created",
            Found::New {
                lease_ms,
                token: *token,
            },
        ),
        Outcome::Known(answer) => (
            "replayed",
            Found::Done {
                status: answer.status(),
                charge: answer.charge.to_string(),
            },
        ),
        Outcome::Refused(Refusal::Reused) => ("mismatch", Found::Reused),
        Outcome::Refused(Refusal::Expired) => ("expired", Found::Expired),
        Outcome::Refused(Refusal::InProgress { retry_after_s }) => (
            "in_progress",
            Found::InProgress {
                retry_after_s: *retry_after_s,
            },
        ),
        _ => return None,
    })
}

/// What the processor said.
pub(super) fn said(verdict: &Verdict) -> Said {
    match verdict {
        Verdict::Final(Taken {
            entry,
            repeated: false,
        }) => Said::Final {
            paid: entry.paid,
            charge: entry.id.to_string(),
        },
        Verdict::Final(Taken {
            entry,
            repeated: true,
        }) => Said::Repeated {
            paid: entry.paid,
            charge: entry.id.to_string(),
        },
        Verdict::Trouble(trouble) => Said::Trouble {
            status: trouble.processor_status,
        },
    }
}
