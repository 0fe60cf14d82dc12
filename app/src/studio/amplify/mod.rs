//! Not written yet.

use super::{Drawn, Pairs};
use crate::parts::chart::Chart;
use maud::html;

/// Draws it.
#[must_use]
pub fn draw(_pairs: &Pairs) -> Drawn {
    Drawn {
        query: String::new(),
        fields: Vec::new(),
        results: html! {},
        said: String::new(),
    }
}

/// Its figures as CSV.
#[must_use]
pub fn csv(_pairs: &Pairs) -> String {
    String::new()
}

/// Its charts.
#[must_use]
pub fn charts(_pairs: &Pairs) -> Vec<Chart> {
    Vec::new()
}
