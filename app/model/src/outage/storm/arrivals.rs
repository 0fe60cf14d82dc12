//! The requests, the same for every strategy.

use super::OutageInputs;
use crate::outage::server::Us;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

/// When each request arrives, and at which client process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Arrivals {
    /// Rising, in µs.
    pub(super) at: Vec<Us>,
    pub(super) client: Vec<u32>,
}

impl Arrivals {
    pub(super) fn draw(inputs: &OutageInputs) -> Self {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(inputs.seed);
        let end = inputs.end_us();
        let count = inputs.requests();
        let mut at: Vec<Us> = (0..count).map(|_| random.random_range(0..end)).collect();
        at.sort_unstable();
        let client = (0..count)
            .map(|_| random.random_range(0..inputs.clients))
            .collect();
        Self { at, client }
    }
}
