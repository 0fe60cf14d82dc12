//! What the outage's page asks for.

use super::{OutageField, Relief, strategy};
use crate::Ms;
use crate::outage::form::{Form, Inputs, Problem, Wrong};
use crate::outage::server::{MS, Us};
use crate::retry::plan::Why;
use crate::retry::{Jitter, Policy};

/// A problem with a field of the outage's form.
pub type OutageProblem = Problem<OutageField>;

/// The outage's form.
pub type OutageForm = Form<OutageInputs>;

/// An outage, the load and the server that it meets, and how clients retry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutageInputs {
    /// Requests a second.
    pub rate: u32,
    /// For how long requests arrive, in s.
    pub seconds: u32,
    /// Client processes, each with a budget of its own.
    pub clients: u32,
    /// What the server handles in a second.
    pub capacity: u32,
    /// How many calls may wait in the server.
    pub queue: u32,
    /// What a call needs beside its turn, in ms.
    pub service_ms: Ms,
    /// How long a client waits for an answer, in ms.
    pub timeout_ms: Ms,
    /// Attempts in all; the first call counts.
    pub attempts: u32,
    /// The first window, in ms; the wait of fixed retries.
    pub base_ms: Ms,
    /// By what windows grow.
    pub factor: f64,
    /// What no window exceeds, in ms.
    pub cap_ms: Ms,
    /// When the outage starts, in s.
    pub from_s: u32,
    /// When its cause is gone, in s.
    pub until_s: u32,
    /// The share of capacity that is lost meanwhile, in per cent.
    pub loss: u32,
    /// The share of calls that fail meanwhile, in per cent.
    pub fail: u32,
    /// What is done about it.
    pub relief: Relief,
    /// When it is done, in s.
    pub relief_at_s: u32,
    /// For how long calls are shed, in s.
    pub relief_for_s: u32,
    /// The share of calls that is shed (above 100 is 100), or of capacity that is
    /// added, in per cent.
    pub relief_share: u32,
    /// The width of a bin, in ms.
    pub bin_ms: Ms,
    /// What all draws come from.
    pub seed: u64,
}

impl Default for OutageInputs {
    /// A minute at 70 % load; one server of two is down from 5 to 10 s.
    fn default() -> Self {
        Self {
            rate: 70,
            seconds: 60,
            clients: 10,
            capacity: 100,
            queue: 200,
            service_ms: 20,
            timeout_ms: 500,
            attempts: Policy::LESSON.attempts,
            base_ms: Policy::LESSON.base_ms,
            factor: Policy::LESSON.factor,
            cap_ms: Policy::LESSON.cap_ms,
            from_s: 5,
            until_s: 10,
            loss: 50,
            fail: 50,
            relief: Relief::None,
            relief_at_s: 30,
            relief_for_s: 10,
            relief_share: 80,
            bin_ms: 1000,
            seed: 1,
        }
    }
}

impl OutageInputs {
    /// The longest run, in s.
    pub const LONGEST_S: u32 = 600;
    /// The longest window, time-out, service time or bin, in ms.
    pub const LONGEST_MS: Ms = 60_000;
    /// The most requests of a run: rate × seconds.
    pub const MOST_REQUESTS: u32 = 100_000;
    /// The most calls that a run of one strategy can come to: requests × attempts.
    pub const MOST_CALLS: u32 = 1_000_000;
    /// The most bins that are kept.
    pub const MOST_BINS: usize = super::series::MOST;

    /// The inputs within all limits, whatever is in them.
    #[must_use]
    pub fn bounded(self) -> Self {
        use OutageField as F;
        let rate = F::Rate.limits().clamp_small(self.rate);
        let seconds = F::Seconds
            .limits()
            .clamp_small(self.seconds)
            .min(Self::MOST_REQUESTS / rate);
        let base_ms = F::Base.limits().clamp(self.base_ms);
        let from_s = F::From.limits().clamp_small(self.from_s);
        Self {
            rate,
            seconds,
            clients: F::Clients.limits().clamp_small(self.clients),
            capacity: F::Capacity.limits().clamp_small(self.capacity),
            queue: F::Queue.limits().clamp_small(self.queue),
            service_ms: F::Service.limits().clamp(self.service_ms),
            timeout_ms: F::Timeout.limits().clamp(self.timeout_ms),
            attempts: F::Attempts
                .limits()
                .clamp_small(self.attempts)
                .min(Self::MOST_CALLS / (rate * seconds)),
            base_ms,
            factor: F::Factor
                .limits()
                .number_or(self.factor, Policy::LESSON.factor),
            cap_ms: F::Cap.limits().clamp(self.cap_ms).max(base_ms),
            from_s,
            until_s: F::Until.limits().clamp_small(self.until_s).max(from_s),
            loss: F::Loss.limits().clamp_small(self.loss),
            fail: F::Fail.limits().clamp_small(self.fail),
            relief: self.relief,
            relief_at_s: F::ReliefAt.limits().clamp_small(self.relief_at_s),
            relief_for_s: F::ReliefFor.limits().clamp_small(self.relief_for_s),
            relief_share: F::ReliefShare.limits().clamp_small(self.relief_share),
            bin_ms: F::Bin.limits().clamp(self.bin_ms),
            seed: F::Seed.limits().clamp(self.seed),
        }
    }

    /// How many requests arrive.
    #[must_use]
    pub const fn requests(&self) -> u32 {
        self.rate * self.seconds
    }

    /// When the last request can arrive, in µs.
    pub(super) fn end_us(&self) -> Us {
        seconds(self.seconds)
    }

    /// The windows of that many attempts, in µs.
    pub(super) fn windows(&self, attempts: u32) -> Vec<Us> {
        strategy::windows(&Policy {
            attempts,
            base_ms: self.base_ms,
            factor: self.factor,
            cap_ms: self.cap_ms,
            jitter: Jitter::None,
            timeout_ms: self.timeout_ms,
        })
    }

    /// From when (µs) the server has which share of its capacity, in per cent.
    pub(super) fn capacity_over_time(&self) -> Vec<(Us, u32)> {
        let (from, until) = (seconds(self.from_s), seconds(self.until_s));
        let more = match self.relief {
            Relief::Capacity => self.relief_share,
            _ => 0,
        };
        let at = seconds(self.relief_at_s);
        let mut moments = vec![0, from, until, at];
        moments.sort_unstable();
        moments.dedup();
        moments
            .into_iter()
            .map(|moment| {
                let whole = 100 + if moment >= at { more } else { 0 };
                let lost = (from..until).contains(&moment);
                (
                    moment,
                    if lost {
                        whole * (100 - self.loss) / 100
                    } else {
                        whole
                    },
                )
            })
            .collect()
    }
}

/// s as µs.
pub(super) fn seconds(s: u32) -> Us {
    u64::from(s) * 1000 * MS
}

impl Inputs for OutageInputs {
    type Field = OutageField;

    fn text(&self, field: OutageField) -> String {
        match field {
            OutageField::Rate => self.rate.to_string(),
            OutageField::Seconds => self.seconds.to_string(),
            OutageField::Clients => self.clients.to_string(),
            OutageField::Capacity => self.capacity.to_string(),
            OutageField::Queue => self.queue.to_string(),
            OutageField::Service => self.service_ms.to_string(),
            OutageField::Timeout => self.timeout_ms.to_string(),
            OutageField::Attempts => self.attempts.to_string(),
            OutageField::Base => self.base_ms.to_string(),
            OutageField::Factor => self.factor.to_string(),
            OutageField::Cap => self.cap_ms.to_string(),
            OutageField::From => self.from_s.to_string(),
            OutageField::Until => self.until_s.to_string(),
            OutageField::Loss => self.loss.to_string(),
            OutageField::Fail => self.fail.to_string(),
            OutageField::Relief => self.relief.name().to_owned(),
            OutageField::ReliefAt => self.relief_at_s.to_string(),
            OutageField::ReliefFor => self.relief_for_s.to_string(),
            OutageField::ReliefShare => self.relief_share.to_string(),
            OutageField::Bin => self.bin_ms.to_string(),
            OutageField::Seed => self.seed.to_string(),
        }
    }

    fn set(&mut self, field: OutageField, text: &str) -> Result<(), Why> {
        let limits = field.limits();
        match field {
            OutageField::Rate => self.rate = limits.small(text)?,
            OutageField::Seconds => self.seconds = limits.small(text)?,
            OutageField::Clients => self.clients = limits.small(text)?,
            OutageField::Capacity => self.capacity = limits.small(text)?,
            OutageField::Queue => self.queue = limits.small(text)?,
            OutageField::Service => self.service_ms = limits.whole(text)?,
            OutageField::Timeout => self.timeout_ms = limits.whole(text)?,
            OutageField::Attempts => self.attempts = limits.small(text)?,
            OutageField::Base => self.base_ms = limits.whole(text)?,
            OutageField::Factor => self.factor = limits.number(text)?,
            OutageField::Cap => self.cap_ms = limits.whole(text)?,
            OutageField::From => self.from_s = limits.small(text)?,
            OutageField::Until => self.until_s = limits.small(text)?,
            OutageField::Loss => self.loss = limits.small(text)?,
            OutageField::Fail => self.fail = limits.small(text)?,
            OutageField::Relief => self.relief = Relief::read(text)?,
            OutageField::ReliefAt => self.relief_at_s = limits.small(text)?,
            OutageField::ReliefFor => self.relief_for_s = limits.small(text)?,
            OutageField::ReliefShare => self.relief_share = limits.small(text)?,
            OutageField::Bin => self.bin_ms = limits.whole(text)?,
            OutageField::Seed => self.seed = limits.whole(text)?,
        }
        Ok(())
    }

    fn mended(self) -> (Self, Vec<(OutageField, Wrong)>) {
        let used = self.bounded();
        let mut changed = Vec::new();
        if used.seconds < self.seconds {
            let wrong = Wrong::TooMuch {
                most: Self::MOST_REQUESTS.into(),
                what: "requests",
                used: used.seconds.into(),
            };
            changed.push((OutageField::Seconds, wrong));
        }
        if used.attempts < self.attempts {
            let wrong = Wrong::TooMuch {
                most: Self::MOST_CALLS.into(),
                what: "calls",
                used: used.attempts.into(),
            };
            changed.push((OutageField::Attempts, wrong));
        }
        if used.cap_ms > self.cap_ms {
            changed.push((OutageField::Cap, Wrong::CapBelowBase(used.cap_ms)));
        }
        if used.until_s > self.until_s {
            let wrong = Wrong::EndsBeforeItStarts(used.until_s);
            changed.push((OutageField::Until, wrong));
        }
        (used, changed)
    }
}
