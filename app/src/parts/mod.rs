//! Pieces that pages and islands are made of.
//!
//! What only shows is drawn as text with `maud` and set as a whole; what is
//! operated is a view. Views make up a large part of the browser's bundle, and
//! most of a player only shows.

#[cfg(any(feature = "ssr", feature = "islands-studio"))]
pub mod chart;
pub mod compare;
#[cfg(feature = "ssr")]
pub mod contents;
mod context;
pub mod counter;
pub mod deck;
pub mod diagram;
#[cfg(feature = "ssr")]
pub mod endings;
pub mod holdings;
pub mod icons;
#[cfg(feature = "ssr")]
pub mod quiz;
pub mod shot;
pub mod strip;
pub mod transcript;
pub mod words;
