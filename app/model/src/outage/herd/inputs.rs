//! What the herd's page asks for.

use crate::Ms;
use crate::outage::form::{Fields, Form, Inputs, Limits, MOST_SEED, Problem, Wrong};
use crate::retry::plan::Why;
use crate::retry::{Jitter, Policy};

/// The fields of the herd's form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
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

impl Fields for HerdField {
    const ALL: &'static [Self] = &[
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

    fn name(self) -> &'static str {
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
}

impl HerdField {
    /// From where to where it may go.
    #[must_use]
    pub const fn limits(self) -> Limits {
        match self {
            Self::Clients => Limits::plain(1, HerdInputs::MOST_CLIENTS as u64),
            Self::Attempts => Limits::attempts(Policy::MOST_ATTEMPTS),
            Self::Base | Self::Cap => Limits::ms(0, HerdInputs::LONGEST_MS),
            Self::Factor => Limits::plain(1, 1000),
            Self::Timeout | Self::Bin => Limits::ms(1, HerdInputs::LONGEST_MS),
            Self::Capacity => Limits::plain(1, 1_000_000),
            Self::Queue => Limits::plain(0, 1_000_000),
            Self::Seed => Limits::plain(0, MOST_SEED),
        }
    }
}

/// A problem with a field of the herd's form.
pub type HerdProblem = Problem<HerdField>;

/// The herd's form.
pub type HerdForm = Form<HerdInputs>;

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

    /// The inputs within all limits, whatever is in them.
    #[must_use]
    pub fn bounded(self) -> Self {
        use HerdField as F;
        let clients = F::Clients.limits().clamp_small(self.clients);
        let base_ms = F::Base.limits().clamp(self.base_ms);
        let fitting = Self::MOST_CALLS / u64::from(clients) + 1;
        Self {
            clients,
            attempts: F::Attempts
                .limits()
                .clamp_small(self.attempts)
                .min(u32::try_from(fitting).unwrap_or(u32::MAX)),
            base_ms,
            factor: F::Factor
                .limits()
                .number_or(self.factor, Policy::LESSON.factor),
            cap_ms: F::Cap.limits().clamp(self.cap_ms).max(base_ms),
            timeout_ms: F::Timeout.limits().clamp(self.timeout_ms),
            capacity: F::Capacity.limits().clamp_small(self.capacity),
            queue: F::Queue.limits().clamp_small(self.queue),
            bin_ms: F::Bin.limits().clamp(self.bin_ms),
            seed: F::Seed.limits().clamp(self.seed),
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

impl Inputs for HerdInputs {
    type Field = HerdField;

    fn text(&self, field: HerdField) -> String {
        match field {
            HerdField::Clients => self.clients.to_string(),
            HerdField::Attempts => self.attempts.to_string(),
            HerdField::Base => self.base_ms.to_string(),
            HerdField::Factor => self.factor.to_string(),
            HerdField::Cap => self.cap_ms.to_string(),
            HerdField::Timeout => self.timeout_ms.to_string(),
            HerdField::Capacity => self.capacity.to_string(),
            HerdField::Queue => self.queue.to_string(),
            HerdField::Bin => self.bin_ms.to_string(),
            HerdField::Seed => self.seed.to_string(),
        }
    }

    fn set(&mut self, field: HerdField, text: &str) -> Result<(), Why> {
        let limits = field.limits();
        match field {
            HerdField::Clients => self.clients = limits.small(text)?,
            HerdField::Attempts => self.attempts = limits.small(text)?,
            HerdField::Base => self.base_ms = limits.whole(text)?,
            HerdField::Factor => self.factor = limits.number(text)?,
            HerdField::Cap => self.cap_ms = limits.whole(text)?,
            HerdField::Timeout => self.timeout_ms = limits.whole(text)?,
            HerdField::Capacity => self.capacity = limits.small(text)?,
            HerdField::Queue => self.queue = limits.small(text)?,
            HerdField::Bin => self.bin_ms = limits.whole(text)?,
            HerdField::Seed => self.seed = limits.whole(text)?,
        }
        Ok(())
    }

    fn mended(self) -> (Self, Vec<(HerdField, Wrong)>) {
        let used = self.bounded();
        let mut changed = Vec::new();
        if used.attempts < self.attempts {
            let wrong = Wrong::TooMuch {
                most: Self::MOST_CALLS,
                what: "calls",
                used: used.attempts.into(),
            };
            changed.push((HerdField::Attempts, wrong));
        }
        if used.cap_ms > self.cap_ms {
            changed.push((HerdField::Cap, Wrong::CapBelowBase(used.cap_ms)));
        }
        (used, changed)
    }
}
