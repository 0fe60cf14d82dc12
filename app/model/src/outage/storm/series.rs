//! What happened over time under one strategy.

use crate::outage::digest::Digest;
use crate::outage::server::Us;

/// The most bins that are kept. What happens later is counted in the totals only.
pub(super) const MOST: usize = 4096;

/// What happened in one bin of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutageBin {
    /// Requests that arrived.
    pub offered: u32,
    /// Calls that were sent, first ones and retries: the load on the server.
    pub sent: u32,
    /// Requests that succeeded: goodput.
    pub completed: u32,
    /// Requests that ended without success.
    pub failed: u32,
    /// Calls that a budget, throttle or breaker held back.
    pub held: u32,
    /// Calls that failed at once: because of the outage, by a restart, or shed.
    pub errors: u32,
    /// Calls that the full queue refused.
    pub rejected: u32,
    /// Calls that were given up.
    pub timed_out: u32,
    /// Calls whose work was done after they had been given up.
    pub wasted: u32,
    /// Calls in the server, waiting or in service, at the end of the bin.
    pub inside: u32,
}

/// Bins and what is sorted into them.
#[derive(Clone, Debug)]
pub(super) struct Series {
    width: Us,
    bins: Vec<OutageBin>,
    /// (bin, latency in µs) of each success, packed to be sorted.
    latencies: Vec<u64>,
    /// Up to where `inside` has been looked at.
    sampled: usize,
}

/// Bits of a latency in a packed pair: 2⁴⁰ µs are 12 days.
const LATENCY_BITS: u32 = 40;

impl Series {
    pub(super) const fn new(width: Us) -> Self {
        Self {
            width: if width == 0 { 1 } else { width },
            bins: Vec::new(),
            latencies: Vec::new(),
            sampled: 0,
        }
    }

    pub(super) fn bins(&self) -> &[OutageBin] {
        &self.bins
    }

    /// Changes the bin of a time.
    pub(super) fn at(&mut self, at: Us, change: impl FnOnce(&mut OutageBin)) {
        let index = usize::try_from(at / self.width).unwrap_or(MOST);
        if index >= MOST {
            return;
        }
        if index >= self.bins.len() {
            self.bins.resize(index + 1, OutageBin::default());
        }
        if let Some(bin) = self.bins.get_mut(index) {
            change(bin);
        }
    }

    /// The end of the next bin that has not been sampled, if it is over by now.
    pub(super) fn next_sample(&self, now: Us) -> Option<Us> {
        let end = (self.sampled as u64 + 1) * self.width;
        (self.sampled < MOST && end <= now).then_some(end)
    }

    pub(super) fn sample(&mut self, inside: u64) {
        let start = self.sampled as u64 * self.width;
        self.at(start, |bin| {
            bin.inside = u32::try_from(inside).unwrap_or(u32::MAX);
        });
        self.sampled += 1;
    }

    pub(super) fn succeeded(&mut self, at: Us, latency: Us) {
        self.at(at, |bin| bin.completed += 1);
        let bin = (at / self.width).min(MOST as u64);
        self.latencies.push((bin << LATENCY_BITS) | latency);
    }

    /// The latencies of all successes, rising, in µs.
    pub(super) fn latencies(&self) -> Vec<Us> {
        let mut all: Vec<_> = self
            .latencies
            .iter()
            .map(|pair| pair & ((1 << LATENCY_BITS) - 1))
            .collect();
        all.sort_unstable();
        all
    }

    /// The latencies of the successes of each bin, rising, in µs.
    pub(super) fn latencies_by_bin(&self) -> Vec<Vec<Us>> {
        let mut sorted = self.latencies.clone();
        sorted.sort_unstable();
        let mut bins = vec![Vec::new(); self.bins.len()];
        for pair in sorted {
            if let Some(bin) = bins.get_mut((pair >> LATENCY_BITS) as usize) {
                bin.push(pair & ((1 << LATENCY_BITS) - 1));
            }
        }
        bins
    }

    pub(super) fn digest(&self, digest: &mut Digest) {
        for bin in &self.bins {
            for pair in [
                (bin.offered, bin.sent),
                (bin.completed, bin.failed),
                (bin.held, bin.errors),
                (bin.rejected, bin.timed_out),
                (bin.wasted, bin.inside),
            ] {
                digest.add(u64::from(pair.0) << 32 | u64::from(pair.1));
            }
        }
        for latency in self.latencies() {
            digest.add(latency);
        }
    }
}
