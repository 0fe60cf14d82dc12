//! Islands: the parts of a page that come alive in the browser.
//!
//! The browser has three clients, for the lesson, the lab and the studio, each with
//! the islands of its pages only. The server knows them all.

pub mod address;
#[cfg(any(feature = "ssr", feature = "islands-lesson"))]
pub mod contents;
#[cfg(any(feature = "ssr", feature = "islands-lab", feature = "islands-studio"))]
mod http;
#[cfg(any(feature = "ssr", feature = "islands-lab"))]
pub mod lab;
#[cfg(any(feature = "ssr", feature = "islands-lesson"))]
pub mod player;
#[cfg(any(feature = "ssr", feature = "islands-lesson"))]
pub mod predict;
#[cfg(any(feature = "ssr", feature = "islands-lesson"))]
pub mod quiz;
pub mod stage;
#[cfg(any(feature = "ssr", feature = "islands-lesson"))]
pub mod stakes;
pub mod store;
pub mod story;
#[cfg(any(feature = "ssr", feature = "islands-studio"))]
pub mod studio;
pub mod theme;
