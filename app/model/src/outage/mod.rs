//! What retries do to a server: the herd that comes back together, the outage that
//! outlasts its cause, and contention for one row.
//!
//! Whole simulations, without a clock and with seeded generators only. Times inside
//! are whole microseconds, and what is drawn, added and compared are whole numbers
//! (where a fraction is needed, products and sums of IEEE numbers, which are the same
//! everywhere). So the same inputs give the same bits natively and in WASM, and a
//! `digest` says so. Each simulation runs in slices, so that a page stays alive.

pub mod contention;
mod digest;
mod form;
mod herd;
mod kind;
mod queue;
mod server;
mod storm;

pub use form::{Fields, Form, Inputs, Limits, Problem, Wrong};
pub use herd::{
    Bin, Herd, HerdField, HerdForm, HerdInputs, HerdProblem, HerdSummary, Herds, Progress,
};
pub use kind::Kind;
pub use storm::{
    Latency, Outage, OutageBin, OutageField, OutageForm, OutageInputs, OutageProblem,
    OutageProgress, OutageSummary, Outages, Recovery, Relief, Strategy, Tipping, tipping_rate,
};
