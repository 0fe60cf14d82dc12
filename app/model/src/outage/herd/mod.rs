//! The herd: clients that failed together come back together.
//!
//! # The model
//! - `clients` clients sent their first call before time 0, and at time 0 all of them
//!   hear that it failed. That call is not simulated and not counted in `calls`; it
//!   is counted as the first of the `attempts`.
//! - Each waits as its policy says and calls again. There is no network: a call
//!   arrives when it is sent, an answer is heard when it is given.
//! - The server has one worker that handles `capacity` calls a second, one after the
//!   other, each in exactly 1/capacity of a second, in the order of arrival (within
//!   one microsecond in the order of the clients' numbers). `queue` further calls may
//!   wait. One more is refused at once, at no cost.
//! - A client gives a call up `timeout` after it was sent. The server does not see
//!   that and does the work all the same: that work is wasted (and for a payment
//!   without a key it is a second charge, once the retry is served as well).
//! - A refused client, or one that gave up a call, waits for its next window, as long
//!   as it has attempts left.
//! - Windows are min(cap, base·factor^(k−1)) for retry k, cut to whole milliseconds;
//!   a wait is drawn from its window in whole microseconds, both ends included.
//!
//! Without jitter and with a base of 100 and a factor of 2 everybody calls at 100 ms,
//! and whom the server refused then calls again at 300 and at 700 ms.

mod inputs;
mod run;
mod series;
mod side_by_side;
#[cfg(test)]
mod tests;

pub use inputs::{HerdField, HerdForm, HerdInputs, HerdProblem};
pub use run::{Herd, Progress};
pub use series::{Bin, HerdSummary};
pub use side_by_side::Herds;
