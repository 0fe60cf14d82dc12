//! The server of Charge Once: the charge API, the lab and the rendered pages.

// The types of rendered pages nest deeply.
#![recursion_limit = "512"]

pub mod accounts;
pub mod assets;
pub mod charges;
pub mod clock;
pub mod config;
pub mod id;
pub mod lab;
pub mod metrics;
mod openapi;
pub mod orders;
mod pages;
pub mod problem;
mod request_id;
mod router;
mod security;
pub mod serve;
pub mod shutdown;
mod start;
mod state;
mod studio;
mod unread;
mod upkeep;

pub use pages::leptos_options;
pub use start::{Server, StartError};
