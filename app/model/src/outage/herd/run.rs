//! Running the herd, in slices.

use super::series::Series;
use super::{Bin, HerdInputs, HerdSummary};
use crate::Ms;
use crate::outage::digest::Digest;
use crate::outage::kind::{Kind, Range};
use crate::outage::queue::{RadixQueue, key, limit, parts};
use crate::outage::server::{MS, Offer, Server, Us};
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Nothing is left to do.
    pub done: bool,
    /// Calls so far.
    pub calls: u64,
    /// Up to when time has passed, in ms.
    pub at_ms: Ms,
    /// Clients that are neither served nor out of attempts.
    pub waiting: u64,
}

/// One herd under one kind of jitter. Make it, [`run`](Self::run) it until it is
/// done, and read it; it can be read at any time in between.
///
/// About 25 bytes a client.
#[derive(Clone, Debug)]
pub struct Herd {
    kind: Kind,
    range: Range,
    /// The window before retry k (1 is the first) at k − 1.
    windows: Vec<Us>,
    timeout: Us,
    random: Xoshiro256PlusPlus,
    events: RadixQueue,
    server: Server,
    /// Retries sent, by client.
    retries: Vec<u8>,
    /// The last wait, by client; for decorrelated jitter only.
    waits: Vec<u32>,
    series: Series,
    sum: HerdSummary,
    now: Us,
    drained: Us,
    recovered: Us,
    idle: Us,
}

impl Herd {
    /// The herd at time 0, with the inputs [bounded](HerdInputs::bounded). Its draws
    /// come from the seed alone, in the order of the failed calls.
    #[must_use]
    pub fn new(inputs: &HerdInputs, kind: Kind) -> Self {
        let inputs = inputs.bounded();
        let policy = inputs.policy();
        let range = Range {
            base: policy.base_ms * MS,
            cap: policy.cap_ms * MS,
        };
        let clients = inputs.clients;
        let mut herd = Self {
            kind,
            range,
            windows: (1..policy.attempts)
                .map(|retry| policy.ceiling_ms(retry) * MS)
                .collect(),
            timeout: inputs.timeout_ms * MS,
            random: Xoshiro256PlusPlus::seed_from_u64(inputs.seed),
            events: RadixQueue::new(),
            server: Server::new(inputs.capacity, inputs.queue, &[]),
            retries: vec![0; clients as usize],
            waits: match kind {
                Kind::Decorrelated => {
                    vec![u32::try_from(range.base).unwrap_or(u32::MAX); clients as usize]
                }
                _ => Vec::new(),
            },
            series: Series::new(inputs.bin_ms * MS),
            sum: HerdSummary::default(),
            now: 0,
            drained: 0,
            recovered: 0,
            idle: 0,
        };
        for client in 0..clients {
            herd.failed(client, 0);
        }
        herd
    }

    /// Which kind of jitter this is.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// A call of the client failed: it waits, or gives up. Whether it gave up.
    fn failed(&mut self, client: u32, at: Us) -> bool {
        let who = client as usize;
        let Some(window) = self.windows.get(usize::from(self.retries[who])).copied() else {
            self.sum.gave_up += 1;
            self.drained = self.drained.max(at);
            return true;
        };
        self.retries[who] += 1;
        let last = self.waits.get(who).map_or(0, |wait| u64::from(*wait));
        let wait = self.kind.draw(window, self.range, last, &mut self.random);
        if let Some(kept) = self.waits.get_mut(who) {
            *kept = u32::try_from(wait).unwrap_or(u32::MAX);
        }
        self.events.push(key(at + wait, client));
        false
    }

    fn call(&mut self, now: Us, client: u32) {
        self.now = now;
        self.sum.calls += 1;
        self.series.arrival(now);
        match self.server.offer(now, None) {
            Offer::Done(done) if done - now <= self.timeout => {
                self.sum.served += 1;
                self.drained = self.drained.max(done);
                self.idle = done;
                self.series.served(done);
            }
            Offer::Done(done) => {
                let given_up = now + self.timeout;
                self.sum.wasted += 1;
                self.recovered = self.recovered.max(given_up);
                self.idle = done;
                let last = self.failed(client, given_up);
                self.series.wasted(given_up, done, last);
            }
            // Nothing expires: the calls were offered without an expiry.
            Offer::Refused | Offer::Expires => {
                self.sum.rejected += 1;
                self.recovered = self.recovered.max(now);
                let last = self.failed(client, now);
                self.series.rejected(now, last);
            }
        }
    }

    /// Handles up to `budget` calls. A budget of 100 000 takes a few ms.
    pub fn run(&mut self, budget: u32) -> Progress {
        self.run_until(Ms::MAX, budget)
    }

    /// Handles the calls up to and including this time, `budget` at the most: the
    /// steps of an animation. What the server has let in by then is already counted
    /// into the bins in which it will be done.
    pub fn run_until(&mut self, at_ms: Ms, budget: u32) -> Progress {
        let until = at_ms.saturating_mul(MS);
        let limit = limit(until);
        for _ in 0..budget {
            match self.events.pop_until(limit) {
                Some(event) => {
                    let (now, client) = parts(event);
                    self.call(now, client);
                }
                None => {
                    if at_ms < Ms::MAX {
                        self.now = self.now.max(until);
                    }
                    break;
                }
            }
        }
        Progress {
            done: self.events.len() == 0,
            calls: self.sum.calls,
            at_ms: self.now / MS,
            waiting: self.events.len(),
        }
    }

    /// What happened over time, from 0, a bin after the other; the last one is not
    /// empty. At most [`HerdInputs::MOST_BINS`] bins: what came later is in the
    /// [summary](Self::summary) only.
    #[must_use]
    pub fn bins(&self) -> &[Bin] {
        self.series.bins()
    }

    /// The figures so far.
    #[must_use]
    pub fn summary(&self) -> HerdSummary {
        HerdSummary {
            peak: self.series.peak,
            peak_at_ms: self.series.peak_at() / MS,
            drained_ms: in_ms(self.drained),
            recovered_ms: in_ms(self.recovered),
            idle_ms: in_ms(self.idle),
            ..self.sum
        }
    }

    /// One number for everything that came out: the bins and the figures. Equal on
    /// every machine for equal inputs.
    #[must_use]
    pub fn digest(&self) -> u64 {
        let mut digest = Digest::new();
        self.series.digest(&mut digest);
        for word in [
            self.sum.calls,
            self.sum.served,
            self.sum.wasted,
            self.sum.rejected,
            self.sum.gave_up,
            self.series.peak.into(),
            self.series.peak_at(),
            self.drained,
            self.recovered,
            self.idle,
        ] {
            digest.add(word);
        }
        digest.value()
    }
}

/// µs as ms. Exact up to the last digit that a µs has, and one division, so it is
/// the same everywhere.
fn in_ms(us: Us) -> f64 {
    us as f64 / MS as f64
}

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

    /// Handles up to `budget` calls, one herd after the other. `at_ms` is that of the
    /// herd that is being run.
    pub fn run(&mut self, budget: u32) -> Progress {
        self.each(budget, Ms::MAX)
    }

    /// Brings all herds to this time, with `budget` calls at the most: not all of
    /// them are there until a call changes nothing.
    pub fn run_until(&mut self, at_ms: Ms, budget: u32) -> Progress {
        self.each(budget, at_ms)
    }

    fn each(&mut self, budget: u32, at_ms: Ms) -> Progress {
        let mut left = budget;
        let mut all = Progress {
            done: true,
            calls: 0,
            at_ms: 0,
            waiting: 0,
        };
        for herd in &mut self.herds {
            let before = herd.sum.calls;
            let one = herd.run_until(at_ms, left);
            // A run takes no more than what was left.
            left = left.saturating_sub(u32::try_from(one.calls - before).unwrap_or(u32::MAX));
            all.done &= one.done;
            all.calls += one.calls;
            all.waiting += one.waiting;
            if one.calls > before {
                all.at_ms = one.at_ms;
            }
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
