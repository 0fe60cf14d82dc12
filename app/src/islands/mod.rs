//! Islands: the parts of a page that come alive in the browser.

pub mod address;
pub mod contents;
pub mod lab;
pub mod player;
pub mod predict;
pub mod quiz;
pub mod stage;
pub mod stakes;
pub mod store;
pub mod theme;
