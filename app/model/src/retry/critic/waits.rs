//! The base, the growth, the cap and the jitter.

use super::words::{duration, percent};
use super::{Flaw, Say, Severity};
use crate::retry::answers::stays_on_cap;
use crate::retry::plan::{Plan, Spread};

/// Base, growth, cap and jitter.
pub(super) fn waits(plan: &Plan, say: &mut Say<'_>) {
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
                "A wait can be {}, longer than a timer can run: it is cut to {}.",
                duration(longest),
                duration(Plan::LONGEST_TIMER as f64)
            ),
        );
    }
}
