//! The nine ways to retry that are compared.

use super::OutageInputs;
use crate::outage::server::{MS, Us};
use crate::retry::Policy;
use crate::retry::budget::{
    AdaptiveThrottle, AwsBucket, Breaker, Budget, GrpcThrottle, RetryBudget,
};
use rand::{Rng, RngExt};

/// How clients retry. Where a strategy has windows they are the form's: base,
/// factor and cap. From [`Budget10`](Self::Budget10) on each one is
/// [`Jitter`](Self::Jitter) with something that holds it back (gRPC has jitter of
/// its own).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// One attempt.
    NoRetry,
    /// After `base` each time.
    Fixed,
    /// After the whole window.
    Backoff,
    /// After a time drawn evenly from 0 to the window.
    Jitter,
    /// Retries stay at 10 % of the first calls of the last ten seconds
    /// ([`RetryBudget::ten_percent`]).
    Budget10,
    /// gRPC's throttling with 10 tokens and a ratio of .1, a wait of the window ± a
    /// fifth, and at most 5 attempts ([`GrpcThrottle::example`]).
    Grpc,
    /// The AWS SDKs' quota of 2026 ([`AwsBucket::NEW`]). A refused or shed call is
    /// throttling there.
    Aws,
    /// The SRE book's adaptive throttling with K = 2, which holds back first calls
    /// too.
    Adaptive,
    /// A breaker over the last 20 calls that opens for 3 s when half of them failed,
    /// and holds back first calls too ([`Breaker::twenty`]).
    Breaker,
}

impl Strategy {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 9] = [
        Self::NoRetry,
        Self::Fixed,
        Self::Backoff,
        Self::Jitter,
        Self::Budget10,
        Self::Grpc,
        Self::Aws,
        Self::Adaptive,
        Self::Breaker,
    ];

    /// Its word in a table or an id.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoRetry => "none",
            Self::Fixed => "fixed",
            Self::Backoff => "backoff",
            Self::Jitter => "jitter",
            Self::Budget10 => "budget",
            Self::Grpc => "grpc",
            Self::Aws => "aws",
            Self::Adaptive => "adaptive",
            Self::Breaker => "breaker",
        }
    }

    /// The attempts that it makes of those that the form allows.
    #[must_use]
    pub const fn attempts(self, allowed: u32) -> u32 {
        match self {
            Self::NoRetry => 1,
            Self::Grpc => GrpcThrottle::attempts(allowed),
            _ => allowed,
        }
    }

    /// What holds a client process back, at its start.
    pub(super) fn budget(self) -> Budget {
        match self {
            Self::NoRetry => Budget::NoRetries,
            Self::Fixed | Self::Backoff | Self::Jitter => Budget::Unlimited,
            Self::Budget10 => Budget::Share(RetryBudget::ten_percent()),
            Self::Grpc => Budget::Grpc(GrpcThrottle::example()),
            Self::Aws => Budget::Aws(AwsBucket::NEW),
            Self::Adaptive => Budget::Adaptive(AdaptiveThrottle::default()),
            Self::Breaker => Budget::Breaker(Breaker::twenty()),
        }
    }

    pub(super) fn waits(self, inputs: &OutageInputs) -> Waits {
        Waits {
            strategy: self,
            windows: inputs.windows(self.attempts(inputs.attempts)),
        }
    }
}

/// The waits of a strategy.
#[derive(Clone, Debug)]
pub(super) struct Waits {
    strategy: Strategy,
    /// The window before retry k (1 is the first) at k − 1, in µs; as many as there
    /// are retries.
    windows: Vec<Us>,
}

impl Waits {
    /// The wait before retry k, in µs, where there is such a retry.
    pub(super) fn draw(&self, retry: u32, random: &mut impl Rng) -> Option<Us> {
        let window = *self.windows.get(retry.checked_sub(1)? as usize)?;
        Some(match self.strategy {
            Strategy::Fixed => *self.windows.first()?,
            Strategy::NoRetry | Strategy::Backoff => window,
            Strategy::Grpc => window - window / 5 + random.random_range(0..=2 * (window / 5)),
            _ => random.random_range(0..=window),
        })
    }
}

/// The windows of a policy in µs.
pub(super) fn windows(policy: &Policy) -> Vec<Us> {
    (1..policy.attempts)
        .map(|retry| policy.ceiling_ms(retry) * MS)
        .collect()
}
