//! The outage: the same arrivals under nine ways to retry.
//!
//! # The model
//! - `rate`·`seconds` requests arrive at moments drawn evenly over the whole time,
//!   each at one of `clients` client processes. That is a Poisson process with its
//!   number of arrivals known. It is drawn once: all strategies get the same.
//! - A request is sent as calls, one after the other, until one succeeds or the
//!   strategy ends it. There is no network: a call arrives when it is sent.
//! - The server takes calls in the order of arrival, 1/`capacity` of a second each,
//!   with `queue` waiting at most; one more is refused at once, at no cost. When its
//!   turn is over, a call needs `service` ms more, beside the others. The server
//!   does not see that a client has given up, and does the work all the same.
//! - A client gives a call up `timeout` after it was sent.
//! - In the outage, from `from` to `until`, the server has lost a share of its
//!   capacity (`loss`), and a share of the calls fails at once and at no cost
//!   (`fail`). One server of three that dies behind a load balancer that goes on
//!   sending to it is 33 and 33.
//! - A [`Relief`] is tried at a moment of its own.
//! - A budget or breaker is kept by each client process for itself and is asked at
//!   the moment when a call would be sent. A call that it holds back ends its request
//!   as failed; that is not retried.
//! - Whatever is under way when the arrivals end is seen through.

mod arrivals;
mod engine;
mod fields;
mod inputs;
mod relief;
mod report;
mod run;
mod series;
mod strategy;
#[cfg(test)]
mod tests;
mod tipping;

pub use fields::OutageField;
pub use inputs::{OutageForm, OutageInputs, OutageProblem};
pub use relief::Relief;
pub use report::{Latency, OutageSummary, Recovery};
pub use run::{Outage, OutageProgress, Outages};
pub use series::OutageBin;
pub use strategy::Strategy;
pub use tipping::{Tipping, tipping_rate};
