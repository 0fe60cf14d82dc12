//! What a policy does to the service.

use super::words::duration;
use super::{Flaw, Say, Severity, Surroundings, Trouble};
use crate::retry::plan::{Plan, RetryAfter};

/// From how many attempts on a policy makes too many. gRPC makes no more than five
/// whatever is configured.
const TOO_MANY: u32 = 6;
/// What it does to the service.
pub(super) fn load(plan: &Plan, around: &Surroundings, say: &mut Say<'_>) {
    let attempts = plan.attempts;
    if around.layers > 1 && attempts > 1 {
        let calls = (0..around.layers).fold(1_u128, |calls, _| {
            calls.saturating_mul(u128::from(attempts))
        });
        say(
            Flaw::SeveralLayers,
            Severity::Fault,
            format!(
                "{} layers of {attempts} attempts make up to {calls} calls of one: retry on one \
                 layer only.",
                around.layers
            ),
        );
    }
    if attempts >= TOO_MANY {
        say(
            Flaw::TooManyAttempts,
            Severity::Warning,
            format!(
                "{attempts} attempts put {attempts} times the load on a service that is down, and \
                 one that answered none of the first three seldom answers the next."
            ),
        );
    }
    if plan.retries() > 0 && plan.retry_after == RetryAfter::Ignore {
        say(
            Flaw::RetryAfterIgnored,
            Severity::Warning,
            "Retry-After is ignored: a service that says when it is ready again is asked before \
             that."
                .to_owned(),
        );
    }
    if plan.retries() == 0 {
        return;
    }
    match around.trouble {
        Some(Trouble::LostReplies) => say(
            Flaw::NeedsTheSameKey,
            Severity::Note,
            "When a reply is lost the work is done already: every retry has to carry the key of \
             the first attempt."
                .to_owned(),
        ),
        Some(Trouble::Overload) => say(
            Flaw::AddsLoad,
            Severity::Warning,
            format!(
                "A service that is overloaded gets up to {attempts} times as much: a budget has \
                 to stop the retries when most calls fail."
            ),
        ),
        Some(Trouble::Away(ms)) => {
            // When the service refuses at once, only the waits pass the time.
            let waits: f64 = plan.windows().iter().map(|window| window.high_ms).sum();
            if waits < ms as f64 {
                say(
                    Flaw::ShorterThanOutage,
                    Severity::Warning,
                    format!(
                        "All waits together are at most {}, the service is away for {}: when it \
                         refuses at once, every attempt is over before it is back.",
                        duration(waits),
                        duration(ms as f64)
                    ),
                );
            }
        }
        None => {}
    }
}
