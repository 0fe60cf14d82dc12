//! Reads a policy and says what is wrong with it.

#[cfg(test)]
mod tests;
mod words;

use super::answers::{Fits, schedule, stays_on_cap};
use super::plan::{Plan, RetryAfter, Spread};
use crate::Ms;
use words::{duration, percent};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Works until there is trouble.
    Warning,
    /// Does harm, or cannot do what it says.
    Fault,
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flaw {
    /// The first wait is over the cap.
    CapUnderBase,
    /// Healthy calls are cut off.
    TimeoutBelowP99,
    /// A lost call holds its client up for long.
    TimeoutFarAboveP99,
    /// An attempt can never start, or only sometimes.
    OutlastsDeadline,
    /// A retry can come when the key is forgotten.
    RetentionTooShort,
    /// All attempts are over before the outage is.
    ShorterThanOutage,
    /// Too much load for what it brings.
    TooManyAttempts,
    /// A lost reply stays lost.
    NoRetry,
    /// Retries come at once.
    NoWait,
    /// Every wait is the same for everybody.
    FixedWait,
    /// Clients that failed together come back together.
    NoJitter,
    /// The same, spread a little.
    LittleJitter,
    /// The load does not fall as time passes.
    NoBackoff,
    /// Waits pile up on the cap.
    CapSpike,
    /// Other layers retry as well.
    SeveralLayers,
    /// The server is not listened to.
    RetryAfterIgnored,
    /// More load on what is overloaded.
    AddsLoad,
    /// The work may be done already.
    NeedsTheSameKey,
    /// Nothing ends it as a whole.
    NoDeadline,
    /// A wait is longer than a timer can run.
    TimerCut,
}

impl Flaw {
    /// Its name, for addresses and tests.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::CapUnderBase => "cap-under-base",
            Self::TimeoutBelowP99 => "timeout-below-p99",
            Self::TimeoutFarAboveP99 => "timeout-far-above-p99",
            Self::OutlastsDeadline => "outlasts-deadline",
            Self::RetentionTooShort => "retention-too-short",
            Self::ShorterThanOutage => "shorter-than-outage",
            Self::TooManyAttempts => "too-many-attempts",
            Self::NoRetry => "no-retry",
            Self::NoWait => "no-wait",
            Self::FixedWait => "fixed-wait",
            Self::NoJitter => "no-jitter",
            Self::LittleJitter => "little-jitter",
            Self::NoBackoff => "no-backoff",
            Self::CapSpike => "cap-spike",
            Self::SeveralLayers => "several-layers",
            Self::RetryAfterIgnored => "retry-after-ignored",
            Self::AddsLoad => "adds-load",
            Self::NeedsTheSameKey => "needs-the-same-key",
            Self::NoDeadline => "no-deadline",
            Self::TimerCut => "timer-cut",
        }
    }

    /// Where in the lesson it is explained: the heading's id.
    #[must_use]
    pub const fn anchor(self) -> &'static str {
        match self {
            // What a time-out tells you.
            Self::TimeoutBelowP99
            | Self::TimeoutFarAboveP99
            | Self::NoDeadline
            | Self::OutlastsDeadline => "timeout",
            // The key, the record and how long it is kept; 409 and when to come back.
            Self::RetentionTooShort | Self::RetryAfterIgnored => "why",
            Self::NeedsTheSameKey | Self::NoRetry => "lost",
            // Two layers of four.
            Self::SeveralLayers => "check",
            // Retries come whether or not a server is ready for them.
            Self::CapUnderBase
            | Self::ShorterThanOutage
            | Self::TooManyAttempts
            | Self::NoWait
            | Self::FixedWait
            | Self::NoJitter
            | Self::LittleJitter
            | Self::NoBackoff
            | Self::CapSpike
            | Self::AddsLoad
            | Self::TimerCut => "double",
        }
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What.
    pub flaw: Flaw,
    /// How bad.
    pub severity: Severity,
    /// In a sentence, with the figures that it hangs on.
    pub text: String,
}

/// What goes wrong where the policy is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Replies get lost; the work was done.
    LostReplies,
    /// The service gets more than it can do.
    Overload,
    /// The service is away for this long, in ms.
    Away(Ms),
}

/// What is known of the surroundings. What is not known is not judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The time within which the service answers 99 of 100 calls, in ms.
    pub p99_ms: Option<Ms>,
    /// How long the service keeps an idempotency key, in ms.
    pub retention_ms: Option<Ms>,
    /// How many layers retry like this, this one included; 0 counts as 1.
    pub layers: u32,
    /// What goes wrong.
    pub trouble: Option<Trouble>,
}

/// From how many attempts on a policy makes too many. gRPC makes no more than five
/// whatever is configured.
const TOO_MANY: u32 = 6;
/// By how much a time-out is far above the p99.
const FAR: Ms = 10;
/// From which worst case on a policy should have a deadline: a minute.
const LONG_MS: f64 = 60_000.0;

/// Looks a plan over, the worst first.
#[must_use]
pub fn critic(plan: &Plan, around: &Surroundings) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut say = |flaw: Flaw, severity: Severity, text: String| {
        findings.push(Finding {
            flaw,
            severity,
            text,
        });
    };
    times(plan, around, &mut say);
    waits(plan, &mut say);
    load(plan, around, &mut say);
    // Stable: within a severity the order above.
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    findings
}

type Say<'a> = dyn FnMut(Flaw, Severity, String) + 'a;

/// Time-outs, the deadline, the retention.
fn times(plan: &Plan, around: &Surroundings, say: &mut Say<'_>) {
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

/// Base, growth, cap and jitter.
fn waits(plan: &Plan, say: &mut Say<'_>) {
    if plan.base_ms > plan.cap_ms {
        say(
            Flaw::CapUnderBase,
            Severity::Fault,
            format!(
                "The cap of {} is below the first wait of {}: one of them is not meant.",
                duration(plan.cap_ms as f64),
                duration(plan.base_ms as f64)
            ),
        );
    }
    if plan.retries() == 0 {
        say(
            Flaw::NoRetry,
            Severity::Note,
            "One attempt is no retry: when its reply is lost, nobody finds out whether the \
             payment was made."
                .to_owned(),
        );
        return;
    }
    if plan.base_ms == 0 {
        say(
            Flaw::NoWait,
            Severity::Fault,
            "Retries come without any wait: whatever made the first attempt fail has had no time \
             to pass."
                .to_owned(),
        );
        return;
    }
    let fixed = plan.factor <= 1.0;
    match plan.spread {
        Spread::None if fixed => say(
            Flaw::FixedWait,
            Severity::Fault,
            format!(
                "Every client waits exactly {} every time: those that failed together come back \
                 together, again and again.",
                duration(plan.nominal_ms(1))
            ),
        ),
        Spread::None | Spread::Share(0.0) => say(
            Flaw::NoJitter,
            Severity::Fault,
            format!(
                "Without jitter all clients that failed together come back together, {} later.",
                duration(plan.nominal_ms(1))
            ),
        ),
        Spread::Share(share) if share < 0.5 => say(
            Flaw::LittleJitter,
            Severity::Warning,
            format!(
                "With ±{} a herd arrives within {} instead of spreading over the whole wait of {}.",
                percent(share),
                duration(2.0 * share * plan.nominal_ms(1)),
                duration(plan.nominal_ms(1))
            ),
        ),
        Spread::Decorrelated => {
            let reached = plan
                .windows()
                .iter()
                .position(|window| window.high_ms >= plan.cap_ms as f64);
            if let (Some(index), Some(again)) = (reached, stays_on_cap(plan)) {
                say(
                    Flaw::CapSpike,
                    Severity::Warning,
                    format!(
                        "From retry {} on waits are cut to the cap of {} and pile up there: of \
                         those on it, {} are on it again the next time, in step.",
                        index + 1,
                        duration(plan.cap_ms as f64),
                        percent(again)
                    ),
                );
            }
        }
        Spread::Full | Spread::Equal | Spread::Share(_) => {}
    }
    if fixed && !matches!(plan.spread, Spread::None | Spread::Decorrelated) {
        say(
            Flaw::NoBackoff,
            Severity::Warning,
            "With a factor of 1 the waits do not grow: a service that is down for long gets the \
             same load all along."
                .to_owned(),
        );
    }
    let longest = plan
        .windows()
        .iter()
        .fold(0.0_f64, |longest, window| longest.max(window.high_ms));
    if longest > Plan::LONGEST_TIMER as f64 {
        say(
            Flaw::TimerCut,
            Severity::Note,
            format!(
                "A wait can be {}, longer than a timer can run: it is cut to 24.8 days.",
                duration(longest)
            ),
        );
    }
}

/// What it does to the service.
fn load(plan: &Plan, around: &Surroundings, say: &mut Say<'_>) {
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
