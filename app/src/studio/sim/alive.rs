//! A simulation's form in the browser: what is typed is run in slices, so that the
//! page never stands still.

use crate::studio::{Field, Place};
use leptos::prelude::{request_animation_frame, set_timeout};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, Event, HtmlInputElement, HtmlSelectElement};

/// How long a slice works before the page gets its turn, in ms: half of a frame.
const SLICE_MS: f64 = 8.0;
/// Steps between two looks at the clock: about 2 ms.
const STEPS: u32 = 10_000;

/// How far a run is.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) done: bool,
    /// What is said of it meanwhile.
    pub(crate) words: String,
}

/// A simulation with a form.
pub(crate) trait Simulation: Sized + 'static {
    /// Begins a run for what stands in the form.
    fn begin(pairs: &[(String, String)]) -> Self;
    /// Does so many steps.
    fn step(&mut self, steps: u32) -> Step;
    /// The canonical query.
    fn query(&self) -> String;
    /// The fields, each with what is wrong with it.
    fn fields(&self) -> Vec<Field>;
    /// What came of it, as HTML text, once it is done.
    fn results(&self) -> String;
    /// The same in a sentence.
    fn said(&self) -> String;
}

/// The living page.
pub(crate) struct Alive<S: Simulation> {
    pub(crate) root: Element,
    /// The last run that was finished.
    pub(crate) run: RefCell<Option<S>>,
    /// Counts the runs that were begun: an older one stops.
    turn: Cell<u32>,
    /// Called when a finished run has been drawn, or has been run to stand behind
    /// what the server drew.
    shown: RefCell<Option<Box<dyn Fn()>>>,
}

impl<S: Simulation> Alive<S> {
    /// Wakes the form below an element.
    pub(crate) fn wake(root: Element) -> Rc<Self> {
        let alive = Rc::new(Self {
            root,
            run: RefCell::new(None),
            turn: Cell::new(0),
            shown: RefCell::new(None),
        });
        if let Some(form) = alive.one("form") {
            let progress = r#"<p class="sim__progress" data-progress role="status"></p>"#;
            let _ = form.insert_adjacent_html("beforeend", progress);
        }
        alive.listen("input", |alive, event| alive.typed(event));
        alive.listen("submit", |alive, event| {
            event.prevent_default();
            alive.begin(true);
        });
        alive.listen("keydown", |alive, event| {
            super::reading::key(&alive.root, event)
        });
        alive.listen("pointermove", |alive, event| {
            super::reading::pointer(&alive.root, event)
        });
        alive
    }

    /// What to do when a run is there.
    pub(crate) fn on_shown(&self, then: impl Fn() + 'static) {
        *self.shown.borrow_mut() = Some(Box::new(then));
    }

    /// Listens at the root for as long as the page is there.
    pub(crate) fn listen(self: &Rc<Self>, name: &str, then: impl Fn(&Rc<Self>, &Event) + 'static) {
        let alive = Rc::clone(self);
        let heard = Closure::<dyn Fn(Event)>::new(move |event: Event| then(&alive, &event));
        let _ = self
            .root
            .add_event_listener_with_callback(name, heard.as_ref().unchecked_ref());
        heard.forget();
    }

    fn typed(self: &Rc<Self>, event: &Event) {
        let inside = event
            .target()
            .and_then(|it| it.dyn_into::<Element>().ok())
            .and_then(|it| it.closest("form").ok().flatten());
        if inside.is_some() {
            self.begin(true);
        }
    }

    /// The first run: what the server drew stays, if it drew it.
    pub(crate) fn first(self: &Rc<Self>) {
        self.begin(self.one("[data-pending]").is_some());
    }

    /// Begins a run of what stands in the form. `draws` says whether it is shown.
    pub(crate) fn begin(self: &Rc<Self>, draws: bool) {
        let run = S::begin(&pairs(&self.root));
        if draws {
            self.mark(&run.fields());
        }
        self.turn.set(self.turn.get().wrapping_add(1));
        let timing = Timing {
            began: now(),
            longest: 0.0,
        };
        // Not in the event: what was typed is shown first.
        let (alive, turn) = (Rc::clone(self), self.turn.get());
        set_timeout(
            move || alive.slice(run, turn, draws, timing),
            Duration::ZERO,
        );
    }

    fn slice(self: Rc<Self>, mut run: S, turn: u32, draws: bool, mut timing: Timing) {
        if self.turn.get() != turn {
            return;
        }
        let start = now();
        let step = loop {
            let step = run.step(STEPS);
            if step.done || now() - start > SLICE_MS {
                break step;
            }
        };
        if step.done {
            self.done(run, draws, start, timing);
            return;
        }
        if draws {
            self.progress(&step.words);
        }
        timing.longest = timing.longest.max(now() - start);
        set_timeout(move || self.slice(run, turn, draws, timing), Duration::ZERO);
    }

    fn done(self: &Rc<Self>, run: S, draws: bool, start: f64, timing: Timing) {
        if draws {
            let open = self.open();
            if let Some(results) = self.one("[data-results]") {
                results.set_inner_html(&run.results());
            }
            self.reopen(&open);
            self.address(&run.query());
            if let Some(said) = self.one("[data-said]") {
                said.set_text_content(Some(&run.said()));
            }
            self.progress("");
        }
        *self.run.borrow_mut() = Some(run);
        if let Some(shown) = self.shown.borrow().as_ref() {
            shown();
        }
        let (took, longest) = (now() - timing.began, timing.longest.max(now() - start));
        let _ = self
            .root
            .set_attribute("data-longest", &format!("{longest:.1}"));
        let _ = self.root.set_attribute("data-took", &format!("{took:.1}"));
        let _ = self
            .root
            .set_attribute("data-run", &self.turn.get().to_string());
    }

    pub(crate) fn progress(&self, words: &str) {
        if let Some(progress) = self.one("[data-progress]") {
            progress.set_text_content(Some(words));
        }
    }

    /// What is wrong goes beside its field; what was typed stays.
    fn mark(&self, fields: &[Field]) {
        for field in fields {
            let Some(note) = self.one(&format!("#n-{}", field.name)) else {
                continue;
            };
            if note.text_content().as_deref() != Some(&field.note) {
                note.set_text_content(Some(&field.note));
            }
            note.set_class_name(field.note_class());
            if let Some(input) = self.one(&format!("#f-{}", field.name)) {
                let _ = if field.is_wrong {
                    input.set_attribute("aria-invalid", "true")
                } else {
                    input.remove_attribute("aria-invalid")
                };
            }
        }
    }

    /// The address and the links say what is shown.
    fn address(&self, query: &str) {
        let path = window_path();
        if let Some(place) = Place::of(&path)
            && let Some(share) = self.one("[data-share]")
        {
            share.set_inner_html(&crate::studio::share(place, query).into_string());
        }
        if let Some(history) = web_sys::window().and_then(|it| it.history().ok()) {
            let _ = history.replace_state_with_url(
                &wasm_bindgen::JsValue::NULL,
                "",
                Some(&format!("{path}?{query}")),
            );
        }
    }

    pub(crate) fn one(&self, selector: &str) -> Option<Element> {
        self.root.query_selector(selector).ok().flatten()
    }

    /// Which tables are open, by their place.
    fn open(&self) -> Vec<bool> {
        all(&self.root, "[data-results] details")
            .iter()
            .map(|it| it.has_attribute("open"))
            .collect()
    }

    fn reopen(&self, open: &[bool]) {
        for (details, open) in all(&self.root, "[data-results] details").iter().zip(open) {
            if *open {
                let _ = details.set_attribute("open", "");
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Timing {
    began: f64,
    longest: f64,
}

/// Calls again and again, once a frame, until it says false.
pub(crate) fn frames(mut each: impl FnMut(f64) -> bool + 'static) {
    request_animation_frame(move || {
        if each(now()) {
            frames(each);
        }
    });
}

/// The browser's clock, in ms.
pub(crate) fn now() -> f64 {
    web_sys::window()
        .and_then(|window| window.performance())
        .map_or(0.0, |performance| performance.now())
}

fn window_path() -> String {
    web_sys::window()
        .and_then(|window| window.location().pathname().ok())
        .unwrap_or_default()
}

/// All elements of a selector.
pub(crate) fn all(root: &Element, selector: &str) -> Vec<Element> {
    let Ok(found) = root.query_selector_all(selector) else {
        return Vec::new();
    };
    (0..found.length())
        .filter_map(|at| found.get(at)?.dyn_into().ok())
        .collect()
}

/// The names and values of the form.
fn pairs(root: &Element) -> Vec<(String, String)> {
    all(root, "form [name]")
        .into_iter()
        .filter_map(|it| {
            let name = it.get_attribute("name")?;
            let value = match it.dyn_into::<HtmlInputElement>() {
                Ok(input) => input.value(),
                Err(other) => other.dyn_into::<HtmlSelectElement>().ok()?.value(),
            };
            Some((name, value))
        })
        .collect()
}
