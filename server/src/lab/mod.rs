//! What a sandbox can set, break and watch.

pub mod api;
pub mod live;
pub mod pods;
pub mod settings;
mod settlement;
mod trace;
