//! What the herd's page asks for.

use crate::Ms;
use crate::outage::query::{Given, Problem, Reader, Wrong};
use crate::retry::{Jitter, Policy};
use std::fmt;

/// The fields of the herd's form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HerdField {
    /// How many clients failed together.
    Clients,
    /// Attempts in all, the failed first one included.
    Attempts,
    /// The first window, in ms.
    Base,
    /// By what windows grow.
    Factor,
    /// What no window exceeds, in ms.
    Cap,
    /// How long a client waits for an answer, in ms.
    Timeout,
    /// What the server handles in a second.
    Capacity,
    /// How many calls may wait in the server.
    Queue,
    /// The width of a bin of the picture, in ms.
    Bin,
    /// What all draws come from.
    Seed,
}

impl HerdField {
    /// All of them, in the order of the form and of the query string.
    pub const ALL: [Self; 10] = [
        Self::Clients,
        Self::Attempts,
        Self::Base,
        Self::Factor,
        Self::Cap,
        Self::Timeout,
        Self::Capacity,
        Self::Queue,
        Self::Bin,
        Self::Seed,
    ];

    /// Its name in the query string.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Clients => "clients",
            Self::Attempts => "attempts",
            Self::Base => "base",
            Self::Factor => "factor",
            Self::Cap => "cap",
            Self::Timeout => "timeout",
            Self::Capacity => "capacity",
            Self::Queue => "queue",
            Self::Bin => "bin",
            Self::Seed => "seed",
        }
    }

    const fn named(self) -> (Self, &'static str) {
        (self, self.name())
    }

    /// The least and the most that it may be.
    #[must_use]
    pub const fn range(self) -> (u64, u64) {
        match self {
            Self::Clients => (1, HerdInputs::MOST_CLIENTS as u64),
            Self::Attempts => (1, Policy::MOST_ATTEMPTS as u64),
            Self::Base | Self::Cap => (0, HerdInputs::LONGEST_MS),
            Self::Factor => (1, 1000),
            Self::Timeout | Self::Bin => (1, HerdInputs::LONGEST_MS),
            Self::Capacity => (1, 1_000_000),
            Self::Queue => (0, 1_000_000),
            Self::Seed => (0, u64::MAX),
        }
    }
}

/// A problem with a field of the herd's form.
pub type HerdProblem = Problem<HerdField>;

/// A herd, its policy and its server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HerdInputs {
    /// How many clients failed together.
    pub clients: u32,
    /// Attempts in all; the first one has failed before time 0.
    pub attempts: u32,
    /// The first window, in ms.
    pub base_ms: Ms,
    /// By what windows grow.
    pub factor: f64,
    /// What no window exceeds, in ms.
    pub cap_ms: Ms,
    /// How long a client waits for an answer, in ms.
    pub timeout_ms: Ms,
    /// What the server handles in a second.
    pub capacity: u32,
    /// How many calls may wait in the server.
    pub queue: u32,
    /// The width of a bin, in ms.
    pub bin_ms: Ms,
    /// What all draws come from.
    pub seed: u64,
}

impl Default for HerdInputs {
    /// A thousand clients with the lesson's policy, and a server that could handle
    /// all of them in a second.
    fn default() -> Self {
        Self {
            clients: 1000,
            attempts: Policy::LESSON.attempts,
            base_ms: Policy::LESSON.base_ms,
            factor: Policy::LESSON.factor,
            cap_ms: Policy::LESSON.cap_ms,
            timeout_ms: 500,
            capacity: 1000,
            queue: 100,
            bin_ms: 10,
            seed: 1,
        }
    }
}

impl HerdInputs {
    /// The most clients of a run.
    pub const MOST_CLIENTS: u32 = 1_000_000;
    /// The most calls that a run of one kind can come to: clients × retries.
    pub const MOST_CALLS: u64 = 10_000_000;
    /// The most bins that are kept.
    pub const MOST_BINS: usize = super::series::Series::MOST;
    /// The longest window, time-out or bin, in ms.
    pub const LONGEST_MS: Ms = 60_000;

    /// Reads the query string of `/herd`. What is missing or empty has its default.
    /// The inputs can always be run; the problems say where they are not what was
    /// typed.
    #[must_use]
    pub fn read(query: &str) -> (Self, Vec<HerdProblem>) {
        use HerdField as F;
        let given = Given::read(query);
        let mut reader = Reader::new(&given);
        let default = Self::default();
        let whole = |reader: &mut Reader<'_, F>, field: F, default: u64| {
            reader.whole(field.named(), default, field.range())
        };
        let small = |reader: &mut Reader<'_, F>, field: F, default: u32| {
            let (least, most) = field.range();
            // No such field has a range beyond 32 bits.
            reader.small(field.named(), default, (least as u32, most as u32))
        };
        let mut inputs = Self {
            clients: small(&mut reader, F::Clients, default.clients),
            attempts: small(&mut reader, F::Attempts, default.attempts),
            base_ms: whole(&mut reader, F::Base, default.base_ms),
            factor: {
                let (least, most) = F::Factor.range();
                let range = (least as f64, most as f64);
                reader.number(F::Factor.named(), default.factor, range)
            },
            cap_ms: whole(&mut reader, F::Cap, default.cap_ms),
            timeout_ms: whole(&mut reader, F::Timeout, default.timeout_ms),
            capacity: small(&mut reader, F::Capacity, default.capacity),
            queue: small(&mut reader, F::Queue, default.queue),
            bin_ms: whole(&mut reader, F::Bin, default.bin_ms),
            seed: whole(&mut reader, F::Seed, default.seed),
        };
        if inputs.cap_ms < inputs.base_ms {
            let base_ms = inputs.base_ms;
            reader.wrong(F::Cap, F::Cap.name(), Wrong::CapBelowBase { base_ms });
        }
        let asked = inputs.attempts;
        inputs = inputs.bounded();
        if inputs.attempts < asked {
            let wrong = Wrong::TooManyCalls {
                most: Self::MOST_CALLS,
                used: inputs.attempts.into(),
            };
            reader.wrong(F::Attempts, F::Attempts.name(), wrong);
        }
        (inputs, reader.problems())
    }

    /// The inputs within all limits, whatever is in them.
    #[must_use]
    pub fn bounded(self) -> Self {
        let small = |field: HerdField, value: u32| {
            let (least, most) = field.range();
            value.clamp(least as u32, most as u32)
        };
        let whole = |field: HerdField, value: u64| {
            let (least, most) = field.range();
            value.clamp(least, most)
        };
        let clients = small(HerdField::Clients, self.clients);
        let base_ms = whole(HerdField::Base, self.base_ms);
        let fitting = Self::MOST_CALLS / u64::from(clients) + 1;
        Self {
            clients,
            attempts: small(HerdField::Attempts, self.attempts)
                .min(u32::try_from(fitting).unwrap_or(u32::MAX)),
            base_ms,
            // NaN is in no range.
            factor: match (1.0..=1000.0).contains(&self.factor) {
                true => self.factor,
                false => Policy::LESSON.factor,
            },
            cap_ms: whole(HerdField::Cap, self.cap_ms).max(base_ms),
            timeout_ms: whole(HerdField::Timeout, self.timeout_ms),
            capacity: small(HerdField::Capacity, self.capacity),
            queue: small(HerdField::Queue, self.queue),
            bin_ms: whole(HerdField::Bin, self.bin_ms),
            seed: self.seed,
        }
    }

    /// The windows and the time-out as a policy; the kind of jitter is not in it.
    #[must_use]
    pub const fn policy(&self) -> Policy {
        Policy {
            attempts: self.attempts,
            base_ms: self.base_ms,
            factor: self.factor,
            cap_ms: self.cap_ms,
            jitter: Jitter::None,
            timeout_ms: self.timeout_ms,
        }
    }
}

/// The query string of these inputs, with every field.
impl fmt::Display for HerdInputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, field) in HerdField::ALL.into_iter().enumerate() {
            if at > 0 {
                f.write_str("&")?;
            }
            write!(f, "{}=", field.name())?;
            match field {
                HerdField::Clients => self.clients.fmt(f),
                HerdField::Attempts => self.attempts.fmt(f),
                HerdField::Base => self.base_ms.fmt(f),
                HerdField::Factor => self.factor.fmt(f),
                HerdField::Cap => self.cap_ms.fmt(f),
                HerdField::Timeout => self.timeout_ms.fmt(f),
                HerdField::Capacity => self.capacity.fmt(f),
                HerdField::Queue => self.queue.fmt(f),
                HerdField::Bin => self.bin_ms.fmt(f),
                HerdField::Seed => self.seed.fmt(f),
            }?;
        }
        Ok(())
    }
}
