//! Small multiples: several pictures of the same kind on one scale.
//!
//! The plot stretches with the page while words and lines keep their size: it is an
//! `<svg>` of its own inside, and everything around it stands at shares of the width.
//! The points behind a picture are the rows of its table, and the keyboard reads
//! them from there.

mod scale;

pub(crate) use scale::{Scale, short};

use maud::{Markup, html};
use std::fmt::Write;

/// How many columns a picture has at the most: more would be thinner than a pixel.
pub(crate) const MOST_COLUMNS: usize = 200;

/// The side of the plot in its own units, both ways.
const SIDE: f64 = 1000.0;

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ink {
    /// A filled step; stacked on the filled steps before it.
    Fill,
    /// A step line.
    Step,
    /// A line from point to point, with gaps where there is no value.
    Line,
}

/// Values by column.
pub(crate) struct Series<'a> {
    /// Its class, which gives the colour: `in`, `out`, `good`, `waste`, …
    pub(crate) class: &'a str,
    pub(crate) ink: Ink,
    pub(crate) values: Vec<Option<f64>>,
}

/// A stretch of time that is shaded, in units of the x axis.
#[derive(Clone, Copy)]
pub(crate) struct Band {
    pub(crate) from: f64,
    pub(crate) until: f64,
}

/// One picture.
pub(crate) struct Panel<'a> {
    /// Unique on the page.
    pub(crate) id: &'a str,
    /// What a reader who does not see it hears: title and the gist.
    pub(crate) title: String,
    /// What is counted up the side, with its unit.
    pub(crate) up: &'a str,
    pub(crate) x: &'a Scale,
    pub(crate) y: &'a Scale,
    /// The width of a column on the x axis.
    pub(crate) column: f64,
    pub(crate) series: Vec<Series<'a>>,
    pub(crate) bands: Vec<Band>,
    /// Moments that are marked, with a word each.
    pub(crate) marks: Vec<(f64, String)>,
}

/// px: the room over the plot, the plot, and the room under it.
const TOP: u32 = 20;
const TALL: u32 = 92;
const UNDER: u32 = 20;

impl Panel<'_> {
    /// The picture, alone: it can stand in a page and in a file.
    pub(crate) fn svg(&self) -> Markup {
        let title = format!("{}-title", self.id);
        let bottom = TOP + TALL;
        html! {
            svg.panel__svg role="img" aria-labelledby=(title) width="100%" height=(TOP + TALL + UNDER)
                xmlns="http://www.w3.org/2000/svg" {
                title id=(title) { (self.title) }
                @for band in &self.bands {
                    @let (from, until) = (self.x.share(band.from), self.x.share(band.until));
                    @if until > from {
                        rect.panel__band x=(percent(from)) y=(TOP) width=(percent(until - from)) height=(TALL) {}
                    }
                }
                @for tick in self.y.ticks() {
                    @let y = f64::from(bottom) - self.y.share(tick) * f64::from(TALL);
                    line.panel__grid x1="0" x2="100%" y1=(one(y)) y2=(one(y)) {}
                }
                svg x="0" y=(TOP) width="100%" height=(TALL) viewBox="0 0 1000 1000" preserveAspectRatio="none" {
                    (self.drawn())
                }
                @for (at, words) in &self.marks {
                    @let at = self.x.share(*at);
                    @if at <= 1.0 {
                        line.panel__mark x1=(percent(at)) x2=(percent(at)) y1=(TOP - 4) y2=(bottom) {}
                        @if !words.is_empty() { text.panel__word x=(percent(at)) y=(TOP - 7) text-anchor=(anchor(at)) { (words) } }
                    }
                }
                line.panel__axis x1="0" x2="100%" y1=(bottom) y2=(bottom) {}
                @for tick in self.x.ticks() {
                    @let at = self.x.share(tick);
                    line.panel__axis x1=(percent(at)) x2=(percent(at)) y1=(bottom) y2=(bottom + 4) {}
                    text.panel__tick x=(percent(at)) y=(bottom + 16) text-anchor=(anchor(at)) { (self.x.label(tick)) }
                }
                @for tick in self.y.ticks().into_iter().filter(|tick| *tick > 0.0) {
                    @let y = f64::from(bottom) - self.y.share(tick) * f64::from(TALL);
                    text.panel__tick.panel__tick--up x="100%" dx="-3" y=(one(y + 10.0)) text-anchor="end" { (short(tick)) }
                }
                rect.panel__cover data-cover="" x="100%" y=(TOP) width="0" height=(TALL) {}
                line.panel__now data-now="" x1="0" x2="0" y1=(TOP) y2=(bottom) visibility="hidden" {}
            }
        }
    }

    /// The picture with its reading by keyboard. The table `rows` has the points.
    pub(crate) fn figure(&self, rows: &str) -> Markup {
        html! {
            div.panel data-panel=(self.id) data-most=(self.x.most) data-column=(self.column) data-rows=(rows)
                role="slider" tabindex="0" aria-label=(format!("Points: {}", self.title))
                aria-valuemin="0" aria-valuemax="0" aria-valuenow="0"
                aria-valuetext="Arrow keys read the points." {
                p.panel__up aria-hidden="true" { (self.up) }
                (self.svg())
                p.panel__at data-at="" aria-hidden="true" {}
            }
        }
    }

    fn drawn(&self) -> Markup {
        let mut floor = Vec::new();
        html! {
            @for series in &self.series {
                @let class = format!("s-{}", series.class);
                @match series.ink {
                    Ink::Fill => path class=(class) d=(self.filled(series, &mut floor)) {},
                    Ink::Step => path class={ "is-line " (class) } fill="none" vector-effect="non-scaling-stroke" d=(self.stepped(series)) {},
                    Ink::Line => path class={ "is-line " (class) } fill="none" vector-effect="non-scaling-stroke" d=(self.lined(series)) {},
                }
            }
        }
    }

    fn left(&self, column: usize) -> f64 {
        (self.x.share(column as f64 * self.column) * SIDE).min(SIDE)
    }

    fn height(&self, value: f64) -> f64 {
        SIDE - self.y.share(value) * SIDE
    }

    /// A step area over what is below it, which it is then added to.
    fn filled(&self, series: &Series<'_>, floor: &mut Vec<f64>) -> String {
        floor.resize(floor.len().max(series.values.len()), 0.0);
        let mut d = String::new();
        for (at, value) in series.values.iter().enumerate() {
            let (Some(value), Some(below)) = (value.filter(|it| *it > 0.0), floor.get_mut(at))
            else {
                continue;
            };
            let (left, right) = (self.left(at), self.left(at + 1));
            let (low, high) = (self.height(*below), self.height(*below + value));
            *below += value;
            let _ = write!(
                d,
                "M{} {}V{}H{}V{}Z",
                one(left),
                one(low),
                one(high),
                one(right),
                one(low)
            );
        }
        d
    }

    fn stepped(&self, series: &Series<'_>) -> String {
        let mut d = String::new();
        for (at, value) in series.values.iter().enumerate() {
            let y = one(self.height(value.unwrap_or(0.0)));
            let pen = if at == 0 { "M0 " } else { "V" };
            let _ = write!(d, "{pen}{y}H{}", one(self.left(at + 1)));
        }
        d
    }

    fn lined(&self, series: &Series<'_>) -> String {
        let (mut d, mut down) = (String::new(), false);
        for (at, value) in series.values.iter().enumerate() {
            if let Some(value) = value {
                let middle = f64::midpoint(self.left(at), self.left(at + 1));
                let pen = if down { 'L' } else { 'M' };
                let _ = write!(d, "{pen}{} {}", one(middle), one(self.height(*value)));
                // A value between two gaps is a point: a line of no length, with caps.
                if !down {
                    d.push_str("h0");
                }
            }
            down = value.is_some();
        }
        d
    }
}

/// How a word stands at a share of the width: inside the picture at both ends.
fn anchor(share: f64) -> &'static str {
    match share {
        ..0.06 => "start",
        0.06..0.94 => "middle",
        _ => "end",
    }
}

/// With at most one decimal.
fn one(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

/// A share as a length.
pub(crate) fn percent(share: f64) -> String {
    format!("{}%", (share * 10_000.0).round() / 100.0)
}

/// Pictures under each other in a file that stands alone, with its own colours.
pub(crate) fn file(title: &str, pictures: &[(String, Markup)]) -> String {
    const STEP: usize = 176;
    let height = 48 + pictures.len() * STEP;
    let svg = html! {
        svg xmlns="http://www.w3.org/2000/svg" width="800" height=(height) viewBox={ "0 0 800 " (height) } {
            style { (maud::PreEscaped(FILE_STYLE)) }
            rect.paper width="800" height=(height) {}
            text.head x="16" y="28" { (title) }
            @for (at, (name, picture)) in pictures.iter().enumerate() {
                text.name x="16" y=(48 + at * STEP + 14) { (name) }
                svg x="16" y=(48 + at * STEP + 22) width="768" height=(TOP + TALL + UNDER) { (picture) }
            }
        }
    };
    svg.into_string()
}

/// The colours of the page, for a reader whose program knows nothing of it.
const FILE_STYLE: &str = "\
text{font:12px system-ui,sans-serif;fill:#474C52}.head{font-size:16px;font-weight:650;fill:#17191C}\
.name{font-weight:650;fill:#17191C}.paper{fill:#FBFBF8}.panel__grid{stroke:#D9D9D2}\
.panel__axis{stroke:#7C8187}.panel__mark{stroke:#474C52;stroke-dasharray:2 2}.panel__band{fill:#FBEBE1}\
.panel__cover{fill:none}.is-line{stroke-width:1.5}.s-in{fill:#0072B2}.s-out{fill:#E9A77C}\
.s-good{stroke:#00956C}.s-waste{stroke:#6E5100;stroke-dasharray:4 2}.s-p50{stroke:#0072B2}\
.s-p95{stroke:#6E5100;stroke-dasharray:4 2}.s-p99{stroke:#D55E00}";

#[cfg(test)]
mod tests {
    use super::*;

    fn panel(series: Vec<Series<'static>>) -> String {
        let (x, y) = (Scale::new(400.0, "ms"), Scale::new(10.0, ""));
        let panel = Panel {
            id: "p",
            title: "A picture".to_owned(),
            up: "calls",
            x: &x,
            y: &y,
            column: 100.0,
            series,
            bands: vec![Band {
                from: 100.0,
                until: 200.0,
            }],
            marks: vec![(300.0, "300 ms".to_owned())],
        };
        panel.figure("t").into_string()
    }

    #[test]
    fn fills_stand_on_each_other_and_lines_have_gaps() {
        let values = |all: &[f64]| all.iter().map(|it| Some(*it)).collect::<Vec<_>>();
        let html = panel(vec![
            Series {
                class: "in",
                ink: Ink::Fill,
                values: values(&[5.0, 0.0]),
            },
            Series {
                class: "out",
                ink: Ink::Fill,
                values: values(&[5.0, 10.0]),
            },
            Series {
                class: "p99",
                ink: Ink::Line,
                values: vec![Some(10.0), None, Some(0.0)],
            },
        ]);
        assert!(html.contains("M0 1000V500H250V1000Z"), "{html}");
        assert!(
            html.contains("M0 500V0H250V500ZM250 1000V0H500V1000Z"),
            "{html}"
        );
        assert!(html.contains("M125 0h0M625 1000h0"), "{html}");
        assert!(html.contains(r#"class="is-line s-p99""#), "{html}");
    }

    #[test]
    fn what_is_shaded_and_marked_stands_at_its_time() {
        let html = panel(Vec::new());
        assert!(
            html.contains(r#"<rect class="panel__band" x="25%""#),
            "{html}"
        );
        assert!(
            html.contains(r#"x="75%" y="13" text-anchor="middle">300 ms"#),
            "{html}"
        );
        assert!(!html.contains("style="), "{html}");
        assert!(!html.contains("NaN"), "{html}");
    }
}
