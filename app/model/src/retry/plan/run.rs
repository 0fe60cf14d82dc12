//! A plan at work: what a client does after each attempt.

use super::{Plan, RetryAfter, Waits};
use crate::Ms;
use crate::retry::{Advice, Heard, advice};
use rand::Rng;

/// Why a client stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Halt {
    /// It has its answer.
    Settled,
    /// Trying again cannot help.
    Hopeless,
    /// The attempts are used up.
    Exhausted,
    /// The next attempt would start after the deadline.
    Deadline,
    /// The service sent it away for longer than it is willing to wait.
    SentAway,
}

/// What a client does after an attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// Wait, then send the next attempt.
    Wait {
        /// For how long, in ms, rounded to the nearest and at most 2³¹−1.
        ms: Ms,
        /// Whether Retry-After made it longer than what was drawn.
        asked: bool,
    },
    /// No further attempt.
    Stop(Halt),
}

/// One operation under a plan, from its first attempt to its last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Runner {
    deadline_ms: Option<Ms>,
    retry_after: RetryAfter,
    waits: Waits,
    sent: u32,
}

impl Runner {
    /// An operation of which nothing has been sent.
    #[must_use]
    pub fn new(plan: &Plan) -> Self {
        Self {
            deadline_ms: plan.deadline_ms,
            retry_after: plan.retry_after,
            waits: Waits::new(plan),
            sent: 0,
        }
    }

    /// Counts the attempt that is sent now and gives its number, from 1.
    pub const fn send(&mut self) -> u32 {
        self.sent += 1;
        self.sent
    }

    /// What to do now that an attempt came to this, `elapsed_ms` after the start of
    /// the first one. There is no wait after the last attempt, and none that would
    /// outlast the deadline: it is not begun.
    pub fn next(&mut self, elapsed_ms: Ms, heard: Heard, random: &mut impl Rng) -> Step {
        let not_before_ms = match advice(heard) {
            Advice::Settled => return Step::Stop(Halt::Settled),
            Advice::Stop => return Step::Stop(Halt::Hopeless),
            Advice::Retry { not_before_ms } => not_before_ms,
        };
        let Some(drawn) = self.waits.draw(random) else {
            return Step::Stop(Halt::Exhausted);
        };
        // `as` saturates, and NaN is 0.
        let drawn = (drawn.round() as Ms).min(Plan::LONGEST_TIMER);
        let asked_ms = match (self.retry_after, not_before_ms) {
            (RetryAfter::Honour { most_ms }, Some(asked_ms)) if asked_ms > most_ms => {
                return Step::Stop(Halt::SentAway);
            }
            (RetryAfter::Honour { .. }, Some(asked_ms)) => asked_ms,
            (RetryAfter::Ignore, _) | (_, None) => 0,
        };
        let ms = drawn.max(asked_ms).min(Plan::LONGEST_TIMER);
        match self.deadline_ms {
            Some(deadline_ms) if elapsed_ms.saturating_add(ms) > deadline_ms => {
                Step::Stop(Halt::Deadline)
            }
            _ => Step::Wait {
                ms,
                asked: asked_ms > drawn,
            },
        }
    }
}
