//! Charts: SVG of our own, small enough to read through.
//!
//! A chart is drawn twice, for wide and for narrow places, since text in a picture
//! shrinks with it; a container query shows one. Behind each stands a table of its
//! points, and a slider under it reads them one by one.

mod draw;
mod picture;
mod scale;

pub use draw::draw;
pub use picture::picture;

/// A chart.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Its id on the page.
    pub id: String,
    /// What it shows, in a few words.
    pub title: String,
    /// Across.
    pub x: Axis,
    /// Upwards.
    pub y: Axis,
    /// What is drawn, the lowest first.
    pub marks: Vec<Mark>,
    /// Its points as text.
    pub table: Table,
    /// How high the plot is.
    pub height: Height,
}

/// How high a plot is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Height {
    /// As most are.
    Usual,
    /// A small one among several.
    Small,
    /// So many rows, each as high as a bar with its name.
    Rows(usize),
}

/// An axis.
#[derive(Clone, Debug)]
pub struct Axis {
    /// What it measures, with the unit.
    pub label: String,
    /// The value at its start.
    pub low: f64,
    /// The value at its end. The axis is never empty: see [`Axis::linear`].
    pub high: f64,
    /// Where values stand on it.
    pub ticks: Ticks,
}

/// Where values stand on an axis.
#[derive(Clone, Debug)]
pub enum Ticks {
    /// At round numbers, written by this.
    Round(fn(f64) -> String),
    /// At these places, with these words.
    At(Vec<(f64, String)>),
}

impl Axis {
    /// An axis of numbers. One that would be empty or endless is given a length of 1.
    #[must_use]
    pub fn linear(label: impl Into<String>, low: f64, high: f64, write: fn(f64) -> String) -> Self {
        let low = if low.is_finite() { low } else { 0.0 };
        let high = if high.is_finite() && high > low {
            high
        } else {
            low + 1.0
        };
        Self {
            label: label.into(),
            low,
            high,
            ticks: Ticks::Round(write),
        }
    }

    /// An axis of rows from top to bottom, row k from −k to −k−1.
    #[must_use]
    pub fn rows(label: impl Into<String>, names: impl IntoIterator<Item = String>) -> Self {
        let ticks: Vec<_> = (0..)
            .zip(names)
            .map(|(row, name)| (-0.5 - f64::from(row), name))
            .collect();
        Self {
            label: label.into(),
            low: -(ticks.len().max(1) as f64),
            high: 0.0,
            ticks: Ticks::At(ticks),
        }
    }
}

/// The colour of a mark; each has a meaning of its own on this site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tone {
    /// The client, what it does and waits.
    Client,
    /// The server, what is served.
    Server,
    /// What is lost, rejected or wrong.
    Lost,
    /// What is saved, budgets, limits.
    Ledger,
    /// Neutral.
    Ink,
    /// In the background.
    Faint,
}

impl Tone {
    pub(super) const fn class(self) -> &'static str {
        match self {
            Self::Client => "c-client",
            Self::Server => "c-server",
            Self::Lost => "c-lost",
            Self::Ledger => "c-ledger",
            Self::Ink => "c-ink",
            Self::Faint => "c-faint",
        }
    }
}

/// Something that is drawn.
#[derive(Clone, Debug)]
pub struct Mark {
    /// In which colour.
    pub tone: Tone,
    /// Its words in the legend; empty for none.
    pub name: String,
    /// What.
    pub shape: Shape,
}

/// The shape of a mark, in the values of the axes.
#[derive(Clone, Debug)]
pub enum Shape {
    /// Straight from point to point.
    Line(Vec<(f64, f64)>),
    /// A dashed line.
    Dashed(Vec<(f64, f64)>),
    /// Level to the next point, then up or down to it.
    Step(Vec<(f64, f64)>),
    /// As a line, filled down to the axis.
    Area(Vec<(f64, f64)>),
    /// Filled boxes: bars, stacked bins, windows on a time line.
    Bars(Vec<Bar>),
    /// The same, as outlines.
    Boxes(Vec<Bar>),
    /// Single points.
    Dots(Vec<(f64, f64)>),
    /// A line across the whole plot at a value of x, with words at its top.
    Rule(f64, String),
}

/// A box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    /// From this value of x,
    pub from: f64,
    /// to this one,
    pub to: f64,
    /// from this value of y,
    pub low: f64,
    /// to this one.
    pub high: f64,
}

/// The points of a chart as text: what the slider reads and the table lists.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The heads of the columns, with units.
    pub head: Vec<String>,
    /// The rows.
    pub rows: Vec<Row>,
}

/// A point of a chart.
#[derive(Clone, Debug)]
pub struct Row {
    /// Where it is, in the values of the axes.
    pub at: (f64, f64),
    /// Its cells, as many as there are heads.
    pub cells: Vec<String>,
}
