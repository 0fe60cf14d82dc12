//! Draws a shot, for wide and for narrow screens.

use super::super::shot::Shot;
use super::super::words;
use super::bars::{bars, shift, works};
use super::pen::{Pen, colour, escape, glyph};
use super::plan::{ACTORS, NARROW, Plan, WIDE};
use super::rows::{Row, Sign, rows};
use super::signs::{Place, sign};
use model::world::{Actor, What};
use std::fmt::Write;

/// Room under the line of now, for what the client waits for.
const FOOT: i32 = 80;

/// The drawing is at least this high while there is more to come, so that the first
/// steps do not move what stands under it.
const LEAST: i32 = 460;

/// The two drawings of a shot, as SVG. `id` keeps their titles apart on a page.
#[must_use]
pub fn draw(shot: &Shot, id: &str) -> String {
    let mut svg = one(shot, &WIDE, &format!("{id}-w"));
    svg.push_str(&one(shot, &NARROW, &format!("{id}-n")));
    svg
}

fn one(shot: &Shot, plan: &Plan, id: &str) -> String {
    let (all, last) = rows(&shot.line, &shot.steps, plan.top);
    let shown = |row: &&Row| row.fact < shot.facts.len() && row.at <= shot.now;
    let first_new = shot.at.map_or(0, |at| at.from);
    let is_new = |row: &Row| row.fact >= first_new;
    let y_now = all
        .iter()
        .filter(shown)
        .map(|row| row.y)
        .max()
        .unwrap_or(plan.top)
        + 26;
    let end = (y_now + FOOT).max(LEAST.min(last + 26 + FOOT));

    let mut pen = Pen::default();
    let class = if plan.narrow { "narrow" } else { "wide" };
    pen.raw(&format!(
        r#"<svg class="seq seq--{class}" viewBox="0 0 {} {end}" role="img" aria-labelledby="{id}"><title id="{id}">"#,
        plan.width
    ));
    let mut title = String::new();
    escape(&mut title, &shot.told().title());
    pen.raw(&format!(
        "Sequence diagram of step {}. {title}. The transcript says the same in words.</title>",
        shot.step
    ));

    let tone = tone(shot);
    let new_rows = all.iter().filter(shown).filter(|row| is_new(row));
    if let Some(top) = new_rows.map(|row| row.y - row.reach()).min() {
        let class = format!("x-band x-band--{tone}");
        pen.rect(&class, 0, top, plan.width, y_now - top);
    }
    if !plan.narrow {
        axis(&mut pen, &all, shot, y_now, end);
    }
    heads(&mut pen, plan, y_now, end, shot.frame.waiting.is_some());
    let works = works(plan, &all, shot, y_now);
    bars(&mut pen, plan, &all, shot, &works, y_now);
    let mut charges = 0;
    for row in all.iter().filter(shown) {
        if matches!(row.sign, Sign::Taken(_)) {
            charges += 1;
        }
        let place = Place {
            new: is_new(row),
            tone,
            shift: shift(&works, row.attempt),
            meant: charges <= shot.frame.intended,
        };
        sign(&mut pen, plan, row, &place);
    }
    now(&mut pen, plan, shot, y_now);
    pen.raw("</svg>");
    pen.finish()
}

/// The colour of what happens in the current step.
fn tone(shot: &Shot) -> &'static str {
    let told = shot.told().0;
    let any = |test: fn(&What) -> bool| told.iter().any(|fact| test(&fact.what));
    if any(|what| matches!(what, What::ReplyLost | What::RequestLost | What::Crashed)) {
        return "lost";
    }
    if any(|what| matches!(what, What::Charged { .. })) {
        return if shot.frame.overcharged() {
            "lost"
        } else {
            "ledger"
        };
    }
    if any(|what| {
        matches!(
            what,
            What::Claimed { .. }
                | What::Saved { .. }
                | What::Released { .. }
                | What::Replied(_)
                | What::Unheard(_)
        )
    }) {
        return "server";
    }
    "client"
}

/// The axis of time, with a break where time is left out.
fn axis(pen: &mut Pen, all: &[Row], shot: &Shot, y_now: i32, end: i32) {
    let mut d = String::new();
    let mut y = 68;
    for gap in all
        .iter()
        .filter_map(|row| row.gap)
        .filter(|gap| *gap < y_now)
    {
        let _ = write!(
            d,
            "M84 {y}V{}M79 {}l10 -5M79 {}l10 -5",
            gap - 6,
            gap - 3,
            gap + 8
        );
        y = gap + 6;
    }
    let _ = write!(d, "M84 {y}V{}m-4 -6l4 6l4 -6", end - 8);
    pen.path("x-axis", &d);
    pen.text("x-time", 76, 58, "end", "seconds");
    let mut told = String::new();
    for row in all
        .iter()
        .filter(|row| row.y <= y_now && row.fact < shot.facts.len())
    {
        let new = shot.at.is_some_and(|at| row.fact >= at.from);
        let baseline = row.y + 4;
        if let Some(step) = row.step {
            let number = shot_number(shot, step).to_string();
            if new {
                pen.rect("x-badge", 0, row.y - 10, 18, 20);
                pen.text("x-badge-t", 9, baseline, "middle", &number);
            } else {
                pen.text("x-step", 9, baseline, "middle", &number);
            }
        }
        let time = words::seconds(row.at);
        if time != told {
            let class = if new { "x-time x-strong" } else { "x-time" };
            pen.text(class, 72, baseline, "end", &time);
            pen.path("x-axis", &format!("M80 {}h8", row.y));
            told = time;
        }
    }
}

/// The number of a step of this line. The steps of an aside come after those of
/// the main line, so its own are counted back from the shown one.
fn shot_number(shot: &Shot, step: usize) -> usize {
    let aside = shot.at.is_some_and(|at| at.aside);
    if aside {
        (shot.step + step).saturating_sub(shot.steps.len())
    } else {
        step
    }
}

fn heads(pen: &mut Pen, plan: &Plan, y_now: i32, end: i32, waiting: bool) {
    let (name_y, sign_y) = plan.heads;
    for actor in ACTORS {
        let x = plan.x(actor);
        let (name, anchor, at) = match (plan.narrow, actor) {
            (false, _) => (words::name(actor), "middle", x),
            (true, Actor::Client) => (words::short_name(actor), "start", 0),
            (true, Actor::Processor) => (words::short_name(actor), "end", plan.width),
            (true, _) => (words::short_name(actor), "middle", x),
        };
        let class = format!("x-head c-{}", colour(actor));
        pen.text(&class, at, name_y, anchor, name);
        pen.raw(&glyph(actor, x, sign_y));
        pen.path("x-life", &format!("M{x} {}V{y_now}", sign_y + 10));
        let from = if waiting && actor == Actor::Client {
            y_now + 68
        } else {
            y_now + 6
        };
        if from < end - 8 {
            pen.path("x-life x-life--next", &format!("M{x} {from}V{}", end - 8));
        }
    }
}

/// The line of now, and how much patience the client has left.
fn now(pen: &mut Pen, plan: &Plan, shot: &Shot, y: i32) {
    pen.path("x-now-line", &format!("M0 {y}H{}", plan.width));
    let time = words::seconds(shot.now);
    if plan.narrow {
        pen.text(
            "x-lab x-time x-now-text",
            plan.width,
            y + 16,
            "end",
            &format!("now, {time}"),
        );
    } else {
        pen.text("x-time x-now-text", 72, y + 17, "end", &time);
        pen.text("x-now-text", 0, y + 17, "start", "now");
    }
    let Some(waiting) = shot.frame.waiting else {
        return;
    };
    let client = plan.x(Actor::Client);
    let waited = shot.now.saturating_sub(waiting.since);
    let so_far = words::seconds(waited);
    let (x, first, second) = match (waited * 100).checked_div(shot.timeout_ms) {
        // It has no time-out: where time is not counted, it may stop at any moment.
        None => {
            let first = format!("has waited {so_far} s");
            (client + plan.half + 8, first, "may stop at any moment")
        }
        Some(used) => {
            let r = if plan.narrow { 16 } else { 18 };
            pen.pie(client, y + 44, r, used);
            let first = format!("{so_far} s of {} s", words::seconds(shot.timeout_ms));
            (client + r + 10, first, "then it stops waiting")
        }
    };
    pen.text("x-lab x-strong x-waited", x, y + 41, "start", &first);
    pen.text("x-lab", x, y + 57, "start", second);
}
