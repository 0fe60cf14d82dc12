//! What a run of the herd came to, over time and in all.

use crate::Ms;
use crate::outage::digest::Digest;
use crate::outage::server::Us;

/// What happened in one bin of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bin {
    /// Calls that reached the server.
    pub arrivals: u32,
    /// Of these, refused because the queue was full.
    pub rejected: u32,
    /// Calls that were answered in time.
    pub served: u32,
    /// Calls whose work was done after the client had given them up.
    pub wasted: u32,
    /// Calls that were given up.
    pub timed_out: u32,
    /// Clients that had no attempt left.
    pub gave_up: u32,
}

/// A whole run in figures. Times in ms from the moment when all clients failed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HerdSummary {
    /// Calls that reached the server after time 0: the retries. Each one is served,
    /// wasted or rejected.
    pub calls: u64,
    /// Calls that were answered in time: as many as there are clients that got
    /// through.
    pub served: u64,
    /// Calls whose work was done after the client had given them up.
    pub wasted: u64,
    /// Calls that were refused because the queue was full.
    pub rejected: u64,
    /// Clients that used up their attempts.
    pub gave_up: u64,
    /// Arrivals in the busiest bin.
    pub peak: u32,
    /// Where the busiest bin starts; the first of them, if there are several.
    pub peak_at_ms: Ms,
    /// When the last client was served or gave up.
    pub drained_ms: f64,
    /// Time to recover: when a call failed for the last time, by refusal or by
    /// time-out. All calls after it were answered in time. 0 if none failed.
    pub recovered_ms: f64,
    /// When the server had done its last work, the wasted included.
    pub idle_ms: f64,
}

/// Counts events into bins. The counters of each kind only move forward in time.
#[derive(Clone, Debug)]
pub(super) struct Series {
    width: Us,
    bins: Vec<Bin>,
    /// Arrivals in the bin that is being filled.
    filling: u32,
    pub(super) peak: u32,
    peak_index: u64,
    arrivals: Cursor,
    rejected: Cursor,
    done: Cursor,
    timed_out: Cursor,
}

/// The bin of a time that only moves forward: a division only when the bin changes.
#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    index: u64,
    end: Us,
}

impl Cursor {
    /// Whether the bin changed.
    const fn move_to(&mut self, at: Us, width: Us) -> bool {
        if at < self.end {
            return false;
        }
        let index = at / width;
        let changed = index != self.index;
        self.index = index;
        self.end = (index + 1) * width;
        changed
    }
}

impl Series {
    /// The most bins that are kept. What happens later is counted in the summary
    /// and the peak only.
    pub(super) const MOST: usize = 4096;

    pub(super) fn new(width: Us) -> Self {
        Self {
            width: width.max(1),
            bins: Vec::new(),
            filling: 0,
            peak: 0,
            peak_index: 0,
            arrivals: Cursor::default(),
            rejected: Cursor::default(),
            done: Cursor::default(),
            timed_out: Cursor::default(),
        }
    }

    pub(super) fn bins(&self) -> &[Bin] {
        &self.bins
    }

    /// Where the busiest bin starts.
    pub(super) const fn peak_at(&self) -> Us {
        self.peak_index * self.width
    }

    fn bin(&mut self, index: u64) -> Option<&mut Bin> {
        let index = usize::try_from(index).ok().filter(|i| *i < Self::MOST)?;
        if index >= self.bins.len() {
            self.bins.resize(index + 1, Bin::default());
        }
        self.bins.get_mut(index)
    }

    pub(super) fn arrival(&mut self, at: Us) {
        if self.arrivals.move_to(at, self.width) {
            self.filling = 0;
        }
        self.filling += 1;
        if self.filling > self.peak {
            self.peak = self.filling;
            self.peak_index = self.arrivals.index;
        }
        if let Some(bin) = self.bin(self.arrivals.index) {
            bin.arrivals += 1;
        }
    }

    /// A call is refused, for its client's last time if so.
    pub(super) fn rejected(&mut self, at: Us, last: bool) {
        self.rejected.move_to(at, self.width);
        if let Some(bin) = self.bin(self.rejected.index) {
            bin.rejected += 1;
            bin.gave_up += u32::from(last);
        }
    }

    pub(super) fn served(&mut self, at: Us) {
        self.done.move_to(at, self.width);
        if let Some(bin) = self.bin(self.done.index) {
            bin.served += 1;
        }
    }

    /// A call is given up, for its client's last time if so, and its work is done
    /// later for nothing.
    pub(super) fn wasted(&mut self, given_up: Us, done: Us, last: bool) {
        self.timed_out.move_to(given_up, self.width);
        if let Some(bin) = self.bin(self.timed_out.index) {
            bin.timed_out += 1;
            bin.gave_up += u32::from(last);
        }
        self.done.move_to(done, self.width);
        if let Some(bin) = self.bin(self.done.index) {
            bin.wasted += 1;
        }
    }

    pub(super) fn digest(&self, digest: &mut Digest) {
        for bin in &self.bins {
            for pair in [
                (bin.arrivals, bin.rejected),
                (bin.served, bin.wasted),
                (bin.timed_out, bin.gave_up),
            ] {
                digest.add(u64::from(pair.0) << 32 | u64::from(pair.1));
            }
        }
    }
}
