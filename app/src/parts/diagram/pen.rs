//! The strokes of a sequence diagram, as SVG text.
//!
//! Coordinates are whole numbers and angles are never computed, which keeps
//! number formatting and trigonometry out of the browser's bundle.

use model::world::Actor;
use std::fmt::Write;

/// A star of eleven rays, long and short in turn, about the origin.
const BURST: &str = "M15 -5.5L6.4 -.4L11.2 2.5L5.6 3.1L10.6 10.7L3 5.6L2.2 10.3L-.5 6.4L-5.7 15L-3.9 5.1L-9.8 7.2L-6 2.2L-14.4 .9L-6.2 -1.4L-9.8 -5.4L-4.5 -4.6L-7.6 -14.1L-1.3 -6.3L.9 -10.8L2.3 -6L8.1 -10.7L5.2 -3.8Z";

/// Collects SVG.
#[derive(Default)]
pub(super) struct Pen(String);

/// How an arrow looks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ink {
    /// It is over: grey.
    Past,
    /// It belongs to the current step: the colour of its sender.
    Now(Actor),
}

/// The class of an actor's colour. The store of keys shares the API's.
pub(super) const fn colour(actor: Actor) -> &'static str {
    match actor {
        Actor::Client => "client",
        Actor::Api | Actor::Keys => "server",
        Actor::Processor => "ledger",
    }
}

/// One sign for each actor, so that colour is never the only cue.
#[must_use]
pub fn glyph(actor: Actor, x: i32, y: i32) -> String {
    let shape = match actor {
        Actor::Client => r#"<circle r="5" class="f-client"/>"#,
        Actor::Api => r#"<path d="M-5 -5h10v10h-10z" class="f-server"/>"#,
        Actor::Keys => {
            r#"<path d="M-5.5 -4.5h11v9h-11zM-5.5 -.5h11M-1.5 -4.5v9" class="g-server" stroke-width="1.75"/>"#
        }
        Actor::Processor => {
            r#"<path d="M-6 -3.5h12M-6 .25h12M-6 4h12" class="g-ledger" stroke-width="2"/>"#
        }
    };
    format!(r#"<g transform="translate({x} {y})">{shape}</g>"#)
}

/// The sign of what is lost, about a point.
#[must_use]
pub fn burst(x: i32, y: i32, scale: &str) -> String {
    format!(r#"<path class="f-lost" transform="translate({x} {y}) scale({scale})" d="{BURST}"/>"#)
}

impl Pen {
    pub(super) fn finish(self) -> String {
        self.0
    }

    /// Writes SVG as it is.
    pub(super) fn raw(&mut self, svg: &str) {
        self.0.push_str(svg);
    }

    pub(super) fn path(&mut self, class: &str, d: &str) {
        let _ = write!(self.0, r#"<path class="{class}" d="{d}"/>"#);
    }

    pub(super) fn rect(&mut self, class: &str, x: i32, y: i32, w: i32, h: i32) {
        let h = h.max(0);
        let _ = write!(
            self.0,
            r#"<rect class="{class}" x="{x}" y="{y}" width="{w}" height="{h}"/>"#
        );
    }

    /// Writes text; what is said on the wire may hold anything, so it is escaped.
    pub(super) fn text(&mut self, class: &str, x: i32, y: i32, anchor: &str, text: &str) {
        let _ = write!(
            self.0,
            r#"<text class="{class}" x="{x}" y="{y}" text-anchor="{anchor}">"#
        );
        escape(&mut self.0, text);
        self.0.push_str("</text>");
    }

    /// A message from one lifeline to another. Requests are solid with a filled
    /// tip, replies dashed with an open one.
    ///
    /// One that belongs to the current step is a group, which the style sheet moves
    /// from its sender to its receiver.
    pub(super) fn arrow(&mut self, from: i32, to: i32, y: i32, reply: bool, ink: Ink) {
        let d = if to > from { 1 } else { -1 };
        let now = ink != Ink::Past;
        if now {
            self.raw(if d > 0 {
                r#"<g class="x-go">"#
            } else {
                r#"<g class="x-go x-go--back">"#
            });
        }
        let class = match ink {
            Ink::Past => "x-past".to_owned(),
            Ink::Now(actor) => format!("x-cur x-cur-{}", colour(actor)),
        };
        let tip = if ink == Ink::Past { 4 } else { 6 };
        if reply {
            self.path(
                &format!("{class} x-reply"),
                &format!("M{from} {y}H{}", to - d),
            );
            let back = to - d * tip * 3 / 2;
            self.path(
                &class,
                &format!("M{back} {}L{to} {y}L{back} {}", y - tip, y + tip),
            );
        } else {
            self.path(&class, &format!("M{from} {y}H{}", to - d * tip));
            let tip_class = match ink {
                Ink::Past => "x-tip-past".to_owned(),
                Ink::Now(actor) => format!("f-{}", colour(actor)),
            };
            self.path(
                &tip_class,
                &format!("M{to} {y}l{} {}v{}z", -d * tip * 2, -tip, tip * 2),
            );
        }
        if now {
            self.raw("</g>");
        }
    }

    /// A message that never arrives: the shaft snaps, a burst, and the word, which
    /// stands `on` the band of a step or on paper.
    pub(super) fn lost(&mut self, from: i32, to: i32, y: i32, on: &str, narrow: bool) {
        let d = if to > from { 1 } else { -1 };
        let (shaft, zig, reach, scale) = if narrow {
            (10, 5, 9, ".75")
        } else {
            (32, 7, 12, "1")
        };
        let a = from + d * shaft;
        let u = d * zig * 3 / 5;
        self.path(
            "x-lost",
            &format!(
                "M{from} {y}H{a}l{u} {}l{} {}l{u} {}",
                -zig,
                u * 3 / 2,
                zig * 2,
                -zig
            ),
        );
        let centre = a + u * 7 / 2 + d * reach;
        self.raw(&burst(centre, y, scale));
        let class = format!("x-lab x-lost-word x-on-{on}");
        if narrow {
            self.text(&class, centre, y + 23, "middle", "lost");
        } else {
            let anchor = if d < 0 { "end" } else { "start" };
            self.text(&class, centre + d * 21, y + 5, anchor, "lost");
        }
    }

    /// The accountant's double rule: money was taken. A charge that nobody meant
    /// is drawn larger, and one of the current step comes in.
    pub(super) fn taken(&mut self, x: i32, y: i32, meant: bool, now: bool) {
        let (class, half) = if meant {
            ("g-ledger x-taken", 8)
        } else {
            ("x-taken x-taken--over", 11)
        };
        let lands = if now { " x-lands" } else { "" };
        let (l, w) = (x - half, half * 2);
        self.path(
            &format!("{class}{lands}"),
            &format!("M{l} {}h{w}M{l} {}h{w}", y - 2, y + 2),
        );
    }

    /// A process dies.
    pub(super) fn cross(&mut self, x: i32, y: i32) {
        let (l, t) = (x - 8, y - 8);
        self.path("x-lost", &format!("M{l} {t}l16 16M{} {t}l-16 16", x + 8));
    }

    /// How much of the client's patience is used up, in per cent, as a pie.
    pub(super) fn pie(&mut self, x: i32, y: i32, r: i32, used: u64) {
        let (half, used) = (r / 2, used.min(100));
        let _ = write!(
            self.0,
            r#"<circle class="x-pie" cx="{x}" cy="{y}" r="{r}"/><circle class="x-pie-fill" cx="{x}" cy="{y}" r="{half}" stroke-width="{r}" pathLength="100" stroke-dasharray="{used} 100" transform="rotate(-90 {x} {y})"/>"#
        );
    }
}

/// Text as SVG has it.
pub(super) fn escape(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
}
