//! The player's panes, put together. Islands give it a trace.

use crate::parts::compare::Compare;
use crate::parts::deck::{Deck, Playback};
use crate::parts::diagram;
use crate::parts::holdings::Holdings;
use crate::parts::shot::{Line, Shot, lines};
use crate::parts::transcript::Transcript;
use crate::parts::words;
use leptos::prelude::*;
use model::world::Trace;

/// A trace with everything that is derived from it and from the step that is shown.
#[derive(Clone, Copy)]
pub struct Stage {
    /// What the player is doing.
    pub playback: Playback,
    /// What it shows.
    pub shot: Memo<Shot>,
    /// Every step.
    pub lines: Memo<Vec<Line>>,
}

impl Stage {
    /// Sets a stage for a trace, at a step.
    #[must_use]
    pub fn new(trace: Signal<Trace>, step: RwSignal<usize>) -> Self {
        let lines = Memo::new(move |_| trace.with(lines));
        let shot = Memo::new(move |_| trace.with(|trace| Shot::of(trace, step.get())));
        Self {
            playback: Playback {
                step,
                asked: RwSignal::new(0),
                playing: RwSignal::new(false),
                speed: RwSignal::new(2),
                steps: Signal::derive(move || lines.with(Vec::len)),
            },
            shot,
            lines,
        }
    }

    /// The heading of the step that is shown.
    #[must_use]
    pub fn title(self) -> String {
        let step = self.shot.with(|shot| shot.step);
        self.lines.with(|lines| {
            step.checked_sub(1).and_then(|i| lines.get(i)).map_or_else(
                || "Nothing has happened yet".to_owned(),
                |line| line.title.clone(),
            )
        })
    }

    /// What happens in the step that is shown.
    #[must_use]
    pub fn says(self) -> String {
        let step = self.shot.with(|shot| shot.step);
        self.lines.with(|lines| {
            step.checked_sub(1)
                .and_then(|i| lines.get(i))
                .map_or_else(String::new, |line| line.sentences.clone())
        })
    }
}

/// The heading: which step of how many, and what it is called.
#[component]
pub fn StepHead(
    /// What is on.
    stage: Stage,
    /// Keeps ids apart on a page.
    id: &'static str,
) -> impl IntoView {
    let now = move || words::seconds(stage.shot.with(|shot| shot.now));
    let turn = move || {
        let aside = stage.shot.with(|shot| shot.at.is_some_and(|at| at.aside));
        aside.then_some(", had the retry come early")
    };
    view! {
        <h3 id=id>
            <small>
                "Step "
                <output name="step" aria-live="off">
                    {move || stage.shot.with(|shot| shot.step)}
                </output> " of "
                <output name="steps" aria-live="off">
                    {move || stage.lines.with(Vec::len)}
                </output> ", at " {now} " s"
                {turn}
            </small>
            {move || stage.title()}
        </h3>
    }
}

/// The strip of controls.
#[component]
pub fn StageDeck(
    /// What is on.
    stage: Stage,
) -> impl IntoView {
    view! { <Deck playback=stage.playback shot=stage.shot lines=stage.lines/> }
}

/// The picture and the sentence over it.
#[component]
pub fn StagePicture(
    /// What is on.
    stage: Stage,
    /// Keeps ids apart on a page.
    id: &'static str,
) -> impl IntoView {
    let picture = move || stage.shot.with(|shot| diagram::draw(shot, id));
    view! {
        <p class="say">{move || stage.says()}</p>
        <div class="picture" inner_html=picture></div>
    }
}

/// The store of keys and the ledger.
#[component]
pub fn StageHoldings(
    /// What is on.
    stage: Stage,
) -> impl IntoView {
    view! { <Holdings shot=stage.shot/> }
}

/// Belief beside truth.
#[component]
pub fn StageCompare(
    /// What is on.
    stage: Stage,
) -> impl IntoView {
    view! { <Compare shot=stage.shot/> }
}

/// All steps in words.
#[component]
pub fn StageTranscript(
    /// What is on.
    stage: Stage,
    /// The address of a step, where it has one.
    #[prop(into)]
    href: Callback<usize, Option<String>>,
) -> impl IntoView {
    let go = move |step| stage.playback.go(step);
    view! { <Transcript lines=stage.lines step=stage.playback.step.into() go href/> }
}

/// Says one sentence for each step that a person goes to, and nothing while the
/// player plays by itself.
#[component]
pub fn StageVoice(
    /// What is on.
    stage: Stage,
) -> impl IntoView {
    let said = RwSignal::new(String::new());
    Effect::new(move |before: Option<u32>| {
        let asked = stage.playback.asked.get();
        if before.is_some_and(|before| before != asked) {
            let step = stage.playback.step.get_untracked();
            let steps = stage.lines.with_untracked(Vec::len);
            let title = untrack(|| stage.title());
            said.set(format!("Step {step} of {steps}. {title}"));
        }
        asked
    });
    view! {
        <p class="vh" role="status">
            {said}
        </p>
    }
}

/// How to read the picture.
#[must_use]
pub fn legend() -> impl IntoView {
    view! { <div class="legend" inner_html=LEGEND></div> }
}

/// Nothing in it changes, so it is text.
const LEGEND: &str = concat!(
    "<h4>How to read it</h4><ul>",
    r#"<li><svg class="seq" viewBox="0 0 44 18" aria-hidden="true"><path class="x-past" d="M2 9h30"/><path class="x-tip-past" d="M42 9l-10 -5v10z"/></svg>a request</li>"#,
    r#"<li><svg class="seq" viewBox="0 0 44 18" aria-hidden="true"><path class="x-past x-reply" d="M42 9H4"/><path class="x-past" d="M9 4L3 9l6 5"/></svg>a reply</li>"#,
    r#"<li><svg class="seq" viewBox="0 0 44 18" aria-hidden="true"><rect class="f-client" x="18" y="0" width="8" height="18"/></svg>waiting or busy</li>"#,
    r#"<li><svg class="seq" viewBox="0 0 44 18" aria-hidden="true"><path class="x-lost" d="M42 9h-8l-4 -6l-7 12l-4 -6"/><path class="f-lost" transform="translate(11 9) scale(.56)" d="M15 -5.5L6.4 -.4L11.2 2.5L5.6 3.1L10.6 10.7L3 5.6L2.2 10.3L-.5 6.4L-5.7 15L-3.9 5.1L-9.8 7.2L-6 2.2L-14.4 .9L-6.2 -1.4L-9.8 -5.4L-4.5 -4.6L-7.6 -14.1L-1.3 -6.3L.9 -10.8L2.3 -6L8.1 -10.7L5.2 -3.8Z"/></svg>lost</li>"#,
    r#"<li><svg class="seq" viewBox="0 0 44 18" aria-hidden="true"><g class="g-ledger" stroke-width="2"><path d="M14 7h16M14 11h16"/></g></svg>money taken</li>"#,
    r#"<li><svg class="seq" viewBox="0 0 44 18" aria-hidden="true"><path class="x-axis" d="M22 0v6M22 12v6M16 8l12 -5M16 15l12 -5"/></svg>time left out</li>"#,
    "</ul>"
);
