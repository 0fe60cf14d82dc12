//! Pieces that pages and islands are made of.

pub mod compare;
pub mod counter;
pub mod deck;
pub mod diagram;
pub mod endings;
pub mod holdings;
pub mod icons;
pub mod shot;
pub mod transcript;
pub mod words;
