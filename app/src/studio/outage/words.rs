//! Strategies, reliefs and verdicts in words.

use crate::studio::panels::short;
use model::outage::{OutageInputs, OutageSummary, Recovery, Relief, Strategy};

/// A strategy in a heading.
pub(super) const fn strategy(it: Strategy) -> &'static str {
    match it {
        Strategy::NoRetry => "No retry",
        Strategy::Fixed => "Fixed retries",
        Strategy::Backoff => "Backoff",
        Strategy::Jitter => "Backoff with jitter",
        Strategy::Budget10 => "10 % budget",
        Strategy::Grpc => "gRPC throttling",
        Strategy::Aws => "AWS token bucket",
        Strategy::Adaptive => "Adaptive throttling",
        Strategy::Breaker => "Circuit breaker",
    }
}

/// What it does, in a sentence.
pub(super) const fn rule(it: Strategy) -> &'static str {
    match it {
        Strategy::NoRetry => "One call for each request.",
        Strategy::Fixed => "The first window after each failure, always.",
        Strategy::Backoff => "The whole window, which grows.",
        Strategy::Jitter => "Anything from 0 to the window.",
        Strategy::Budget10 => "Jitter; retries stay under 10 % of the first calls of ten seconds.",
        Strategy::Grpc => "Window ± 20 %; 10 tokens, retries above half of them; a ratio of 0.1.",
        Strategy::Aws => "Jitter; 500 tokens, a retry costs 14, of a throttled call 5.",
        Strategy::Adaptive => {
            "Jitter; each client refuses itself what is likely to fail (K = 2, two minutes)."
        }
        Strategy::Breaker => "Jitter; open for 3 s when half of the last 20 calls failed.",
    }
}

/// A relief in a list of choices.
pub(super) const fn relief(it: Relief) -> &'static str {
    match it {
        Relief::None => "Nothing",
        Relief::RetriesOff => "All clients stop to retry",
        Relief::Shed => "The server sheds a share of the calls",
        Relief::Restart => "The server restarts and forgets its queue",
        Relief::Capacity => "A share of capacity is added",
        Relief::Deadlines => "Calls carry their deadline",
    }
}

/// Whether the system came back, in a few words.
pub(super) fn recovery(inputs: &OutageInputs, it: Recovery) -> String {
    match it {
        Recovery::NeverBroke => "never broke".to_owned(),
        Recovery::At { ms } => {
            let after = ms.saturating_sub(u64::from(inputs.until_s) * 1000);
            match after {
                0 => "back at once".to_owned(),
                after => format!("back after {} s", short(after as f64 / 1000.0)),
            }
        }
        Recovery::Never => "does not come back".to_owned(),
        Recovery::Unknown => "cannot be told".to_owned(),
    }
}

/// The same in a sentence under a picture.
pub(super) fn told(inputs: &OutageInputs, it: &OutageSummary) -> String {
    let end = inputs.until_s;
    match it.recovery {
        Recovery::NeverBroke => "Nine of ten requests succeeded all the time.".to_owned(),
        Recovery::At { ms } => {
            let at = short(ms as f64 / 1000.0);
            if ms <= u64::from(end) * 1000 {
                format!("Works again as soon as the cause is gone, at {at} s.")
            } else {
                format!("The cause is gone at {end} s; it works again from {at} s on.")
            }
        }
        Recovery::Never => {
            let why = if it.load >= 1.5 {
                ": its own retries keep it down"
            } else if it.held > 0 {
                ": it still holds calls back"
            } else {
                ""
            };
            format!("The cause is gone at {end} s, and it still fails at the end{why}.")
        }
        Recovery::Unknown => {
            "The cause goes too late in this run to tell whether it comes back.".to_owned()
        }
    }
}
