//! Running the herd under one kind of jitter, in slices.

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
/// It takes up to 27 bytes a client until it is done (a million clients in WASM).
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
    clients: u32,
    /// Clients that have drawn their first wait.
    started: u32,
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
        Self {
            kind,
            range,
            windows: (1..policy.attempts)
                .map(|retry| policy.ceiling_ms(retry) * MS)
                .collect(),
            timeout: inputs.timeout_ms * MS,
            random: Xoshiro256PlusPlus::seed_from_u64(inputs.seed),
            events: RadixQueue::new(),
            server: Server::new(inputs.capacity, inputs.queue, &[]),
            clients: inputs.clients,
            started: 0,
            waits: Vec::new(),
            series: Series::new(inputs.bin_ms * MS),
            sum: HerdSummary::default(),
            now: 0,
            drained: 0,
            recovered: 0,
            idle: 0,
        }
    }

    /// Which kind of jitter this is.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// A call of the client failed, after that many retries: it waits, or gives up.
    /// Whether it gave up.
    fn failed(&mut self, client: u32, retries: u32, at: Us) -> bool {
        let Some(window) = self.windows.get(retries as usize).copied() else {
            self.sum.gave_up += 1;
            self.drained = self.drained.max(at);
            return true;
        };
        let last = match self.waits.get(client as usize) {
            Some(wait) => u64::from(*wait),
            None => self.range.base,
        };
        let wait = self.kind.draw(window, self.range, last, &mut self.random);
        if let Some(kept) = self.waits.get_mut(client as usize) {
            *kept = u32::try_from(wait).unwrap_or(u32::MAX);
        }
        self.events.push(key(at + wait, client, retries + 1));
        false
    }

    /// The next client hears that its first call failed.
    fn start(&mut self) {
        let client = self.started;
        self.started += 1;
        if self.kind == Kind::Decorrelated {
            self.waits
                .push(u32::try_from(self.range.base).unwrap_or(u32::MAX));
        }
        self.failed(client, 0, 0);
    }

    fn call(&mut self, now: Us, client: u32, retries: u32) {
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
                let last = self.failed(client, retries, given_up);
                self.series.wasted(given_up, done, last);
            }
            // Nothing expires: the calls were offered without an expiry.
            Offer::Refused | Offer::Expires => {
                self.sum.rejected += 1;
                self.recovered = self.recovered.max(now);
                let last = self.failed(client, retries, now);
                self.series.rejected(now, last);
            }
        }
    }

    /// Takes up to `budget` steps: a client hears of its first failure, or a call
    /// arrives. A budget of 100 000 takes a few ms.
    pub fn run(&mut self, budget: u32) -> Progress {
        self.run_until(Ms::MAX, budget)
    }

    /// Handles the calls up to and including this time, in `budget` steps at the
    /// most: for an animation. What the server has let in by then is already counted
    /// into the bins in which it will be done.
    pub fn run_until(&mut self, at_ms: Ms, mut budget: u32) -> Progress {
        self.steps(at_ms, &mut budget);
        self.progress()
    }

    pub(super) fn progress(&self) -> Progress {
        Progress {
            done: self.waiting() == 0,
            calls: self.sum.calls,
            at_ms: self.now / MS,
            waiting: self.waiting(),
        }
    }

    pub(super) fn waiting(&self) -> u64 {
        self.events.len() + u64::from(self.clients - self.started)
    }

    pub(super) fn steps(&mut self, at_ms: Ms, budget: &mut u32) {
        while *budget > 0 && self.started < self.clients {
            *budget -= 1;
            self.start();
        }
        let until = at_ms.saturating_mul(MS);
        let limit = limit(until);
        while *budget > 0 {
            let Some(event) = self.events.pop_until(limit) else {
                if at_ms < Ms::MAX {
                    self.now = self.now.max(until);
                }
                break;
            };
            *budget -= 1;
            let (now, client, retries) = parts(event);
            self.call(now, client, retries);
        }
        if self.waiting() == 0 {
            // Four herds run one after the other: only one needs the room.
            self.events = RadixQueue::new();
            self.waits = Vec::new();
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
