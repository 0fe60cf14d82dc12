//! Running strategies on the same arrivals, in slices.

use super::arrivals::Arrivals;
use super::engine::Engine;
use super::{Latency, OutageBin, OutageInputs, OutageSummary, Strategy};
use crate::Ms;
use crate::outage::digest::Digest;
use crate::outage::server::MS;
use crate::retry::budget::Budget;
use std::sync::Arc;

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutageProgress {
    /// Nothing is left to do.
    pub done: bool,
    /// Calls sent so far.
    pub calls: u64,
    /// Up to when time has passed, in ms.
    pub at_ms: Ms,
    /// Requests that have not ended, or not arrived.
    pub waiting: u64,
}

/// One strategy in an outage. Make it, [`run`](Self::run) it until it is done, and
/// read it; it can be read at any time in between.
#[derive(Clone, Debug)]
pub struct Outage {
    strategy: Strategy,
    inputs: OutageInputs,
    arrivals: Arc<Arrivals>,
    engine: Engine<Budget>,
}

impl Outage {
    /// A strategy before the first request arrives, with the inputs
    /// [bounded](OutageInputs::bounded).
    #[must_use]
    pub fn new(inputs: &OutageInputs, strategy: Strategy) -> Self {
        let inputs = inputs.bounded();
        Self::with(inputs, strategy, Arc::new(Arrivals::draw(&inputs)))
    }

    fn with(inputs: OutageInputs, strategy: Strategy, arrivals: Arc<Arrivals>) -> Self {
        Self {
            strategy,
            inputs,
            engine: Engine::new(
                &inputs,
                Arc::clone(&arrivals),
                strategy.waits(&inputs),
                || strategy.budget(),
            ),
            arrivals,
        }
    }

    /// Which strategy this is.
    #[must_use]
    pub const fn strategy(&self) -> Strategy {
        self.strategy
    }

    /// What is run, within its limits.
    #[must_use]
    pub const fn inputs(&self) -> &OutageInputs {
        &self.inputs
    }

    /// Handles up to `budget` events; a call has two, one when it is sent and one
    /// when its client hears of it. A budget of 50 000 takes a few ms.
    pub fn run(&mut self, budget: u32) -> OutageProgress {
        self.run_until(Ms::MAX, budget)
    }

    /// Handles the events up to and including this time, `budget` at the most: the
    /// steps of an animation.
    pub fn run_until(&mut self, at_ms: Ms, budget: u32) -> OutageProgress {
        self.engine.run(at_ms.saturating_mul(MS), budget);
        OutageProgress {
            done: self.engine.waiting() == 0,
            calls: self.engine.totals.sent,
            at_ms: self.engine.now / MS,
            waiting: self.engine.waiting(),
        }
    }

    /// What happened over time, from 0, a bin after the other. At most
    /// [`OutageInputs::MOST_BINS`] bins: what came later is in the
    /// [summary](Self::summary) only.
    #[must_use]
    pub fn bins(&self) -> &[OutageBin] {
        self.engine.series.bins()
    }

    /// The latency of the successes of each bin.
    #[must_use]
    pub fn latency_by_bin(&self) -> Vec<Option<Latency>> {
        self.engine
            .series
            .latencies_by_bin()
            .iter()
            .map(|rising| Latency::of(rising))
            .collect()
    }

    /// The figures so far; the verdict only means something at the end.
    #[must_use]
    pub fn summary(&self) -> OutageSummary {
        let totals = self.engine.totals;
        let share = |part: u64| match totals.offered {
            0 => 0.0,
            all => part as f64 / all as f64,
        };
        OutageSummary {
            offered: totals.offered,
            completed: totals.completed,
            failed: totals.failed,
            sent: totals.sent,
            held: totals.held,
            served: totals.served,
            wasted: totals.wasted,
            rejected: totals.rejected,
            errors: totals.errors,
            shed: totals.shed,
            lost: totals.lost,
            expired: totals.expired,
            timed_out: totals.timed_out,
            success: share(totals.completed),
            load: share(totals.sent),
            goodput_after: self.engine.windows.goodput_after(),
            latency: Latency::of(&self.engine.series.latencies()),
            recovery: self.engine.windows.recovery(&self.arrivals.at),
        }
    }

    /// One number for everything that came out. Equal on every machine for equal
    /// inputs.
    #[must_use]
    pub fn digest(&self) -> u64 {
        let mut digest = Digest::new();
        self.engine.series.digest(&mut digest);
        let it = self.engine.totals;
        for word in [
            it.offered,
            it.completed,
            it.failed,
            it.held,
            it.sent,
            it.served,
            it.wasted,
            it.rejected,
            it.errors,
            it.shed,
            it.lost,
            it.expired,
            it.timed_out,
        ] {
            digest.add(word);
        }
        digest.value()
    }
}

/// All strategies on the same arrivals.
#[derive(Clone, Debug)]
pub struct Outages {
    all: Vec<Outage>,
}

impl Outages {
    /// All of them before the first request arrives.
    #[must_use]
    pub fn new(inputs: &OutageInputs) -> Self {
        let inputs = inputs.bounded();
        let arrivals = Arc::new(Arrivals::draw(&inputs));
        Self {
            all: Strategy::ALL
                .map(|strategy| Outage::with(inputs, strategy, Arc::clone(&arrivals)))
                .into(),
        }
    }

    /// Handles up to `budget` events of the first strategy that is not done.
    pub fn run(&mut self, budget: u32) -> OutageProgress {
        self.run_until(Ms::MAX, budget)
    }

    /// Brings all strategies to this time, `budget` events of each at the most.
    /// Without a time ([`Ms::MAX`]) only the first that is not done moves.
    pub fn run_until(&mut self, at_ms: Ms, budget: u32) -> OutageProgress {
        let mut sum = OutageProgress {
            done: true,
            calls: 0,
            at_ms: 0,
            waiting: 0,
        };
        let mut left = budget;
        for outage in &mut self.all {
            let busy = outage.engine.waiting() > 0;
            let one = outage.run_until(at_ms, left);
            if busy {
                sum.at_ms = one.at_ms;
                if at_ms == Ms::MAX {
                    left = 0;
                }
            }
            sum.done &= one.done;
            sum.calls += one.calls;
            sum.waiting += one.waiting;
        }
        sum
    }

    /// Runs all of them to the end. On a page use [`run`](Self::run).
    pub fn finish(&mut self) {
        while !self.run(u32::MAX).done {}
    }

    /// All strategies, in the order of [`Strategy::ALL`].
    #[must_use]
    pub fn all(&self) -> &[Outage] {
        &self.all
    }

    /// One number for all strategies.
    #[must_use]
    pub fn digest(&self) -> u64 {
        let mut digest = Digest::new();
        for outage in &self.all {
            digest.add(outage.digest());
        }
        digest.value()
    }
}
