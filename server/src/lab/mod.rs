//! What a sandbox can set, break and watch.

pub mod api;
pub mod faults;
pub mod live;
pub mod settings;
mod trace;
