//! Buttons, scrubber and counter in one strip.

use super::counter::Counter;
use super::icons;
use super::shot::{Line, Shot};
use leptos::ev;
use leptos::prelude::*;
use maud::html;
use std::cmp::Ordering;
use std::time::Duration;

/// How fast the player plays: a step in so many ms at single speed.
const STEP_MS: u64 = 2400;

/// What the player is doing. Shared by its panes.
#[derive(Clone, Copy)]
pub struct Playback {
    /// Which step is shown, from 1.
    pub step: RwSignal<usize>,
    /// Counts how often a person asked for a step. What moves by itself is not
    /// announced.
    pub asked: RwSignal<u32>,
    /// It goes on by itself.
    pub playing: RwSignal<bool>,
    /// In halves of the usual speed.
    pub speed: RwSignal<u64>,
    /// How many steps there are.
    pub steps: Signal<usize>,
}

impl Playback {
    /// Shows a step; the first and the last one are the ends.
    pub fn show(&self, step: usize) {
        self.step
            .set(step.clamp(1, self.steps.get_untracked().max(1)));
    }

    /// Shows a step because a person asked for it.
    pub fn go(&self, step: usize) {
        self.playing.set(false);
        self.show(step);
        self.asked.update(|asked| *asked += 1);
    }

    /// One step forwards.
    pub fn next(&self) {
        self.go(self.step.get_untracked() + 1);
    }

    /// One step back.
    pub fn previous(&self) {
        self.go(self.step.get_untracked().saturating_sub(1));
    }

    fn at_end(&self) -> bool {
        self.step.get() >= self.steps.get()
    }

    fn toggle(&self) {
        let start = !self.playing.get_untracked();
        if start && self.step.get_untracked() >= self.steps.get_untracked() {
            self.show(1);
        }
        self.playing.set(start);
    }

    /// Goes on by itself while it plays. Call once, in the browser.
    pub fn run(self) {
        Effect::new(move |_| {
            if !self.playing.get() {
                return;
            }
            let pause = Duration::from_millis(STEP_MS * 2 / self.speed.get().max(1));
            let handle = set_interval_with_handle(
                move || {
                    let next = self.step.get_untracked() + 1;
                    let last = self.steps.get_untracked();
                    self.show(next);
                    if next >= last {
                        self.playing.set(false);
                    }
                },
                pause,
            );
            if let Ok(handle) = handle {
                on_cleanup(move || handle.clear());
            }
        });
    }

    /// Listens to the arrow keys of the whole page. Call once, in the browser.
    pub fn listen(self) {
        let handle = window_event_listener(ev::keydown, move |event| {
            if event.alt_key() || event.ctrl_key() || event.meta_key() || event.shift_key() {
                return;
            }
            let forwards = match event.key().as_str() {
                "ArrowRight" => true,
                "ArrowLeft" => false,
                _ => return,
            };
            if event.default_prevented() || is_edited(&event) {
                return;
            }
            event.prevent_default();
            if forwards {
                self.next();
            } else {
                self.previous();
            }
        });
        on_cleanup(move || handle.remove());
    }
}

/// Whether the keys belong to a field that has the focus.
fn is_edited(event: &web_sys::KeyboardEvent) -> bool {
    use wasm_bindgen::JsCast;
    let Some(target) = event.target() else {
        return false;
    };
    target.dyn_ref::<web_sys::Element>().is_some_and(|element| {
        // `closest` also finds the editable parent of what is inside one, and a
        // row of tabs, which moves with the same keys.
        element
            .closest("input, textarea, select, [role=tablist], [contenteditable]:not([contenteditable=false])")
            .is_ok_and(|found| found.is_some())
    })
}

/// The strip: previous, play, next, speed; the scrubber; the counter.
#[component]
pub fn Deck(
    /// What the player is doing.
    playback: Playback,
    /// What it shows.
    shot: Memo<Shot>,
    /// Every step.
    lines: Memo<Vec<Line>>,
) -> impl IntoView {
    let Playback { step, playing, .. } = playback;
    let play = move || if playing.get() { "Pause" } else { "Play" };
    let sign = move || {
        if playing.get() {
            icons::PAUSE
        } else if playback.at_end() {
            icons::RESTART
        } else {
            icons::PLAY
        }
    };
    let ticks = move || {
        let now = shot.with(|shot| shot.step);
        lines.with(|lines| {
            html! {
                @for (number, line) in (1..).zip(lines) {
                    @let class = match number.cmp(&now) {
                        Ordering::Less => "past",
                        Ordering::Equal => "now",
                        Ordering::Greater => "ahead",
                    };
                    li class={ (class) @if line.aside { " fork" } } { b { (line.tick) } }
                }
            }
            .0
        })
    };
    let value_text = move || {
        let now = shot.with(|shot| shot.step);
        lines.with(|lines| {
            let title = now.checked_sub(1).and_then(|i| lines.get(i));
            title.map_or_else(String::new, |line| {
                format!("Step {now} of {}: {}", lines.len(), line.title)
            })
        })
    };
    view! {
        <div class="deck">
            <div class="deck__btns">
                <button
                    class="btn btn--sq"
                    type="button"
                    aria-label="Previous step"
                    aria-disabled=move || (step.get() <= 1).then_some("true")
                    on:click=move |_| playback.previous()
                >
                    {icons::solid(icons::PREVIOUS)}
                </button>
                <button
                    class="btn btn--main"
                    type="button"
                    aria-label=play
                    on:click=move |_| playback.toggle()
                >
                    <svg viewBox="0 0 16 16" aria-hidden="true">
                        <path d=sign fill="currentColor"/>
                    </svg>
                    <span>{play}</span>
                </button>
                <button
                    class="btn btn--sq"
                    type="button"
                    aria-label="Next step"
                    aria-disabled=move || playback.at_end().then_some("true")
                    on:click=move |_| playback.next()
                >
                    {icons::solid(icons::NEXT)}
                </button>
                <label class="speed">
                    <span class="vh">"Speed"</span>
                    <select
                        class="sel"
                        on:change=move |event| {
                            if let Ok(speed) = event_target_value(&event).parse() {
                                playback.speed.set(speed);
                            }
                        }
                    >
                        <option value="1">"0.5×"</option>
                        <option value="2" selected>
                            "1×"
                        </option>
                        <option value="4">"2×"</option>
                    </select>
                </label>
            </div>
            <div class="scrub">
                <input
                    type="range"
                    min="1"
                    max=move || lines.with(Vec::len).max(1)
                    step="1"
                    aria-label="Step"
                    aria-valuetext=value_text
                    value=step.get_untracked()
                    prop:value=move || step.get().to_string()
                    on:input=move |event| {
                        if let Ok(step) = event_target_value(&event).parse() {
                            playback.go(step);
                        }
                    }
                />
                <ol aria-hidden="true" inner_html=ticks></ol>
            </div>
            <Counter shot/>
        </div>
    }
}
