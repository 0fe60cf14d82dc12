//! Questions: what makes one well-formed, and how an answer is kept.

mod answers;
mod question;

pub use answers::Answers;
pub use question::{Choice, Fault, Question, Show, Text, check};
