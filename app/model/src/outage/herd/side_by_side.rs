//! The four kinds of jitter side by side.

use super::{Herd, HerdInputs, Progress};
use crate::Ms;
use crate::outage::digest::Digest;
use crate::outage::kind::Kind;

/// The four kinds side by side on the same seed.
#[derive(Clone, Debug)]
pub struct Herds {
    herds: [Herd; 4],
}

impl Herds {
    /// All of them at time 0.
    #[must_use]
    pub fn new(inputs: &HerdInputs) -> Self {
        Self {
            herds: Kind::ALL.map(|kind| Herd::new(inputs, kind)),
        }
    }

    /// Takes up to `budget` steps, one herd after the other. `at_ms` is that of the
    /// herd that is being run.
    pub fn run(&mut self, budget: u32) -> Progress {
        self.run_until(Ms::MAX, budget)
    }

    /// Brings all herds to this time, in `budget` steps at the most: not all of them
    /// are there until a call changes nothing.
    pub fn run_until(&mut self, at_ms: Ms, mut budget: u32) -> Progress {
        let mut all = Progress {
            done: true,
            calls: 0,
            at_ms: 0,
            waiting: 0,
        };
        for herd in &mut self.herds {
            let busy = budget > 0 && herd.waiting() > 0;
            herd.steps(at_ms, &mut budget);
            let one = herd.progress();
            if busy {
                all.at_ms = one.at_ms;
            }
            all.done &= one.done;
            all.calls += one.calls;
            all.waiting += one.waiting;
        }
        all
    }

    /// Runs all of them to the end. On a page use [`run`](Self::run).
    pub fn finish(&mut self) {
        while !self.run(u32::MAX).done {}
    }

    /// The four, in the order of [`Kind::ALL`].
    #[must_use]
    pub const fn all(&self) -> &[Herd; 4] {
        &self.herds
    }

    /// One number for all four.
    #[must_use]
    pub fn digest(&self) -> u64 {
        let mut digest = Digest::new();
        for herd in &self.herds {
            digest.add(herd.digest());
        }
        digest.value()
    }
}
