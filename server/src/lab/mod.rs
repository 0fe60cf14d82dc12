//! What a sandbox can set, break and watch.

pub mod api;
pub mod bus;
pub mod live;
pub mod pods;
mod ring;
pub mod settings;
mod settlement;
mod trace;
