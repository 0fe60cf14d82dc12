//! Leaps of the sandbox's clock, in the picture.
//!
//! What the browser and the service note is in real time. Where the clock was moved
//! forward between two facts, the second happened that much later to the sandbox.

use model::Ms;
use model::world::Fact;

/// The clock was moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Leap {
    /// When, by the browser's clock, in ms since the Unix epoch.
    pub(super) at: Ms,
    /// By how much.
    pub(super) by_ms: Ms,
}

/// How far the clock was moved between the start and a point in time after it.
pub(super) fn leapt(start: Ms, at: Ms, leaps: &[Leap]) -> Ms {
    leaps
        .iter()
        .filter(|leap| (start..=at).contains(&leap.at))
        .map(|leap| leap.by_ms)
        .sum()
}

/// Moves facts, which are counted from `start`, to the sandbox's time.
pub(super) fn leap(facts: &mut [Fact], start: Ms, leaps: &[Leap]) {
    let later = |at: &mut Ms| *at += leapt(start, start.saturating_add(*at), leaps);
    for fact in facts {
        later(&mut fact.at);
        if let Some(call) = &mut fact.call {
            later(&mut call.sent);
            later(&mut call.back);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::world::{Call, What};

    #[test]
    fn only_what_follows_a_leap_is_later() {
        let fact = |at| Fact {
            at,
            call: Some(Call {
                sent: at - 5,
                back: at + 5,
            }),
            attempt: 1,
            what: What::Arrived,
        };
        let mut facts = [fact(10), fact(100), fact(200)];
        let leap_at = |at, by_ms| Leap { at, by_ms };
        // One before the start, one in the middle of the second call, one after.
        let leaps = [leap_at(900, 1), leap_at(1102, 30_000), leap_at(1150, 7)];
        leap(&mut facts, 1000, &leaps);
        assert_eq!(facts[0], fact(10));
        assert_eq!((facts[1].at, facts[1].call.unwrap().back), (100, 30_105));
        assert_eq!(facts[2], fact(30_207));
    }
}
