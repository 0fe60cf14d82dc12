//! The lesson's Markdown, cut into what is only text and what is alive.
//!
//! A line `:::name` stands for a widget. A quotation is a note in the margin of
//! the widget or of the paragraphs before it. Each `##` heading is a part with an `{#id}`.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};
use std::fmt::Write;

/// The widgets that a lesson may name.
const WIDGETS: [&str; 4] = ["stakes", "endings", "player", "quiz"];

/// The lesson.
pub(crate) struct Lesson {
    title: String,
    standfirst: String,
    /// The parts: id and title.
    parts: Vec<(String, String)>,
    blocks: Vec<Block>,
}

enum Block {
    Html(String),
    /// A widget, and the note beside it.
    Widget(String, String),
}

/// Parses the lesson.
pub(crate) fn parse(text: &str) -> Result<Lesson, String> {
    let mut lesson = Lesson {
        title: String::new(),
        standfirst: String::new(),
        parts: Vec::new(),
        blocks: Vec::new(),
    };
    // Paragraphs that a note in the margin may still come for.
    let mut open = String::new();
    for block in blocks(text) {
        match block {
            Top::Heading(HeadingLevel::H1, _, title) => lesson.title = title,
            Top::Heading(HeadingLevel::H2, id, title) => {
                lesson.flush(&mut open);
                let id = id.ok_or_else(|| format!("the part “{title}” has no {{#id}}"))?;
                if lesson.parts.iter().any(|(other, _)| *other == id) {
                    return Err(format!("two parts have the id “{id}”"));
                }
                let number = lesson.parts.len() + 1;
                lesson.text(&format!(
                    r#"<h2 id="{id}"><span class="secno">{number}</span>{title}</h2>"#
                ));
                lesson.parts.push((id, title));
            }
            Top::Heading(level, _, title) => {
                let _ = write!(open, "<{level}>{title}</{level}>");
            }
            Top::Widget(name) => {
                if !WIDGETS.contains(&name.as_str()) {
                    return Err(format!("there is no widget “{name}”"));
                }
                lesson.flush(&mut open);
                lesson.blocks.push(Block::Widget(name, String::new()));
            }
            Top::Note(html) => {
                let text = std::mem::take(&mut open);
                match lesson.blocks.last_mut() {
                    Some(Block::Widget(_, note)) if text.is_empty() => note.push_str(&html),
                    _ => lesson.text(&format!(
                        r#"<div class="with-note"><div>{text}</div><aside class="note" role="note">{html}</aside></div>"#
                    )),
                }
            }
            Top::Other(html) if lesson.parts.is_empty() => lesson.standfirst.push_str(&html),
            Top::Other(html) => open.push_str(&html),
        }
    }
    lesson.flush(&mut open);
    if lesson.title.is_empty() || lesson.parts.is_empty() {
        return Err("a lesson needs a title and parts".to_owned());
    }
    Ok(lesson)
}

impl Lesson {
    fn flush(&mut self, open: &mut String) {
        if !open.is_empty() {
            self.text(&std::mem::take(open));
        }
    }

    /// Adds text. What no widget parts is one block.
    fn text(&mut self, html: &str) {
        match self.blocks.last_mut() {
            Some(Block::Html(before)) => before.push_str(html),
            _ => self.blocks.push(Block::Html(html.to_owned())),
        }
    }

    /// The lesson as Rust source.
    pub(crate) fn source(&self) -> String {
        let mut out = format!(
            "Lesson {{ title: {:?}, standfirst: {:?}, parts: &{:?}, blocks: &[",
            self.title, self.standfirst, self.parts
        );
        for block in &self.blocks {
            let _ = match block {
                Block::Html(html) => write!(out, "Block::Html({html:?}), "),
                Block::Widget(name, note) => {
                    write!(out, "Block::Widget(Widget::{}, {note:?}), ", variant(name))
                }
            };
        }
        out.push_str("] }");
        out
    }
}

fn variant(name: &str) -> String {
    let mut letters = name.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}

/// A block at the top of the document.
enum Top {
    Heading(HeadingLevel, Option<String>, String),
    Widget(String),
    Note(String),
    Other(String),
}

fn blocks(text: &str) -> Vec<Top> {
    let options = Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_TABLES
        | Options::ENABLE_SMART_PUNCTUATION;
    let mut tops = Vec::new();
    let mut depth = 0_usize;
    let mut events: Vec<Event<'_>> = Vec::new();
    for event in Parser::new_ext(text, options) {
        match &event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            _ => {}
        }
        events.push(event);
        if depth == 0 {
            tops.push(top(std::mem::take(&mut events)));
        }
    }
    tops
}

fn top(events: Vec<Event<'_>>) -> Top {
    let inner = || -> String {
        let mut out = String::new();
        let within = events.len().saturating_sub(1);
        html::push_html(&mut out, events.iter().take(within).skip(1).cloned());
        out.trim().to_owned()
    };
    match events.first() {
        Some(Event::Start(Tag::Heading { level, id, .. })) => {
            Top::Heading(*level, id.as_ref().map(ToString::to_string), inner())
        }
        Some(Event::Start(Tag::BlockQuote(_))) => Top::Note(inner()),
        Some(Event::Start(Tag::Paragraph)) => {
            if let [_, Event::Text(line), Event::End(TagEnd::Paragraph)] = events.as_slice()
                && let Some(name) = line.strip_prefix(":::")
            {
                return Top::Widget(name.trim().to_owned());
            }
            let mut out = String::new();
            html::push_html(&mut out, events.into_iter());
            Top::Other(out.trim().to_owned())
        }
        _ => {
            let mut out = String::new();
            html::push_html(&mut out, events.into_iter());
            Top::Other(out.trim().to_owned())
        }
    }
}
