//! The client's side of a payment: attempts, waits and when to stop.

use super::{Advice, Heard, Policy, advice};
use crate::Ms;
use rand::Rng;

/// Why a client stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stopped {
    /// It has its answer.
    Settled,
    /// Trying again cannot help.
    Hopeless,
    /// The attempts are used up.
    Exhausted,
}

/// What a client does after an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Next {
    /// Wait, then send the next attempt.
    Wait {
        /// For how long, in ms.
        ms: Ms,
        /// The ceiling that it was drawn from, in ms.
        ceiling_ms: Ms,
    },
    /// No further attempt.
    Stop(Stopped),
}

/// One payment from its first attempt to its last. The world's client and the
/// lab's client in the browser are both driven by it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Courier {
    policy: Policy,
    sent: u32,
}

impl Courier {
    /// A payment of which nothing has been sent.
    #[must_use]
    pub const fn new(policy: Policy) -> Self {
        Self { policy, sent: 0 }
    }

    /// Counts the attempt that is sent now and gives its number, from 1.
    pub const fn send(&mut self) -> u32 {
        self.sent += 1;
        self.sent
    }

    /// What to do now that an attempt came to this. After the last attempt there
    /// is no wait, whatever it came to.
    ///
    /// A Retry-After is a floor: the drawn wait is added to nothing, it only has
    /// to be at least that long.
    pub fn next(&self, heard: Heard, random: &mut impl Rng) -> Next {
        match advice(heard) {
            Advice::Settled => Next::Stop(Stopped::Settled),
            Advice::Stop => Next::Stop(Stopped::Hopeless),
            Advice::Retry { .. } if self.sent >= self.policy.attempts => {
                Next::Stop(Stopped::Exhausted)
            }
            Advice::Retry { not_before_ms } => {
                let drawn = self.policy.wait_ms(self.sent, random);
                Next::Wait {
                    ms: drawn
                        .max(not_before_ms.unwrap_or(0))
                        .min(Policy::LONGEST_TIMER),
                    ceiling_ms: self.policy.ceiling_ms(self.sent),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand::rngs::Xoshiro256PlusPlus;

    #[test]
    fn four_attempts_call_four_times_and_one_calls_once() {
        for attempts in [1, 4] {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
            let mut courier = Courier::new(Policy {
                attempts,
                ..Policy::LESSON
            });
            let (calls, last) = loop {
                let calls = courier.send();
                match courier.next(Heard::Nothing, &mut random) {
                    Next::Wait { ms, ceiling_ms } => assert!(ms <= ceiling_ms),
                    Next::Stop(why) => break (calls, why),
                }
            };
            assert_eq!((calls, last), (attempts, Stopped::Exhausted));
        }
    }

    #[test]
    fn retry_after_is_a_floor() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut courier = Courier::new(Policy::LESSON);
        courier.send();
        let next = courier.next(
            Heard::Status {
                status: 409,
                retry_after_ms: Some(1000),
            },
            &mut random,
        );
        assert_eq!(
            next,
            Next::Wait {
                ms: 1000,
                ceiling_ms: 100
            }
        );
    }

    #[test]
    fn what_cannot_help_is_not_retried() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut courier = Courier::new(Policy::LESSON);
        courier.send();
        let mut of = |status| {
            courier.next(
                Heard::Status {
                    status,
                    retry_after_ms: None,
                },
                &mut random,
            )
        };
        assert_eq!(of(400), Next::Stop(Stopped::Hopeless));
        assert_eq!(of(201), Next::Stop(Stopped::Settled));
    }
}
