//! Time-outs, the deadline, the retention.

use super::words::duration;
use super::{Flaw, Say, Severity, Surroundings};
use crate::Ms;
use crate::retry::answers::{Fits, schedule};
use crate::retry::plan::{Plan, RetryAfter};

/// By how much a time-out is far above the p99.
const FAR: Ms = 10;
/// From which worst case on a policy should have a deadline: a minute.
const LONG_MS: f64 = 60_000.0;

/// Time-outs, the deadline, the retention.
pub(super) fn times(plan: &Plan, around: &Surroundings, say: &mut Say<'_>) {
    let timeout = plan.timeout_ms as f64;
    match around.p99_ms {
        Some(p99) if plan.timeout_ms <= p99 => say(
            Flaw::TimeoutBelowP99,
            Severity::Fault,
            format!(
                "More than one healthy call in a hundred takes longer than the time-out of {}, is \
                 given up and sent again: the p99 is {}.",
                duration(timeout),
                duration(p99 as f64)
            ),
        ),
        Some(p99) if plan.timeout_ms > p99.saturating_mul(FAR) => say(
            Flaw::TimeoutFarAboveP99,
            Severity::Warning,
            format!(
                "A call that is lost is only noticed after {}, although 99 of 100 are answered \
                 within {}.",
                duration(timeout),
                duration(p99 as f64)
            ),
        ),
        _ => {}
    }
    let slots = schedule(plan);
    if let (Some(deadline), Some(slot)) = (
        plan.deadline_ms,
        slots.iter().find(|slot| slot.fits != Fits::Always),
    ) {
        let deadline = duration(deadline as f64);
        let (severity, text) = match slot.fits {
            Fits::Never => (
                Severity::Fault,
                format!(
                    "Attempt {} can never start before the deadline of {deadline} when those \
                     before it time out: {} of the {} attempts exist on paper only.",
                    slot.attempt,
                    plan.attempts - slot.attempt + 1,
                    plan.attempts
                ),
            ),
            _ => (
                Severity::Warning,
                format!(
                    "When attempts time out, the wait before attempt {} can outlast the deadline \
                     of {deadline}, and then it is not made.",
                    slot.attempt
                ),
            ),
        };
        say(Flaw::OutlastsDeadline, severity, text);
    }
    let last_ms = latest_start_ms(plan);
    if let Some(retention) = around.retention_ms
        && last_ms >= retention as f64
    {
        say(
            Flaw::RetentionTooShort,
            Severity::Fault,
            format!(
                "The last retry can come {} after the first attempt, but keys are forgotten after \
                 {}: it would be taken for a new payment.",
                duration(last_ms),
                duration(retention as f64)
            ),
        );
    }
    if plan.deadline_ms.is_none() && last_ms + timeout > LONG_MS {
        say(
            Flaw::NoDeadline,
            Severity::Note,
            format!(
                "Nothing ends it as a whole: in the worst case the caller waits {} for an answer.",
                duration(last_ms + timeout)
            ),
        );
    }
}

/// When the last attempt can start at the latest, in ms: every wait at its longest,
/// or as long as the server may ask, and no later than the deadline.
fn latest_start_ms(plan: &Plan) -> f64 {
    let asked = match plan.retry_after {
        RetryAfter::Ignore => 0.0,
        RetryAfter::Honour { most_ms } => most_ms as f64,
    };
    let timeout = plan.timeout_ms as f64;
    let latest: f64 = plan
        .windows()
        .iter()
        .map(|window| timeout + window.high_ms.max(asked))
        .sum();
    plan.deadline_ms
        .map_or(latest, |deadline| latest.min(deadline as f64))
}
