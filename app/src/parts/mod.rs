//! Pieces that pages and islands are made of.
//!
//! What only shows is drawn as text with `maud` and set as a whole; what is
//! operated is a view. Views cost the browser's bundle about 1 kB for each kind
//! of element in them, and most of a player only shows.

pub mod compare;
pub mod counter;
pub mod deck;
pub mod diagram;
pub mod endings;
pub mod holdings;
pub mod icons;
pub mod shot;
pub mod strip;
pub mod transcript;
pub mod words;
