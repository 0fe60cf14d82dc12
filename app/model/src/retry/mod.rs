//! When a client tries again: one policy type for everything that retries.

pub mod amplify;
pub mod answers;
pub mod budget;
mod classify;
mod client;
pub mod critic;
pub mod export;
pub mod form;
pub mod plan;
mod policy;
pub mod presets;
pub mod triage;

pub use classify::{Advice, Heard, advice};
pub use client::{Courier, Next, Stopped};
pub use policy::{Jitter, Policy, PolicyError};
