//! The fields of the outage's form.

use super::{OutageInputs, Relief};
use crate::outage::form::{Fields, Limits, MOST_SEED};
use crate::retry::Policy;

/// The fields of the outage's form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OutageField {
    /// Requests a second.
    Rate,
    /// For how long requests arrive, in s.
    Seconds,
    /// Client processes, each with a budget of its own.
    Clients,
    /// What the server handles in a second.
    Capacity,
    /// How many calls may wait in the server.
    Queue,
    /// What a call needs beside its turn, in ms.
    Service,
    /// How long a client waits for an answer, in ms.
    Timeout,
    /// Attempts in all; the first call counts.
    Attempts,
    /// The first window, in ms.
    Base,
    /// By what windows grow.
    Factor,
    /// What no window exceeds, in ms.
    Cap,
    /// When the outage starts, in s.
    From,
    /// When its cause is gone, in s.
    Until,
    /// The share of capacity that is lost meanwhile, in per cent.
    Loss,
    /// The share of calls that fail meanwhile, in per cent.
    Fail,
    /// What is done about it.
    Relief,
    /// When it is done, in s.
    ReliefAt,
    /// For how long calls are shed, in s.
    ReliefFor,
    /// The share of calls that is shed, or of capacity that is added, in per cent.
    ReliefShare,
    /// The width of a bin of the picture, in ms.
    Bin,
    /// What all draws come from.
    Seed,
}

impl Fields for OutageField {
    const ALL: &'static [Self] = &[
        Self::Rate,
        Self::Seconds,
        Self::Clients,
        Self::Capacity,
        Self::Queue,
        Self::Service,
        Self::Timeout,
        Self::Attempts,
        Self::Base,
        Self::Factor,
        Self::Cap,
        Self::From,
        Self::Until,
        Self::Loss,
        Self::Fail,
        Self::Relief,
        Self::ReliefAt,
        Self::ReliefFor,
        Self::ReliefShare,
        Self::Bin,
        Self::Seed,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Rate => "rate",
            Self::Seconds => "seconds",
            Self::Clients => "clients",
            Self::Capacity => "capacity",
            Self::Queue => "queue",
            Self::Service => "service",
            Self::Timeout => "timeout",
            Self::Attempts => "attempts",
            Self::Base => "base",
            Self::Factor => "factor",
            Self::Cap => "cap",
            Self::From => "from",
            Self::Until => "until",
            Self::Loss => "loss",
            Self::Fail => "fail",
            Self::Relief => "relief",
            Self::ReliefAt => "relief-at",
            Self::ReliefFor => "relief-for",
            Self::ReliefShare => "relief-share",
            Self::Bin => "bin",
            Self::Seed => "seed",
        }
    }
}

impl OutageField {
    /// From where to where it may go. [`Self::Relief`] is a word.
    #[must_use]
    pub const fn limits(self) -> Limits {
        const LONGEST_S: u64 = OutageInputs::LONGEST_S as u64;
        match self {
            Self::Rate => Limits::plain(1, 10_000),
            Self::Seconds => Limits::plain(1, LONGEST_S),
            Self::Clients => Limits::plain(1, 1000),
            Self::Capacity => Limits::plain(1, 1_000_000),
            Self::Queue => Limits::plain(0, 1_000_000),
            Self::Service | Self::Base | Self::Cap => Limits::ms(0, OutageInputs::LONGEST_MS),
            Self::Timeout | Self::Bin => Limits::ms(1, OutageInputs::LONGEST_MS),
            Self::Attempts => Limits::attempts(Policy::MOST_ATTEMPTS),
            Self::Factor => Limits::plain(1, 1000),
            Self::From | Self::Until | Self::ReliefAt | Self::ReliefFor => {
                Limits::plain(0, LONGEST_S)
            }
            Self::Loss | Self::Fail => Limits::plain(0, 100),
            Self::ReliefShare => Limits::plain(0, 1000),
            Self::Relief => Limits::plain(0, Relief::ALL.len() as u64 - 1),
            Self::Seed => Limits::plain(0, MOST_SEED),
        }
    }
}
