//! Draws a shot, for wide and for narrow screens.

use super::super::shot::Shot;
use super::super::words;
use super::pen::{Ink, Pen, colour, glyph};
use super::rows::{End, Row, Sign, rows};
use model::world::{Actor, What};
use std::fmt::Write;

/// Where things stand on one of the two drawings.
struct Plan {
    narrow: bool,
    width: i32,
    /// The lifelines, in the order of [`ACTORS`].
    x: [i32; 4],
    /// Half the width of a bar.
    half: i32,
    /// The first row.
    top: i32,
}

const ACTORS: [Actor; 4] = [Actor::Client, Actor::Api, Actor::Keys, Actor::Processor];

const WIDE: Plan = Plan {
    narrow: false,
    width: 632,
    x: [124, 272, 420, 568],
    half: 4,
    top: 100,
};

/// A drawing of its own, not a shrunken one.
const NARROW: Plan = Plan {
    narrow: true,
    width: 288,
    x: [20, 100, 182, 254],
    half: 3,
    top: 78,
};

/// Room under the last row, for the line of now and what the client waits for.
const FOOT: i32 = 92;

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
    let end = last + FOOT;
    let y_now = all
        .iter()
        .filter(shown)
        .map(|row| row.y)
        .max()
        .unwrap_or(plan.top)
        + 26;

    let mut pen = Pen::default();
    let class = if plan.narrow { "narrow" } else { "wide" };
    let head = format!(
        r#"<svg class="seq seq--{class}" viewBox="0 0 {} {end}" role="img" aria-labelledby="{id}"><title id="{id}">"#,
        plan.width
    );
    pen.raw(&head);
    pen.raw(&format!(
        "Sequence diagram, step {}. The transcript says the same in words.</title>",
        shot.step
    ));

    let tone = tone(shot);
    let new_rows = || all.iter().filter(shown).filter(|row| is_new(row));
    if let Some(first) = new_rows().map(|row| row.y).min() {
        let y = first - if plan.narrow { 26 } else { 24 };
        pen.rect(
            &format!("x-band x-band--{tone}"),
            0,
            y,
            plan.width,
            y_now - y,
        );
    }
    axis(&mut pen, plan, &all, shot, y_now, end);
    heads(&mut pen, plan, y_now, end, shot.frame.waiting.is_some());
    bars(&mut pen, plan, &all, shot, y_now);
    for row in all.iter().filter(shown) {
        sign(&mut pen, plan, row, is_new(row), tone);
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
fn axis(pen: &mut Pen, plan: &Plan, all: &[Row], shot: &Shot, y_now: i32, end: i32) {
    if plan.narrow {
        return;
    }
    let mut d = String::new();
    let mut y = 68;
    for gap in all.iter().filter_map(|row| row.gap) {
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
    let (name_y, sign_y) = if plan.narrow { (14, 29) } else { (24, 44) };
    for (actor, x) in ACTORS.into_iter().zip(plan.x) {
        let (name, anchor, at) = match (plan.narrow, actor) {
            (false, _) => (words::name(actor), "middle", x),
            (true, Actor::Client) => (words::short_name(actor), "start", 0),
            (true, Actor::Processor) => (words::short_name(actor), "end", plan.width),
            (true, _) => (words::short_name(actor), "middle", x),
        };
        pen.text(
            &format!("x-head c-{}", colour(actor)),
            at,
            name_y,
            anchor,
            name,
        );
        pen.raw(&glyph(actor, x, sign_y));
        pen.path("x-life", &format!("M{x} {}V{y_now}", sign_y + 10));
        let from = if waiting && actor == Actor::Client {
            y_now + 68
        } else {
            y_now + 6
        };
        if from < end {
            pen.path("x-life x-life--next", &format!("M{x} {from}V{end}"));
        }
    }
}

/// What each actor is busy with, from when to when.
fn bars(pen: &mut Pen, plan: &Plan, all: &[Row], shot: &Shot, y_now: i32) {
    let [client, api, keys, processor] = plan.x;
    let seen = |row: &&Row| row.fact < shot.facts.len() && row.at <= shot.now;
    let of = |attempt: u32| {
        all.iter()
            .filter(move |row| row.attempt == attempt)
            .filter(seen)
    };
    let last_attempt = shot.frame.attempts;
    for attempt in 1..=last_attempt {
        let open_api = shot.frame.working.contains(&attempt);
        let sent = of(attempt)
            .find(|row| is_from(row, Actor::Client))
            .map(|row| row.y);
        let what = |test: fn(&What) -> bool| {
            let fact = shot
                .facts
                .iter()
                .position(|fact| fact.attempt == attempt && test(&fact.what))?;
            Some((
                fact,
                of(attempt)
                    .filter(|row| row.fact <= fact)
                    .map(|row| row.y)
                    .max()?,
            ))
        };
        let Some(from) = sent else { continue };
        let waits = shot
            .frame
            .waiting
            .is_some_and(|waiting| waiting.attempt == attempt);
        let client_end = if waits {
            y_now
        } else {
            what(|what| {
                matches!(
                    what,
                    What::TimedOut { .. } | What::Broke { .. } | What::Received(_)
                )
            })
            .map_or(from, |(_, y)| y)
        };
        let class = if waits { "f-client" } else { "x-busy-fill" };
        if waits {
            pen.rect(
                "x-wait",
                client - plan.half,
                from,
                plan.half * 2,
                y_now + 26 - from,
            );
        }
        pen.rect(
            class,
            client - plan.half,
            from,
            plan.half * 2,
            client_end - from,
        );
        if !shot
            .facts
            .iter()
            .any(|fact| fact.attempt == attempt && fact.what == What::Arrived)
        {
            continue;
        }
        let shift = if attempt > 1 && shot.frame.working.iter().any(|it| *it < attempt) {
            plan.half + 2
        } else {
            0
        };
        let api_end = if open_api {
            y_now
        } else {
            what(|what| matches!(what, What::Replied(_) | What::Unheard(_) | What::Crashed))
                .map_or(from, |(_, y)| y)
        };
        let class = if open_api { "f-server" } else { "x-busy-fill" };
        pen.rect(
            class,
            api + shift - plan.half,
            from,
            plan.half * 2,
            api_end - from,
        );
        let asked =
            of(attempt).find(|row| is_from(row, Actor::Api) && is_to(row, Actor::Processor));
        if let Some(asked) = asked {
            let answered = of(attempt)
                .find(|row| is_from(row, Actor::Processor))
                .map(|row| row.y);
            let class = if answered.is_none() && open_api {
                "f-ledger"
            } else {
                "x-busy-fill"
            };
            let until = answered.unwrap_or(if open_api { y_now } else { asked.y });
            pen.rect(
                class,
                processor - plan.half,
                asked.y,
                plan.half * 2,
                until - asked.y,
            );
        }
    }
    for (i, line) in (0..).zip(&shot.frame.keys) {
        let mut of_owner = of(line.owner).filter(|row| is_to(row, Actor::Keys));
        let Some(from) = of_owner.next().map(|row| row.y) else {
            continue;
        };
        let open = line.stage == model::world::KeyStage::Running;
        let until = if open {
            y_now
        } else {
            of_owner.next_back_y().unwrap_or(from)
        };
        let class = if open { "f-server" } else { "x-busy-fill" };
        let x = keys - plan.half + i * (plan.half + 2);
        pen.rect(class, x, from, plan.half * 2, until - from);
    }
}

/// The height of the last row of some.
trait LastRow {
    fn next_back_y(self) -> Option<i32>;
}

impl<'a, I: Iterator<Item = &'a Row>> LastRow for I {
    fn next_back_y(self) -> Option<i32> {
        self.last().map(|row| row.y)
    }
}

fn is_from(row: &Row, actor: Actor) -> bool {
    matches!(&row.sign, Sign::Message { from, .. } if *from == actor)
}

fn is_to(row: &Row, actor: Actor) -> bool {
    matches!(&row.sign, Sign::Message { to, .. } if *to == actor)
}

fn sign(pen: &mut Pen, plan: &Plan, row: &Row, new: bool, tone: &str) {
    let [client, api, keys, processor] = plan.x;
    let place = |actor| match actor {
        Actor::Client => client,
        Actor::Api => api,
        Actor::Keys => keys,
        Actor::Processor => processor,
    };
    let label = if new {
        format!("x-lab x-wire x-strong x-on-{tone}")
    } else {
        "x-lab x-wire x-lab-past".to_owned()
    };
    let y = row.y;
    match &row.sign {
        Sign::Message {
            from,
            to,
            over,
            under,
            reply,
            end,
        } => {
            let (a, b) = (place(*from), place(*to));
            let d = if b > a { 1 } else { -1 };
            let off = plan.half + 1;
            let ink = if new { Ink::Now(*from) } else { Ink::Past };
            match end {
                End::Lost => pen.lost(a + d * off, b, y, "lost", plan.narrow),
                End::Unheard => {
                    let stop = b - d * 26;
                    pen.arrow(a + d * off, stop, y, *reply, ink);
                    pen.path(
                        if new { "x-lost" } else { "x-past" },
                        &format!("M{stop} {}v12", y - 6),
                    );
                }
                End::Arrives => pen.arrow(a + d * off, b - d * (off + 1), y, *reply, ink),
            }
            let (x, anchor) = if plan.narrow {
                (a.min(b).max(client) + 8, "start")
            } else if a == processor {
                ((keys + processor) / 2, "middle")
            } else if b == processor {
                ((api + keys) / 2, "middle")
            } else {
                ((a + b) / 2, "middle")
            };
            let lift = if *end == End::Lost { 22 } else { 8 };
            pen.text(&label, x, y - lift, anchor, over);
            if let Some(under) = under {
                pen.text(&label, x, y + 16, anchor, under);
            }
            if plan.narrow {
                narrow_time(pen, plan, row, y - lift, new, tone);
            }
        }
        Sign::Taken(charge) => {
            pen.taken(processor, y);
            let class = "x-lab x-ch c-ledger";
            if plan.narrow {
                pen.text(class, processor - 12, y + 4, "end", charge);
            } else {
                pen.text(class, processor + 14, y + 5, "start", charge);
            }
        }
        Sign::Client(text) => {
            pen.path(
                if new { "x-cur x-cur-client" } else { "x-past" },
                &format!("M{} {y}h16", client - 8),
            );
            let class = if new {
                format!("x-lab x-strong x-on-{tone}")
            } else {
                "x-lab x-lab-past".to_owned()
            };
            pen.text(&class, client + 14, y + 4, "start", text);
            if plan.narrow {
                narrow_time(pen, plan, row, y + 4, new, tone);
            }
        }
        Sign::Crash => {
            pen.cross(api, y);
            pen.text("x-lab x-lost-word", api + 15, y + 5, "start", "crashes");
        }
    }
}

/// On narrow screens each message has its time at the end of the line.
fn narrow_time(pen: &mut Pen, plan: &Plan, row: &Row, y: i32, new: bool, tone: &str) {
    let class = if new {
        format!("x-lab x-time x-strong x-on-{tone}")
    } else {
        "x-lab x-time".to_owned()
    };
    pen.text(&class, plan.width, y, "end", &words::seconds(row.at));
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
    let client = plan.x.first().copied().unwrap_or(0);
    let waited = shot.now.saturating_sub(waiting.since);
    let r = if plan.narrow { 16 } else { 18 };
    let used = (waited * 100).checked_div(shot.timeout_ms).unwrap_or(100);
    pen.pie(client, y + 44, r, used);
    let text = format!(
        "{} s of {} s",
        words::seconds(waited),
        words::seconds(shot.timeout_ms)
    );
    let x = client + r + 10;
    pen.text("x-lab x-strong x-waited", x, y + 41, "start", &text);
    pen.text("x-lab", x, y + 57, "start", "then it stops waiting");
}
