//! The herd as a film: the future of each picture is covered, and time uncovers it.

use super::live::Run;
use crate::studio::panels::{percent, short};
use crate::studio::sim::alive::{Alive, all, frames};
use crate::studio::sim::reading::line;
use model::outage::Herds;
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlInputElement};

/// How long the film takes from end to end, in ms.
const LENGTH_MS: f64 = 8000.0;

/// The film, and where it is.
pub(super) struct Player {
    alive: Rc<Alive<Run>>,
    /// 0 is the start, 1 the end.
    at: Cell<f64>,
    playing: Cell<bool>,
    /// Counts the films that were begun: an older one stops.
    turn: Cell<u32>,
    still: bool,
}

impl Player {
    pub(super) fn wake(alive: Rc<Alive<Run>>) -> Rc<Self> {
        let player = Rc::new(Self {
            alive,
            at: Cell::new(1.0),
            playing: Cell::new(false),
            turn: Cell::new(0),
            still: wants_less_motion(),
        });
        let it = Rc::clone(&player);
        player.alive.listen("click", move |_, event| {
            if closest(event, "[data-play]").is_some() {
                it.toggle();
            }
        });
        let it = Rc::clone(&player);
        player.alive.listen("input", move |_, event| {
            if let Some(input) = closest(event, "[data-scrub]")
                .and_then(|input| input.dyn_into::<HtmlInputElement>().ok())
            {
                it.pause();
                it.show(input.value().parse().unwrap_or(1000.0) / 1000.0);
            }
        });
        let it = Rc::clone(&player);
        player.alive.on_shown(move || it.again());
        player
    }

    /// New pictures, or the run behind those of the server: they stand at their end.
    fn again(&self) {
        self.pause();
        self.at.set(1.0);
        for (selector, hidden) in [
            ("[data-player]", false),
            ("[data-play]", self.still),
            ("[data-still]", !self.still),
        ] {
            if let Some(it) = self.alive.one(selector) {
                let _ = it.toggle_attribute_with_force("hidden", hidden);
            }
        }
    }

    fn pause(&self) {
        self.playing.set(false);
        self.turn.set(self.turn.get().wrapping_add(1));
        self.name("Play");
    }

    fn name(&self, words: &str) {
        if let Some(button) = self.alive.one("[data-play]") {
            button.set_text_content(Some(words));
        }
    }

    fn toggle(self: &Rc<Self>) {
        if self.playing.get() {
            self.pause();
            return;
        }
        self.pause();
        self.playing.set(true);
        self.name("Pause");
        let from = if self.at.get() >= 1.0 {
            0.0
        } else {
            self.at.get()
        };
        self.show(from);
        let (it, turn) = (Rc::clone(self), self.turn.get());
        let mut began = None;
        frames(move |now| {
            if it.turn.get() != turn {
                return false;
            }
            let began = *began.get_or_insert(now);
            let at = (from + (now - began) / LENGTH_MS).min(1.0);
            it.show(at);
            if at >= 1.0 {
                it.pause();
            }
            at < 1.0
        });
    }

    /// Shows a moment, as a share of the whole time.
    fn show(&self, at: f64) {
        let at = at.clamp(0.0, 1.0);
        self.at.set(at);
        let Some(scrub) = self
            .alive
            .one("[data-scrub]")
            .and_then(|it| it.dyn_into::<HtmlInputElement>().ok())
        else {
            return;
        };
        let most: f64 = scrub
            .get_attribute("data-most")
            .and_then(|it| it.parse().ok())
            .unwrap_or(1.0);
        let ms = (at * most).round();
        let words = format!("{} ms", short(ms));
        scrub.set_value(&(at * 1000.0).round().to_string());
        let _ = scrub.set_attribute("aria-valuetext", &words);
        if let Some(time) = self.alive.one("[data-time]") {
            time.set_text_content(Some(&words));
        }
        let run = self.alive.run.borrow();
        let Some(run) = run.as_ref() else { return };
        for (figure, herd) in all(&self.alive.root, "[data-kind]")
            .iter()
            .zip(run.herds().all())
        {
            cover(figure, at);
            let Ok(Some(crowd)) = figure.query_selector("[data-crowd]") else {
                continue;
            };
            let (served, gave_up) = so_far(run.herds(), herd.kind(), at >= 1.0, ms, run.bin_ms());
            crowd.set_outer_html(
                &super::pictures::crowd_at(run.clients(), served, gave_up).into_string(),
            );
        }
    }
}

/// Served clients and those that gave up, until a moment.
fn so_far(herds: &Herds, kind: model::outage::Kind, end: bool, ms: f64, bin_ms: u64) -> (u64, u64) {
    let Some(herd) = herds.all().iter().find(|herd| herd.kind() == kind) else {
        return (0, 0);
    };
    if end {
        let sum = herd.summary();
        return (sum.served, sum.gave_up);
    }
    let bins = (ms / bin_ms.max(1) as f64) as usize;
    herd.bins()
        .iter()
        .take(bins)
        .fold((0, 0), |(served, gave_up), bin| {
            (
                served + u64::from(bin.served),
                gave_up + u64::from(bin.gave_up),
            )
        })
}

/// Covers what is still to come.
fn cover(figure: &Element, at: f64) {
    if let Ok(Some(cover)) = figure.query_selector("[data-cover]") {
        let _ = cover.set_attribute("x", &percent(at));
        let _ = cover.set_attribute("width", &percent(1.0 - at));
    }
    line(figure, at);
}

fn closest(event: &Event, selector: &str) -> Option<Element> {
    let target = event.target()?.dyn_into::<Element>().ok()?;
    target.closest(selector).ok()?
}

fn wants_less_motion() -> bool {
    web_sys::window()
        .and_then(|window| {
            window
                .match_media("(prefers-reduced-motion: reduce)")
                .ok()?
        })
        .is_some_and(|query| query.matches())
}
