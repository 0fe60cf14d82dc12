//! What a strategy came to: totals, latency, and whether it recovered.

use super::OutageInputs;
use super::inputs::seconds;
use crate::Ms;
use crate::outage::server::{MS, Us};

/// Percentiles of the latency of requests that succeeded, in ms, from a request's
/// arrival to its success, waits and failed calls included. Nearest rank: the least
/// latency that so many per cent do not exceed. What failed is not in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Latency {
    /// Half of the requests took no longer.
    pub p50_ms: f64,
    /// 95 of 100 took no longer.
    pub p95_ms: f64,
    /// 99 of 100 took no longer.
    pub p99_ms: f64,
}

impl Latency {
    /// Of rising latencies in µs; nothing where there are none.
    pub(super) fn of(rising: &[Us]) -> Option<Self> {
        let at = |percent: usize| {
            let rank = (rising.len() * percent).div_ceil(100);
            rising
                .get(rank.checked_sub(1)?)
                .map(|us| *us as f64 / MS as f64)
        };
        Some(Self {
            p50_ms: at(50)?,
            p95_ms: at(95)?,
            p99_ms: at(99)?,
        })
    }
}

/// Whether the system works again once the cause is gone. It works while nine of
/// ten requests that arrive succeed in the end, looked at in windows of a second, or
/// of as long as twenty requests take to arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Recovery {
    /// Nine of ten succeeded all the time.
    NeverBroke,
    /// In every window that starts then or later; at least in the last three.
    At {
        /// In ms from the start of the run; no earlier than the end of the cause.
        ms: Ms,
    },
    /// The cause is gone and one of the last three windows is still broken: the
    /// failure keeps itself up (it is metastable), as far as this run can tell.
    Never,
    /// The cause goes too late, or not at all: fewer than three windows follow.
    Unknown,
}

/// A whole run in figures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutageSummary {
    /// Requests that arrived. Each one completes or fails.
    pub offered: u64,
    /// Requests that succeeded.
    pub completed: u64,
    /// Requests that did not.
    pub failed: u64,
    /// Calls that were sent: the load on the server. Each one is served, wasted,
    /// rejected, shed, expired, lost, or an error of the outage.
    pub sent: u64,
    /// Calls that a budget, throttle or breaker held back.
    pub held: u64,
    /// Calls that were answered in time.
    pub served: u64,
    /// Calls whose work was done after they had been given up.
    pub wasted: u64,
    /// Calls that the full queue refused.
    pub rejected: u64,
    /// Calls that failed because of the outage.
    pub errors: u64,
    /// Calls that were shed.
    pub shed: u64,
    /// Calls in the server when it restarted.
    pub lost: u64,
    /// Calls that the server threw out because their deadline was over.
    pub expired: u64,
    /// Calls that were given up.
    pub timed_out: u64,
    /// Completed of offered.
    pub success: f64,
    /// Sent for each one offered: 1 is a load without retries.
    pub load: f64,
    /// Requests that succeed a second, of those that arrived once the cause was
    /// gone; nothing where none could.
    pub goodput_after: Option<f64>,
    /// Of those that succeeded, if any did.
    pub latency: Option<Latency>,
    /// Whether the system came back.
    pub recovery: Recovery,
}

/// Arrivals and successes by the window of the arrival.
#[derive(Clone, Debug)]
pub(super) struct Windows {
    width: Us,
    end: Us,
    until: Us,
    from: Us,
    succeeded: Vec<u32>,
}

impl Windows {
    /// Requests that a window holds on average, at the least.
    const REQUESTS: u64 = 20;
    /// Windows at the end that have to work.
    const TELLING: usize = 3;

    pub(super) fn new(inputs: &OutageInputs) -> Self {
        let second = 1000 * MS;
        let width = second.max(Self::REQUESTS * second / u64::from(inputs.rate.max(1)));
        let end = inputs.end_us();
        Self {
            width,
            end,
            from: seconds(inputs.from_s),
            until: seconds(inputs.until_s),
            succeeded: vec![0; usize::try_from(end.div_ceil(width)).unwrap_or(0)],
        }
    }

    fn index(&self, at: Us) -> usize {
        usize::try_from(at / self.width).unwrap_or(usize::MAX)
    }

    pub(super) fn succeeded(&mut self, arrived: Us) {
        let index = self.index(arrived);
        if let Some(count) = self.succeeded.get_mut(index) {
            *count += 1;
        }
    }

    /// The verdict, given when the requests arrived.
    pub(super) fn recovery(&self, arrivals: &[Us]) -> Recovery {
        let mut arrived = vec![0_u32; self.succeeded.len()];
        for at in arrivals {
            let index = self.index(*at);
            if let Some(count) = arrived.get_mut(index) {
                *count += 1;
            }
        }
        let works: Vec<_> = arrived
            .iter()
            .zip(&self.succeeded)
            .map(|(all, good)| u64::from(*good) * 10 >= u64::from(*all) * 9)
            .collect();
        let during = self.index(self.from).min(works.len());
        if works[during..].iter().all(|works| *works) {
            return Recovery::NeverBroke;
        }
        // Windows that start when the cause is gone.
        let after = usize::try_from(self.until.div_ceil(self.width)).unwrap_or(usize::MAX);
        if after + Self::TELLING > works.len() {
            return Recovery::Unknown;
        }
        let back = works
            .iter()
            .rposition(|works| !works)
            .map_or(0, |at| at + 1);
        if back + Self::TELLING > works.len() {
            return Recovery::Never;
        }
        Recovery::At {
            ms: back.max(after) as u64 * self.width / MS,
        }
    }

    /// Successes a second of the arrivals in windows that start when the cause is
    /// gone.
    pub(super) fn goodput_after(&self) -> Option<f64> {
        let after = usize::try_from(self.until.div_ceil(self.width)).unwrap_or(usize::MAX);
        let good: u64 = self
            .succeeded
            .get(after..)?
            .iter()
            .map(|count| u64::from(*count))
            .sum();
        let length = self.end.checked_sub(after as u64 * self.width)?;
        (length > 0).then(|| good as f64 / (length as f64 / 1e6))
    }
}
