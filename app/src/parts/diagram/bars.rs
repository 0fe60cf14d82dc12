//! What each actor is busy with, from when to when.

use super::super::shot::Shot;
use super::pen::Pen;
use super::plan::Plan;
use super::rows::{Row, Sign};
use model::world::{Actor, KeyStage, What};

/// An attempt at work in the API.
pub(super) struct Work {
    attempt: u32,
    from: i32,
    to: i32,
    open: bool,
    /// How far its bar stands to the right, since an earlier one is still drawn there.
    shift: i32,
}

/// How far the bar of an attempt stands to the right.
pub(super) fn shift(works: &[Work], attempt: u32) -> i32 {
    works
        .iter()
        .find(|work| work.attempt == attempt)
        .map_or(0, |work| work.shift)
}

/// The rows that an attempt has come to.
fn of<'a>(all: &'a [Row], shot: &Shot, attempt: u32) -> impl Iterator<Item = &'a Row> + use<'a> {
    let (facts, now) = (shot.facts.len(), shot.now);
    all.iter()
        .filter(move |row| row.attempt == attempt && row.fact < facts && row.at <= now)
}

/// How far down an attempt came to something.
fn came_to(all: &[Row], shot: &Shot, attempt: u32, test: fn(&What) -> bool) -> Option<i32> {
    let fact = shot
        .facts
        .iter()
        .position(|fact| fact.attempt == attempt && test(&fact.what))?;
    let at = shot.facts.get(fact)?.at;
    of(all, shot, attempt)
        .filter(|row| row.fact <= fact && row.at <= at)
        .map(|row| row.y)
        .max()
}

fn sent(all: &[Row], shot: &Shot, attempt: u32) -> Option<i32> {
    of(all, shot, attempt)
        .find(|row| row.is_from(Actor::Client))
        .map(|row| row.y)
}

/// Which attempts are or were at work in the API.
pub(super) fn works(plan: &Plan, all: &[Row], shot: &Shot, y_now: i32) -> Vec<Work> {
    let mut works: Vec<Work> = Vec::new();
    for attempt in 1..=shot.frame.attempts {
        let arrived = |what: &What| *what == What::Arrived;
        let mut of_attempt = shot.facts.iter().filter(|fact| fact.attempt == attempt);
        if !of_attempt.any(|fact| arrived(&fact.what)) {
            continue;
        }
        let Some(from) = sent(all, shot, attempt) else {
            continue;
        };
        let open = shot.frame.working.contains(&attempt);
        let to = if open {
            y_now
        } else {
            came_to(all, shot, attempt, |what| {
                matches!(what, What::Replied(_) | What::Unheard(_) | What::Crashed)
            })
            .unwrap_or(from)
        };
        let under = works.iter().filter(|work| work.to > from).count();
        works.push(Work {
            attempt,
            from,
            to,
            open,
            shift: i32::try_from(under).unwrap_or(0) * (plan.half + 2),
        });
    }
    works
}

/// Draws every bar.
pub(super) fn bars(
    pen: &mut Pen,
    plan: &Plan,
    all: &[Row],
    shot: &Shot,
    works: &[Work],
    y_now: i32,
) {
    let mut bar = |class: &str, x: i32, from: i32, to: i32| {
        pen.rect(class, x - plan.half, from, plan.half * 2, to - from);
    };
    let client = plan.x(Actor::Client);
    for attempt in 1..=shot.frame.attempts {
        let Some(from) = sent(all, shot, attempt) else {
            continue;
        };
        let waits = shot
            .frame
            .waiting
            .is_some_and(|waiting| waiting.attempt == attempt);
        if waits {
            // What is left of its patience stands under the line of now.
            bar("x-wait", client, from, y_now + 26);
            bar("f-client", client, from, y_now);
        } else {
            let to = came_to(all, shot, attempt, |what| {
                matches!(
                    what,
                    What::TimedOut { .. } | What::Broke { .. } | What::Received(_)
                )
            });
            bar("x-busy-fill", client, from, to.unwrap_or(from));
        }
    }
    pauses(&mut bar, client, all, shot, y_now);
    for work in works {
        let class = if work.open { "f-server" } else { "x-busy-fill" };
        bar(class, plan.x(Actor::Api) + work.shift, work.from, work.to);
        let asked = of(all, shot, work.attempt)
            .find(|row| row.is_from(Actor::Api) && row.is_to(Actor::Processor));
        if let Some(asked) = asked {
            let answered = of(all, shot, work.attempt)
                .find(|row| row.is_from(Actor::Processor))
                .map(|row| row.y);
            let (class, to) = match answered {
                Some(y) => ("x-busy-fill", y),
                None if work.open => ("f-ledger", y_now),
                None => ("x-busy-fill", asked.y),
            };
            bar(class, plan.x(Actor::Processor), asked.y, to);
        }
    }
    let mut before: Vec<i32> = Vec::new();
    for line in &shot.frame.keys {
        let asked: Vec<i32> = of(all, shot, line.owner)
            .filter(|row| row.is_to(Actor::Keys))
            .map(|row| row.y)
            .collect();
        let (Some(from), Some(last)) = (asked.first(), asked.last()) else {
            continue;
        };
        let (class, to) = if line.stage == KeyStage::Running {
            ("f-server", y_now)
        } else {
            ("x-busy-fill", *last)
        };
        let under = before.iter().filter(|until| **until > *from).count();
        let shift = i32::try_from(under).unwrap_or(0) * (plan.half + 2);
        bar(class, plan.x(Actor::Keys) + shift, *from, to);
        before.push(to);
    }
}

/// The waits between attempts, as hollow bars.
fn pauses(
    bar: &mut impl FnMut(&str, i32, i32, i32),
    client: i32,
    all: &[Row],
    shot: &Shot,
    y_now: i32,
) {
    for (i, row) in all.iter().enumerate() {
        let waits = shot
            .facts
            .get(row.fact)
            .is_some_and(|fact| matches!(fact.what, What::Waits { .. }));
        if !waits || !matches!(row.sign, Sign::Client(_)) {
            continue;
        }
        let next = all
            .iter()
            .skip(i)
            .find(|later| later.fact < shot.facts.len() && later.is_from(Actor::Client));
        let (class, to) = match next {
            Some(next) => ("x-pause", next.y),
            None => ("x-pause x-pause--now", y_now),
        };
        bar(class, client, row.y, to);
    }
}
