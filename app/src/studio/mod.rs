//! The studio: tools that are functions of their address.
//!
//! A tool reads pairs of names and values and draws itself as text. The server calls
//! it for a page, the island for each change of the form: the same function, so both
//! agree, and a page reads without JavaScript.

pub mod amplify;
mod field;
mod form;
pub mod herd;
pub mod outage;
mod panels;
mod place;
pub mod retry;
pub mod run;
mod share;
mod sim;
#[cfg(test)]
mod testing;
pub mod triage;
pub mod words;

pub use field::{Field, Input};
pub use form::{form, whole};
pub use place::{Place, Tool};
pub use share::share;

use crate::parts::chart::picture;
use maud::Markup;

/// Names and values, unescaped, as a query or a form has them.
pub type Pairs = [(String, String)];

/// The pairs as the model's forms read them.
pub fn borrowed(pairs: &Pairs) -> impl Iterator<Item = (&str, &str)> + Clone {
    pairs
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
}

/// A tool, drawn for one address.
#[derive(Debug)]
pub struct Drawn {
    /// The canonical query, without a question mark.
    pub query: String,
    /// The fields of the form, in order, each with what is wrong with it.
    pub fields: Vec<Field>,
    /// The figures and charts: all that changes with the form.
    pub results: Markup,
    /// The results in a sentence, for those who hear the page.
    pub said: String,
}

/// Draws a tool.
#[must_use]
pub fn draw(tool: Tool, pairs: &Pairs) -> Drawn {
    match tool {
        Tool::Retry => retry::draw(pairs),
        Tool::Amplify => amplify::draw(pairs),
        Tool::Herd => herd::draw(pairs),
        Tool::Outage => outage::draw(pairs),
    }
}

/// The figures of a tool as a CSV file (RFC 4180).
#[must_use]
pub fn csv(tool: Tool, pairs: &Pairs) -> String {
    match tool {
        Tool::Retry => retry::csv(pairs),
        Tool::Amplify => amplify::csv(pairs),
        Tool::Herd => herd::csv(pairs),
        Tool::Outage => outage::csv(pairs),
    }
}

/// The charts of a tool as an SVG file that stands alone.
#[must_use]
pub fn svg(tool: Tool, pairs: &Pairs) -> String {
    match tool {
        Tool::Retry => picture(&retry::charts(pairs)),
        Tool::Amplify => picture(&amplify::charts(pairs)),
        Tool::Herd => herd::svg(pairs),
        Tool::Outage => outage::svg(pairs),
    }
}

/// A line of CSV. Fields are quoted where they have to be.
#[must_use]
pub fn csv_line<'a>(fields: impl IntoIterator<Item = &'a str>) -> String {
    let fields: Vec<_> = fields
        .into_iter()
        .map(|field| {
            if field.contains(['"', ',', '\n', '\r']) {
                format!("\"{}\"", field.replace('"', "\"\""))
            } else {
                field.to_owned()
            }
        })
        .collect();
    fields.join(",") + "\r\n"
}

/// The pairs of a query string. What is not UTF-8 comes out as U+FFFD.
#[cfg(feature = "ssr")]
#[must_use]
pub fn pairs(query: &str) -> Vec<(String, String)> {
    form_urlencoded::parse(query.as_bytes())
        .into_owned()
        .collect()
}
