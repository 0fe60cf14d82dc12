//! The events of one strategy.

use super::arrivals::Arrivals;
use super::inputs::seconds;
use super::report::Windows;
use super::series::Series;
use super::strategy::Waits;
use super::{OutageInputs, Relief};
use crate::Ms;
use crate::outage::queue::{RadixQueue, key, limit, parts};
use crate::outage::server::{MS, Offer, Server, Us};
use crate::retry::budget::{Budget, Call, Failure, Outcome, Permit};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use std::sync::Arc;

/// What holds calls back. In the product it is a [`Budget`]; the tests bring the
/// rules of other simulators.
pub(super) trait Guard {
    /// Goes back with the outcome of a call.
    type Leave: Copy;
    /// See [`Budget::ask`].
    fn ask(&mut self, now_ms: Ms, call: Call, draw: f64) -> Option<Self::Leave>;
    /// See [`Budget::settle`].
    fn settle(&mut self, now_ms: Ms, leave: Self::Leave, outcome: Outcome);
}

impl Guard for Budget {
    type Leave = Permit;

    fn ask(&mut self, now_ms: Ms, call: Call, draw: f64) -> Option<Permit> {
        Self::ask(self, now_ms, call, draw)
    }

    fn settle(&mut self, now_ms: Ms, permit: Permit, outcome: Outcome) {
        Self::settle(self, now_ms, permit, outcome);
    }
}

/// What became of all calls and requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Totals {
    pub(super) offered: u64,
    pub(super) completed: u64,
    pub(super) failed: u64,
    pub(super) held: u64,
    pub(super) sent: u64,
    pub(super) served: u64,
    pub(super) wasted: u64,
    pub(super) rejected: u64,
    pub(super) errors: u64,
    pub(super) shed: u64,
    pub(super) lost: u64,
    pub(super) expired: u64,
    pub(super) timed_out: u64,
}

/// What a request does next.
#[derive(Clone, Copy, Debug)]
enum Next<Leave> {
    /// It would send a call.
    Send(Call),
    /// It hears what became of its call.
    Hear(Leave, Outcome),
    /// It is over.
    Ended,
}

#[derive(Clone, Copy, Debug)]
struct Request<Leave> {
    sent: u32,
    next: Next<Leave>,
}

/// The requests of one strategy on their way.
#[derive(Clone, Debug)]
pub(super) struct Engine<G: Guard> {
    inputs: OutageInputs,
    arrivals: Arc<Arrivals>,
    waits: Waits,
    /// By client process.
    guards: Vec<G>,
    requests: Vec<Request<G::Leave>>,
    random: Xoshiro256PlusPlus,
    events: RadixQueue,
    server: Server,
    restarted: bool,
    pub(super) now: Us,
    pub(super) series: Series,
    pub(super) windows: Windows,
    pub(super) totals: Totals,
}

impl<G: Guard> Engine<G> {
    /// `guard` makes what holds a client process back, once for each. The inputs have
    /// to be within their limits.
    pub(super) fn new(
        inputs: &OutageInputs,
        arrivals: Arc<Arrivals>,
        waits: Waits,
        guard: impl Fn() -> G,
    ) -> Self {
        let mut events = RadixQueue::new();
        if let Some(at) = arrivals.at.first() {
            events.push(key(*at, 0, 0));
        }
        let first = Request {
            sent: 0,
            next: Next::Send(Call::First),
        };
        Self {
            inputs: *inputs,
            waits,
            guards: (0..inputs.clients).map(|_| guard()).collect(),
            requests: vec![first; arrivals.at.len()],
            arrivals,
            // The arrivals have drawn from the seed itself.
            random: Xoshiro256PlusPlus::seed_from_u64(!inputs.seed),
            events,
            server: Server::new(inputs.capacity, inputs.queue, &inputs.capacity_over_time()),
            restarted: false,
            now: 0,
            series: Series::new(inputs.bin_ms * MS),
            windows: Windows::new(inputs),
            totals: Totals::default(),
        }
    }

    /// How many requests have not arrived or are not over.
    pub(super) fn waiting(&self) -> u64 {
        // Of those that have not arrived, the next one is among the events.
        let later = (self.arrivals.at.len() as u64).saturating_sub(self.totals.offered + 1);
        self.events.len() + later
    }

    /// Handles up to `budget` events until this moment.
    pub(super) fn run(&mut self, until: Us, budget: u32) {
        for _ in 0..budget {
            let Some(event) = self.events.pop_until(limit(until)) else {
                return;
            };
            let (now, number, _) = parts(event);
            self.look_inside(now);
            self.now = now;
            match self.requests[number as usize].next {
                Next::Send(call) => self.send(now, number, call),
                Next::Hear(leave, outcome) => self.hear(now, number, leave, outcome),
                Next::Ended => {}
            }
        }
    }

    /// The server's queue at the end of each bin that is over.
    fn look_inside(&mut self, now: Us) {
        while let Some(end) = self.series.next_sample(now) {
            self.restart(end);
            let inside = self.server.inside(end);
            self.series.sample(inside);
        }
        self.restart(now);
    }

    fn restart(&mut self, now: Us) {
        if self.inputs.relief == Relief::Restart
            && !self.restarted
            && now >= seconds(self.inputs.relief_at_s)
        {
            self.restarted = true;
            self.server.clear();
        }
    }

    fn relieved(&self, relief: Relief, now: Us) -> bool {
        self.inputs.relief == relief && now >= seconds(self.inputs.relief_at_s)
    }

    fn send(&mut self, now: Us, number: u32, call: Call) {
        if call == Call::First {
            self.totals.offered += 1;
            self.series.at(now, |bin| bin.offered += 1);
            if let Some(at) = self.arrivals.at.get(number as usize + 1) {
                self.events.push(key(*at, number + 1, 0));
            }
        } else if self.relieved(Relief::RetriesOff, now) {
            return self.ended(now, number);
        }
        let draw = self.random.random::<f64>();
        let client = self.arrivals.client[number as usize] as usize;
        let Some(leave) = self.guards[client].ask(now / MS, call, draw) else {
            self.totals.held += 1;
            self.series.at(now, |bin| bin.held += 1);
            return self.ended(now, number);
        };
        self.totals.sent += 1;
        self.series.at(now, |bin| bin.sent += 1);
        let (at, outcome) = self.answer(now);
        let request = &mut self.requests[number as usize];
        request.sent += 1;
        request.next = Next::Hear(leave, outcome);
        self.events.push(key(at, number, 0));
    }

    /// What a client will hear of a call that is sent now, and when.
    fn answer(&mut self, now: Us) -> (Us, Outcome) {
        let throttled = Outcome::Failed(Failure::Throttled);
        let transient = Outcome::Failed(Failure::Transient);
        // Drawn for each call, used or not.
        let [shed, fail] = [(); 2].map(|()| self.random.random_range(0..100_u32));
        let inputs = &self.inputs;
        let shed_until = seconds(inputs.relief_at_s + inputs.relief_for_s);
        if self.relieved(Relief::Shed, now) && now < shed_until && shed < inputs.relief_share {
            self.totals.shed += 1;
            self.series.at(now, |bin| bin.errors += 1);
            return (now, throttled);
        }
        let outage = seconds(inputs.from_s)..seconds(inputs.until_s);
        if outage.contains(&now) && fail < inputs.fail {
            self.totals.errors += 1;
            self.series.at(now, |bin| bin.errors += 1);
            return (now, transient);
        }
        let given_up = now + inputs.timeout_ms * MS;
        let service = inputs.service_ms * MS;
        let latest = self
            .relieved(Relief::Deadlines, now)
            .then(|| given_up.saturating_sub(service));
        let done = match self.server.offer(now, latest) {
            Offer::Refused => {
                self.totals.rejected += 1;
                self.series.at(now, |bin| bin.rejected += 1);
                return (now, throttled);
            }
            Offer::Expires => {
                self.totals.expired += 1;
                self.given_up(given_up);
                return (given_up, transient);
            }
            Offer::Done(turn) => turn + service,
        };
        let restart = seconds(self.inputs.relief_at_s);
        if self.inputs.relief == Relief::Restart && now < restart && restart < done {
            self.totals.lost += 1;
            if given_up <= restart {
                self.given_up(given_up);
            } else {
                self.series.at(restart, |bin| bin.errors += 1);
            }
            return (restart.min(given_up), transient);
        }
        if done <= given_up {
            self.totals.served += 1;
            return (done, Outcome::Success);
        }
        self.totals.wasted += 1;
        self.series.at(done, |bin| bin.wasted += 1);
        self.given_up(given_up);
        (given_up, transient)
    }

    fn given_up(&mut self, at: Us) {
        self.totals.timed_out += 1;
        self.series.at(at, |bin| bin.timed_out += 1);
    }

    fn hear(&mut self, now: Us, number: u32, leave: G::Leave, outcome: Outcome) {
        let index = number as usize;
        let client = self.arrivals.client[index] as usize;
        self.guards[client].settle(now / MS, leave, outcome);
        let failure = match outcome {
            Outcome::Success => {
                let arrived = self.arrivals.at[index];
                self.totals.completed += 1;
                self.series.succeeded(now, now - arrived);
                self.windows.succeeded(arrived);
                self.requests[index].next = Next::Ended;
                return;
            }
            Outcome::Failed(failure) => failure,
            // The server of this model gives no such answer.
            Outcome::Final => return self.ended(now, number),
        };
        let retry = self.requests[index].sent;
        match self.waits.draw(retry, &mut self.random) {
            Some(wait) if !self.relieved(Relief::RetriesOff, now) => {
                self.requests[index].next = Next::Send(Call::Retry(failure));
                self.events.push(key(now + wait, number, 0));
            }
            _ => self.ended(now, number),
        }
    }

    /// A request ends without success.
    fn ended(&mut self, now: Us, number: u32) {
        self.totals.failed += 1;
        self.series.at(now, |bin| bin.failed += 1);
        self.requests[number as usize].next = Next::Ended;
    }
}
