//! A chart as SVG, with its legend, its slider and its table.

use super::scale::{place, ticks};
use super::{Axis, Bar, Chart, Height, Mark, Shape, Table};
use maud::{Markup, PreEscaped, html};
use std::fmt::Write;

/// The measures of one drawing, in px.
pub(super) struct Size {
    class: &'static str,
    pub(super) width: f64,
    left: f64,
    right: f64,
    /// Of the plot, where it is not in rows.
    plot: f64,
    across: usize,
}

pub(super) const WIDE: Size = Size {
    class: "wide",
    width: 720.0,
    left: 64.0,
    right: 16.0,
    plot: 200.0,
    across: 7,
};

const NARROW: Size = Size {
    class: "narrow",
    width: 300.0,
    left: 52.0,
    right: 10.0,
    plot: 160.0,
    across: 4,
};

const TOP: f64 = 22.0;
const BOTTOM: f64 = 40.0;
const ROW: f64 = 26.0;
const SMALL: f64 = 96.0;

/// The figure: pictures, legend, slider and table.
#[must_use]
pub fn draw(chart: &Chart) -> Markup {
    let last = chart.table.rows.len().saturating_sub(1);
    html! {
        figure class="plot" id=(chart.id) aria-labelledby={ (chart.id) "-t" } data-plot {
            figcaption id={ (chart.id) "-t" } { (chart.title) }
            (legend(&chart.marks))
            div class="plot__pics" {
                (PreEscaped(svg(chart, &WIDE)))
                (PreEscaped(svg(chart, &NARROW)))
            }
            @if !chart.table.rows.is_empty() {
                // Only a script can move it.
                div class="plot__read" hidden data-reader {
                    label for={ (chart.id) "-r" } { "Read point by point" }
                    input type="range" id={ (chart.id) "-r" } min="0" max=(last) value="0" step="1"
                        aria-label={ "Points of: " (chart.title) };
                    output for={ (chart.id) "-r" } aria-live="off" {}
                }
            }
            (table(chart))
        }
    }
}

fn legend(marks: &[Mark]) -> Markup {
    let named: Vec<_> = marks.iter().filter(|mark| !mark.name.is_empty()).collect();
    html! {
        @if !named.is_empty() {
            ul class="plot__key" {
                @for mark in named {
                    li {
                        svg viewBox="0 0 18 10" aria-hidden="true" class="plot__sw" {
                            g class=(mark.tone.class()) {
                                @match mark.shape {
                                    Shape::Bars(_) | Shape::Area(_) => rect class="c-fill" width="18" height="10" {},
                                    Shape::Boxes(_) => rect class="c-box" x="1" y="1" width="16" height="8" {},
                                    Shape::Dots(_) => circle class="c-dot" cx="9" cy="5" r="3" {},
                                    Shape::Dashed(_) => path class="c-dash" d="M0 5H18" {},
                                    _ => path class="c-line" d="M0 5H18" {},
                                }
                            }
                        }
                        (mark.name)
                    }
                }
            }
        }
    }
}

fn table(chart: &Chart) -> Markup {
    let Table { head, rows } = &chart.table;
    html! {
        @if !rows.is_empty() {
            details class="plot__table" data-keep=(chart.id) {
                summary { "As a table" }
                div class="plot__scroll" tabindex="0" role="group" aria-label={ "Table: " (chart.title) } {
                    table {
                        thead { tr { @for cell in head { th scope="col" { (cell) } } } }
                        tbody {
                            @for row in rows {
                                tr data-x=(short(place(&chart.x, row.at.0))) data-y=(short(place(&chart.y, row.at.1))) {
                                    @for (column, cell) in row.cells.iter().enumerate() {
                                        @if column == 0 { th scope="row" { (cell) } } @else { td { (cell) } }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A number with as many decimals as a picture needs.
fn short(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// How high a drawing is.
pub(super) fn height(chart: &Chart, size: &Size) -> f64 {
    TOP + BOTTOM
        + match chart.height {
            Height::Usual => size.plot,
            Height::Small => SMALL,
            Height::Rows(rows) => ROW * rows.max(1) as f64,
        }
}

/// One drawing.
pub(super) fn svg(chart: &Chart, size: &Size) -> String {
    let height = height(chart, size);
    let mut out = format!(
        r#"<svg class="chart plot__svg plot__svg--{}" viewBox="0 0 {} {}" role="img" data-plot="{} {TOP} {} {}"><title>{}</title>"#,
        size.class,
        size.width,
        height,
        size.left,
        size.width - size.left - size.right,
        height - TOP - BOTTOM,
        escaped(&chart.title),
    );
    out.push_str(&inner(chart, size));
    out.push_str(
        r#"<g class="c-at" visibility="hidden"><path class="c-at-line"/><circle class="c-at-dot" r="4.5"/></g></svg>"#,
    );
    out
}

/// Text in an SVG.
pub(super) fn escaped(text: &str) -> String {
    html! { (text) }.0
}

/// The axes and the marks.
pub(super) fn inner(chart: &Chart, size: &Size) -> String {
    let pen = Pen {
        x: &chart.x,
        y: &chart.y,
        left: size.left,
        top: TOP,
        width: size.width - size.left - size.right,
        height: height(chart, size) - TOP - BOTTOM,
    };
    let mut out = String::new();
    pen.axes(&mut out, chart, size);
    for mark in &chart.marks {
        let _ = write!(out, r#"<g class="{}">"#, mark.tone.class());
        pen.mark(&mut out, &mark.shape);
        out.push_str("</g>");
    }
    out
}

struct Pen<'a> {
    x: &'a Axis,
    y: &'a Axis,
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl Pen<'_> {
    fn px(&self, value: f64) -> f64 {
        self.left + self.width * place(self.x, value)
    }

    fn py(&self, value: f64) -> f64 {
        self.top + self.height * (1.0 - place(self.y, value))
    }

    fn axes(&self, out: &mut String, chart: &Chart, size: &Size) {
        let (right, bottom) = (self.left + self.width, self.top + self.height);
        let rows = matches!(chart.height, Height::Rows(_));
        let up = if chart.height == Height::Small { 2 } else { 4 };
        for (value, text) in ticks(self.y, up) {
            let y = self.py(value);
            if !rows {
                let _ = write!(
                    out,
                    r#"<path class="c-grid" d="M{} {}H{}"/>"#,
                    short(self.left),
                    short(y),
                    short(right)
                );
            }
            let _ = write!(
                out,
                r#"<text class="c-tick" x="{}" y="{}" text-anchor="end">{}</text>"#,
                short(self.left - 6.0),
                short(y + 4.0),
                escaped(&text)
            );
        }
        for (value, text) in ticks(self.x, size.across) {
            let x = self.px(value);
            let _ = write!(
                out,
                r#"<path class="c-axis" d="M{0} {1}v5"/><text class="c-tick" x="{0}" y="{2}" text-anchor="middle">{3}</text>"#,
                short(x),
                short(bottom),
                short(bottom + 17.0),
                escaped(&text)
            );
        }
        let _ = write!(
            out,
            r#"<path class="c-axis" d="M{} {}H{}"/><text class="c-name" x="{}" y="{}" text-anchor="end">{}</text><text class="c-name" x="0" y="12">{}</text>"#,
            short(self.left),
            short(bottom),
            short(right),
            short(right),
            short(bottom + 34.0),
            escaped(&self.x.label),
            escaped(&self.y.label),
        );
    }

    fn path(&self, points: &[(f64, f64)]) -> String {
        let mut d = String::new();
        for (at, (x, y)) in points.iter().enumerate() {
            let command = if at == 0 { 'M' } else { 'L' };
            let _ = write!(d, "{command}{} {}", short(self.px(*x)), short(self.py(*y)));
        }
        d
    }

    fn stepped(&self, points: &[(f64, f64)]) -> String {
        let mut d = String::new();
        for (at, (x, y)) in points.iter().enumerate() {
            let (x, y) = (short(self.px(*x)), short(self.py(*y)));
            let _ = if at == 0 {
                write!(d, "M{x} {y}")
            } else {
                write!(d, "H{x}V{y}")
            };
        }
        d
    }

    fn boxes(&self, out: &mut String, bars: &[Bar], class: &str) {
        for bar in bars {
            let (x0, x1) = (self.px(bar.from), self.px(bar.to));
            let (y0, y1) = (self.py(bar.high), self.py(bar.low));
            let _ = write!(
                out,
                r#"<rect class="{class}" x="{}" y="{}" width="{}" height="{}"/>"#,
                short(x0),
                short(y0),
                // What has no width is still seen.
                short((x1 - x0).max(1.5)),
                short((y1 - y0).max(0.0)),
            );
        }
    }

    fn mark(&self, out: &mut String, shape: &Shape) {
        let _ = match shape {
            Shape::Line(points) => {
                write!(out, r#"<path class="c-line" d="{}"/>"#, self.path(points))
            }
            Shape::Dashed(points) => {
                write!(out, r#"<path class="c-dash" d="{}"/>"#, self.path(points))
            }
            Shape::Step(points) => write!(
                out,
                r#"<path class="c-line" d="{}"/>"#,
                self.stepped(points)
            ),
            Shape::Area(points) => {
                let floor = short(self.py(self.y.low));
                match (points.first(), points.last()) {
                    (Some(first), Some(last)) => write!(
                        out,
                        r#"<path class="c-fill" d="{}L{} {floor}L{} {floor}Z"/>"#,
                        self.path(points),
                        short(self.px(last.0)),
                        short(self.px(first.0)),
                    ),
                    _ => Ok(()),
                }
            }
            Shape::Bars(bars) => {
                self.boxes(out, bars, "c-fill");
                Ok(())
            }
            Shape::Boxes(bars) => {
                self.boxes(out, bars, "c-box");
                Ok(())
            }
            Shape::Dots(points) => points.iter().try_for_each(|(x, y)| {
                write!(
                    out,
                    r#"<circle class="c-dot" cx="{}" cy="{}" r="2.5"/>"#,
                    short(self.px(*x)),
                    short(self.py(*y))
                )
            }),
            Shape::Rule(x, words) => {
                let at = self.px(*x);
                // The words stay inside of the picture.
                let anchor = if at > self.left + self.width * 0.6 {
                    "end"
                } else {
                    "start"
                };
                let nudge = if anchor == "end" { -4.0 } else { 4.0 };
                write!(
                    out,
                    r#"<path class="c-rule" d="M{} {}V{}"/><text class="c-word" x="{}" y="{}" text-anchor="{anchor}">{}</text>"#,
                    short(at),
                    short(self.top - 4.0),
                    short(self.top + self.height),
                    short(at + nudge),
                    short(self.top + 6.0),
                    escaped(words),
                )
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Row, Tone};
    use super::*;

    fn chart(points: Vec<(f64, f64)>) -> Chart {
        Chart {
            id: "c".to_owned(),
            title: "A < B".to_owned(),
            x: Axis::linear("x, ms", 0.0, 10.0, |it| it.to_string()),
            y: Axis::linear("y", 0.0, 1.0, |it| it.to_string()),
            marks: vec![Mark {
                tone: Tone::Client,
                name: "a & b".to_owned(),
                shape: Shape::Line(points.clone()),
            }],
            table: Table {
                head: vec!["x".to_owned(), "y".to_owned()],
                rows: points
                    .into_iter()
                    .map(|at| Row {
                        at,
                        cells: vec![at.0.to_string(), at.1.to_string()],
                    })
                    .collect(),
            },
            height: Height::Usual,
        }
    }

    #[test]
    fn both_drawings_have_the_points_and_every_text_is_escaped() {
        let html = draw(&chart(vec![(0.0, 0.0), (10.0, 1.0)])).0;
        // Left, 64 and 52, to right; the top is at 22.
        assert!(html.contains(r#"d="M64 222L704 22""#), "{html}");
        assert!(html.contains(r#"d="M52 182L290 22""#), "{html}");
        assert!(html.contains("A &lt; B") && html.contains("a &amp; b"));
        assert!(!html.contains("A < B"));
        assert_eq!(html.matches("<tr data-x").count(), 2);
        assert!(html.contains(r#"max="1""#));
    }

    #[test]
    fn nothing_and_nonsense_can_be_drawn() {
        for points in [
            vec![],
            vec![(f64::NAN, f64::INFINITY)],
            vec![(1e300, -1e300)],
        ] {
            let html = draw(&chart(points)).0;
            let picture = html.split("<details").next().unwrap_or_default();
            assert!(
                !picture.contains("NaN") && !picture.contains("inf"),
                "{picture}"
            );
        }
    }
}
