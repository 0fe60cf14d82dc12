//! The sign of each row: an arrow, a loss, a charge, a crash.

use super::super::words;
use super::pen::{Ink, Pen};
use super::plan::Plan;
use super::rows::{End, Label, Row, Sign};
use model::world::Actor;

/// What is known about a row besides its sign.
pub(super) struct Place {
    /// It belongs to the current step.
    pub(super) new: bool,
    /// The colour of the current step.
    pub(super) tone: &'static str,
    /// How far the API's bar stands to the right.
    pub(super) shift: i32,
    /// No more was charged with it than was meant.
    pub(super) meant: bool,
}

/// Draws the sign of a row.
pub(super) fn sign<'a>(pen: &mut Pen, plan: &Plan, row: &'a Row, place: &Place) {
    let Place { new, tone, .. } = *place;
    let x = |actor| match actor {
        Actor::Api => plan.x(actor) + place.shift,
        _ => plan.x(actor),
    };
    let label = |mono: &str| {
        if new {
            format!("x-lab {mono} x-strong x-on-{tone}")
        } else {
            format!("x-lab {mono} x-lab-past")
        }
    };
    let y = row.y;
    match &row.sign {
        Sign::Message {
            from,
            to,
            over,
            under,
            past,
            reply,
            end,
        } => {
            let (a, b) = (x(*from), x(*to));
            let d = if b > a { 1 } else { -1 };
            let off = plan.half + 1;
            let ink = if new { Ink::Now(*from) } else { Ink::Past };
            match end {
                End::Lost => pen.lost(a + d * off, b, y, on(place), plan.narrow),
                End::Unheard => {
                    let stop = b - d * 26;
                    pen.arrow(a + d * off, stop, y, *reply, ink);
                    pen.path(
                        if new { "x-lost" } else { "x-past" },
                        &format!("M{} {}v12", stop + d * 6, y - 6),
                    );
                }
                End::Arrives => pen.arrow(a + d * off, b - d * (off + 1), y, *reply, ink),
            }
            let middle = |a, b| (plan.x(a) + plan.x(b)) / 2;
            let (at, anchor) = if plan.narrow {
                let left = plan.x(*from).min(plan.x(*to));
                (left + 8, "start")
            } else if *from == Actor::Processor {
                (middle(Actor::Keys, Actor::Processor), "middle")
            } else if *to == Actor::Processor {
                (middle(Actor::Api, Actor::Keys), "middle")
            } else {
                (middle(*from, *to), "middle")
            };
            let lift = if *end == End::Lost { 22 } else { 8 };
            let class = label("x-wire");
            let said = |label: &'a Label| {
                if plan.narrow {
                    label.brief.as_str()
                } else {
                    label.full.as_str()
                }
            };
            pen.text(&class, at, y - lift, anchor, said(over));
            if let Some(under) = under {
                pen.text(&class, at, y + 16, anchor, said(under));
            }
            if let Some(past) = past
                && !plan.narrow
            {
                pen.text(&label(""), b + d * (off + 8), y + 4, "start", past);
            }
            if plan.narrow {
                time(pen, plan, row, y - lift, place);
            }
        }
        Sign::Taken(charge) => taken(pen, plan, row, charge, place),
        Sign::Client(text) => {
            let client = plan.x(Actor::Client);
            let class = if new { "x-cur x-cur-client" } else { "x-past" };
            pen.path(class, &format!("M{} {y}h16", client - 8));
            pen.text(&label(""), client + 14, y + 4, "start", text);
            if plan.narrow {
                time(pen, plan, row, y + 4, place);
            }
        }
        Sign::Crash => {
            let api = x(Actor::Api);
            pen.cross(api, y);
            let class = format!("x-lab x-lost-word x-on-{}", on(place));
            pen.text(&class, api + 15, y + 5, "start", "crashes");
        }
    }
}

/// What a label stands on: the band of the current step, or paper.
const fn on(place: &Place) -> &'static str {
    if place.new { place.tone } else { "paper" }
}

/// Money was taken. A charge that nobody meant says so.
fn taken(pen: &mut Pen, plan: &Plan, row: &Row, charge: &str, place: &Place) {
    let (x, y) = (plan.x(Actor::Processor), row.y);
    pen.taken(x, y, place.meant, place.new);
    let class = format!(
        "x-lab x-on-{} {}",
        on(place),
        if place.meant { "x-ch" } else { "x-lost-word" }
    );
    if plan.narrow {
        let word = if place.meant {
            charge.to_owned()
        } else {
            format!("again: {charge}")
        };
        pen.text(&class, x - 15, y + 4, "end", &word);
    } else {
        pen.text(&class, x + 15, y + 5, "start", charge);
        if !place.meant {
            pen.text(&class, x - 19, y + 5, "end", "charged again");
        }
    }
}

/// On narrow screens each message has its time at the end of the line.
fn time(pen: &mut Pen, plan: &Plan, row: &Row, y: i32, place: &Place) {
    let class = if place.new {
        format!("x-lab x-time x-strong x-on-{}", place.tone)
    } else {
        "x-lab x-time".to_owned()
    };
    pen.text(&class, plan.width, y, "end", &words::seconds(row.at));
}
