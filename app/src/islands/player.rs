//! The player of the lesson's scenarios.

use super::address::{Address, Home};
use super::predict::Predict;
use super::stage::{
    Stage, StageCompare, StageDeck, StageHoldings, StagePicture, StageTranscript, StageVoice,
    StepHead, legend,
};
use super::story::Story;
use crate::parts::icons;
use leptos::ev;
use leptos::prelude::*;
use model::world::Scenario;
use wasm_bindgen::JsCast;

/// What each scenario is called among the forks.
const fn fork_name(scenario: Scenario) -> &'static str {
    match scenario {
        Scenario::LostResponse => "With a key",
        Scenario::WithoutKey => "Without a key",
        Scenario::NewKeyOnRetry => "New key on retry",
        Scenario::EarlyRetry => "Retry arrives early",
    }
}

/// Where a page wants its player. Only the server is told; the browser reads the
/// same from its address bar, so that nothing has to be parsed for it.
#[derive(Clone, Debug)]
pub struct Place {
    /// Which page it is.
    pub home: Home,
    /// What the address says.
    pub address: Address,
    /// The moves of a way that the explorer found, with spaces between them. The
    /// browser reads them from the figure.
    pub moves: String,
}

/// Where this player stands.
fn place() -> Place {
    if let Some(place) = use_context::<Place>() {
        return place;
    }
    #[cfg(feature = "hydrate")]
    {
        let home = Home::current();
        let address = Address::current(home).unwrap_or_default();
        let figure = document().query_selector("[data-moves]").ok().flatten();
        let moves = figure.and_then(|figure| figure.get_attribute("data-moves"));
        Place {
            home,
            address,
            moves: moves.unwrap_or_default(),
        }
    }
    #[cfg(not(feature = "hydrate"))]
    Place {
        home: Home::Lesson,
        address: Address::default(),
        moves: String::new(),
    }
}

fn event_target_of(event: &web_sys::MouseEvent) -> Option<web_sys::HtmlElement> {
    event.target()?.dyn_into().ok()
}

/// Steps through a scenario, or through a way that the explorer found. The server
/// draws the first frame; in the browser the same model computes each fork.
#[island]
pub fn Player() -> impl IntoView {
    let Place {
        home,
        address,
        moves,
    } = place();
    let alone = home == Home::Play;
    // A page tells either scenarios, which fork, or the one way that was found.
    let forked = address.story.scenario().is_some();
    let story = RwSignal::new(address.story);
    let seed = RwSignal::new(address.seed);
    let data = (!forked).then(|| moves.clone());
    let trace = Memo::new(move |_| story.get().trace(seed.get(), &moves));
    let steps = trace.with_untracked(|trace| trace.steps().len());
    let stage = Stage::new(
        trace.into(),
        RwSignal::new(address.step.clamp(1, steps.max(1))),
    );
    let playback = stage.playback;
    let ready = RwSignal::new(false);

    let here = move || Address {
        story: story.get(),
        seed: seed.get(),
        step: playback.step.get(),
    };
    Effect::new(move |before: Option<Address>| {
        let now = here();
        // A new scenario has written its own entry already.
        if before.is_some_and(|before| before != now && before.story == now.story) {
            now.write(home, false);
        }
        now
    });
    Effect::new(move |_| {
        playback.run();
        playback.listen();
        let back = window_event_listener(ev::popstate, move |_| {
            if let Some(address) = Address::current(home) {
                playback.playing.set(false);
                story.set(address.story);
                seed.set(address.seed);
                playback.show(address.step);
            }
        });
        on_cleanup(move || back.remove());
        ready.set(true);
    });

    let choose = move |to: Scenario| {
        playback.playing.set(false);
        story.set(Story::Scenario(to));
        playback.go(playback.step.get_untracked());
        untrack(here).write(home, true);
    };
    let fork = move |it: Scenario| {
        view! {
            <label>
                <input
                    type="radio"
                    name="fork"
                    value=it.slug()
                    checked=story.get_untracked() == Story::Scenario(it)
                    prop:checked=move || story.get() == Story::Scenario(it)
                    on:change=move |_| choose(it)
                    on:click=move |event| {
                        // After a press with a pointer the arrow keys are to step on;
                        // with the keyboard they go on choosing.
                        if event.detail() > 0 && let Some(input) = event_target_of(&event) {
                            let _ = input.blur();
                        }
                    }
                />
                <span>{fork_name(it)}</span>
            </label>
        }
    };
    let forks = forked.then(|| {
        view! {
            <fieldset class="forks">
                <legend class="vh">"What the app does about the key"</legend>
                <span class="forks__label" aria-hidden="true">
                    {icons::fork()}
                    "Fork: change one thing and run it again"
                </span>
                <div class="seg">{Scenario::ALL.map(fork)}</div>
            </fieldset>
        }
    });
    let predict = forked.then(|| {
        let scenario = Signal::derive(move || story.get().scenario().unwrap_or_default());
        view! { <Predict scenario seed=seed.into()/> }
    });
    let seed_field = forked.then(|| {
        view! {
            <label class="player__seed">
                "Seed of the random wait "
                <input
                    type="text"
                    inputmode="numeric"
                    size="6"
                    value=seed.get_untracked().to_string()
                    prop:value=move || seed.get().to_string()
                    on:change=move |event| {
                        if let Ok(number) = event_target_value(&event).trim().parse() {
                            seed.set(number);
                        }
                    }
                />
            </label>
        }
    });
    let href = move |step| {
        let at = Address {
            step,
            story: story.get(),
            seed: seed.get(),
        };
        Some(at.href(Home::Play))
    };
    let share = move || here().href(Home::Play);
    view! {
        <figure
            class="player wide"
            aria-labelledby="player-title"
            data-ready=move || ready.get().then_some("")
            data-moves=data
        >
            <div class="player__head">
                <StepHead stage id="player-title"/>
                {forks}
            </div>
            <StageDeck stage/>
            <div class="player__body">
                <div class="player__main">
                    <StagePicture stage id="player"/>
                    <StageHoldings stage/>
                </div>
                <div class="player__side">
                    <StageCompare stage/>
                    {predict}
                    {legend()}
                </div>
            </div>
            <StageTranscript stage href/>
            <p class="player__foot">
                <a href=share>
                    {if alone { "Link to this step" } else { "This step on a page of its own" }}
                </a>
                {seed_field}
            </p>
            <StageVoice stage/>
        </figure>
    }
}
