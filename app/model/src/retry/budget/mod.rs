//! What keeps retries from burying a service that is in trouble: budgets,
//! throttles and breakers.
//!
//! Each is a small state machine of whole numbers where that can be, so that it
//! comes to the same bits everywhere. It is asked before a call is sent and told
//! what came of it; between the two goes a [`Permit`]. What a call costs is taken
//! when it is sent, never when it fails.

mod adaptive;
mod aws;
mod breaker;
mod bucket;
mod grpc;
mod proxy;
mod share;
#[cfg(test)]
mod tests;

pub use adaptive::AdaptiveThrottle;
pub use aws::{AwsBucket, drain_share, held_wait_ms};
pub use breaker::{Breaker, BreakerState};
pub use bucket::TokenBucket;
pub use grpc::GrpcThrottle;
pub use proxy::EnvoyBudget;
pub use share::RetryBudget;

use crate::Ms;

/// How a call failed, as far as budgets tell failures apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Failure {
    /// A time-out, a broken connection, a 5xx.
    Transient,
    /// The service said that it gets too much (429, 503 with a Retry-After).
    Throttled,
}

/// What a client wants to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Call {
    /// The first attempt of an operation.
    First,
    /// Another attempt, after the last one failed like this.
    Retry(Failure),
}

/// What came of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It succeeded.
    Success,
    /// It failed in a way that is worth a retry.
    Failed(Failure),
    /// A final answer that is no fault of the service's, a 400 for instance.
    Final,
}

/// Leave to send one call. It goes back with the outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permit {
    /// What it was given for.
    pub call: Call,
    /// In which period of a breaker it was given: news from before the breaker
    /// opened do not close it.
    period: u64,
}

impl Permit {
    const fn new(call: Call) -> Self {
        Self { call, period: 0 }
    }
}

/// Why a budget cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum BudgetError {
    /// Outside of what the budget's source allows.
    #[error("{what} has to be between {least} and {most}, not {given}")]
    OutOfRange {
        /// Which setting.
        what: &'static str,
        /// The least.
        least: f64,
        /// The most.
        most: f64,
        /// What was given.
        given: f64,
    },
}

/// `given`, where it is a number from `least` to `most`.
fn ranged(what: &'static str, given: f64, least: f64, most: f64) -> Result<f64, BudgetError> {
    // NaN is in no range.
    if (least..=most).contains(&given) {
        Ok(given)
    } else {
        Err(BudgetError::OutOfRange {
            what,
            least,
            most,
            given,
        })
    }
}

/// One of the budgets. A client, or all clients of one process, share it.
#[derive(Clone, Debug, PartialEq)]
pub enum Budget {
    /// Everything may be sent.
    Unlimited,
    /// Nothing is retried.
    NoRetries,
    /// Retries as a share of first calls, over a window: Finagle's, and the 10 %
    /// of the SRE book.
    Share(RetryBudget),
    /// A token for each retry, a part of a token back for each success.
    Bucket(TokenBucket),
    /// gRPC's retry throttling.
    Grpc(GrpcThrottle),
    /// Envoy's share of what is in flight.
    Envoy(EnvoyBudget),
    /// The AWS SDKs' retry quota.
    Aws(AwsBucket),
    /// The SRE book's client-side throttling, which holds back first calls too.
    Adaptive(AdaptiveThrottle),
    /// A circuit breaker, which holds back first calls too.
    Breaker(Breaker),
}

impl Budget {
    /// Asks to send a call now. `draw` is a random number from 0 up to, but not
    /// including, 1; only [`Budget::Adaptive`] looks at it. Pass one each time, so
    /// that runs under different budgets draw alike.
    pub fn ask(&mut self, now_ms: Ms, call: Call, draw: f64) -> Option<Permit> {
        let allowed = match self {
            Self::Unlimited => true,
            Self::NoRetries => call == Call::First,
            Self::Share(it) => it.ask(now_ms, call),
            Self::Bucket(it) => it.ask(call),
            Self::Grpc(it) => it.ask(call),
            Self::Envoy(it) => it.ask(call),
            Self::Aws(it) => it.ask(call),
            Self::Adaptive(it) => it.ask(now_ms, draw),
            Self::Breaker(it) => return it.ask(now_ms, call),
        };
        allowed.then_some(Permit::new(call))
    }

    /// Reports what came of a call that was allowed. Exactly once for each
    /// permit; a call whose outcome nobody heard failed with a time-out.
    pub fn settle(&mut self, now_ms: Ms, permit: Permit, outcome: Outcome) {
        match self {
            Self::Unlimited | Self::NoRetries | Self::Share(_) => {}
            Self::Bucket(it) => it.settle(outcome),
            Self::Grpc(it) => it.settle(outcome),
            Self::Envoy(it) => it.settle(permit.call),
            Self::Aws(it) => it.settle(permit.call, outcome),
            Self::Adaptive(it) => it.settle(now_ms, outcome),
            Self::Breaker(it) => it.settle(now_ms, permit, outcome),
        }
    }
}
