//! What authors wrote in `content/`, checked when this was built.

use model::learn::{Choice, Question, Show};
use std::borrow::Cow;

/// The quick checks under the lesson.
pub static QUESTIONS: &[Question] = include!(concat!(env!("OUT_DIR"), "/questions.rs"));

/// A lesson: text with widgets between.
#[derive(Debug)]
pub struct Lesson {
    /// Its title.
    pub title: &'static str,
    /// What stands under the title, as HTML.
    pub standfirst: &'static str,
    /// Its parts: the id and the title of each.
    pub parts: &'static [(&'static str, &'static str)],
    /// Everything below.
    pub blocks: &'static [Block],
}

/// A piece of a lesson.
#[derive(Debug)]
pub enum Block {
    /// Text, as HTML.
    Html(&'static str),
    /// Something that is alive, and the note in the margin beside it, as HTML; most
    /// have none.
    Widget(Widget, &'static str),
}

/// What a lesson can have come alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Widget {
    /// The opening's sum.
    Stakes,
    /// The three endings of one wait.
    Endings,
    /// The player.
    Player,
    /// The quick checks.
    Quiz,
}

/// The lesson.
pub static LESSON: Lesson = include!(concat!(env!("OUT_DIR"), "/lesson.rs"));
