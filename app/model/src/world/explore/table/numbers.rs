//! Numbers for values, and runs of changes in the table.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

/// Numbers for values, in the order in which they are met.
pub(super) struct Numbers<T> {
    pub(super) of: HashMap<T, usize>,
    pub(super) all: Vec<T>,
}

impl<T: Clone + Eq + Hash> Numbers<T> {
    pub(super) fn new() -> Self {
        Self {
            of: HashMap::new(),
            all: Vec::new(),
        }
    }

    /// The number of a value, and whether it is new.
    pub(super) fn number(&mut self, value: T) -> (usize, bool) {
        if let Some(known) = self.of.get(&value) {
            return (*known, false);
        }
        let number = self.all.len();
        self.all.push(value.clone());
        self.of.insert(value, number);
        (number, true)
    }
}

/// A run of [`Change`](super::Change)s in the table.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub(super) from: u32,
    pub(super) count: u32,
}

impl Span {
    pub(super) const UNKNOWN: Self = Self {
        from: u32::MAX,
        count: 0,
    };

    pub(super) const fn range(self) -> Range<usize> {
        self.from as usize..(self.from + self.count) as usize
    }
}

pub(super) fn put(spans: Option<&mut Vec<Span>>, at: usize, span: Span) {
    if let Some(spans) = spans {
        if spans.len() <= at {
            spans.resize(at + 1, Span::UNKNOWN);
        }
        if let Some(slot) = spans.get_mut(at) {
            *slot = span;
        }
    }
}
