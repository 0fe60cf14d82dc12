//! The sequence diagram of a shot: lifelines, messages, what each actor is busy
//! with, and the line of now, below which nothing has happened yet.

mod bars;
mod draw;
mod ending;
mod pen;
mod plan;
mod rows;
mod signs;

pub use draw::draw;
pub use ending::Ending;
pub use pen::{burst, glyph};
