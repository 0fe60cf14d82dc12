//! The attempts and waits on a time line.

use crate::retry::plan::{Plan, Spread, Window};

/// One attempt on the time line of an operation of which every attempt fails by
/// running into its time-out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slot {
    /// Its number; 1 is the first call.
    pub attempt: u32,
    /// The nominal wait before it, in ms; none before the first.
    pub nominal_ms: Option<f64>,
    /// Between what the wait before it lies, in ms.
    pub wait: Option<Window>,
    /// When it starts, earliest and latest, in ms from the start of the first.
    pub starts: Window,
    /// Whether the deadline leaves room for it: never, perhaps or always.
    pub fits: Fits,
}

/// Whether an attempt can start before the deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fits {
    /// However the waits fall.
    Always,
    /// Only if they are short.
    Perhaps,
    /// Not even then.
    Never,
}

/// The time line of a plan.
#[must_use]
pub fn schedule(plan: &Plan) -> Vec<Slot> {
    let timeout = plan.timeout_ms as f64;
    let deadline = plan.deadline_ms.map_or(f64::INFINITY, |ms| ms as f64);
    let mut slots = Vec::with_capacity(plan.attempts as usize);
    let mut starts = Window {
        low_ms: 0.0,
        high_ms: 0.0,
    };
    if plan.attempts > 0 {
        slots.push(Slot {
            attempt: 1,
            nominal_ms: None,
            wait: None,
            starts,
            fits: Fits::Always,
        });
    }
    for ((attempt, nominal), wait) in (2..).zip(plan.nominals_ms()).zip(plan.windows()) {
        starts = Window {
            low_ms: starts.low_ms + timeout + wait.low_ms,
            high_ms: starts.high_ms + timeout + wait.high_ms,
        };
        slots.push(Slot {
            attempt,
            // Decorrelated waits hang on the one before, not on a nominal wait.
            nominal_ms: (plan.spread != Spread::Decorrelated).then_some(nominal),
            wait: Some(wait),
            starts,
            fits: if starts.high_ms <= deadline {
                Fits::Always
            } else if starts.low_ms <= deadline {
                Fits::Perhaps
            } else {
                Fits::Never
            },
        });
    }
    slots
}

/// The longest that all waits together, and that everything together, can take, in
/// ms, when every attempt runs into its time-out. The deadline is counted in.
pub(super) fn worst_ms(plan: &Plan) -> (f64, f64) {
    let timeout = plan.timeout_ms as f64;
    let deadline = plan.deadline_ms.map_or(f64::INFINITY, |ms| ms as f64);
    let (mut wait, mut total) = (0.0_f64, 0.0_f64);
    for slot in schedule(plan) {
        if slot.fits == Fits::Never {
            break;
        }
        // The latest start that still is one, and how much of that was waiting.
        let start = slot.starts.high_ms.min(deadline);
        let running = f64::from(slot.attempt - 1) * timeout;
        wait = wait.max(start - running);
        total = total.max(start + timeout);
    }
    (wait, total)
}
