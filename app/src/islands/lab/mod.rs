//! The lab: the browser as a client of the real service.

mod controls;
mod evidence;
mod http;
mod leap;
mod pay;
mod service;
mod settings;
mod settlement;
mod state;
mod weaken;
mod wire;

use super::stage::{
    Stage, StageCompare, StageDeck, StagePicture, StageTranscript, StageVoice, StepHead,
};
use controls::controls;
use evidence::evidence;
use leptos::prelude::*;
use model::world::Trace;
use state::Lab;
use weaken::{guard, weaken};

/// Sends real charges, makes them fail, and shows what happened.
#[island]
pub fn LabBench() -> impl IntoView {
    let lab = Lab::new();
    let ready = RwSignal::new(false);
    let trace = Memo::new(move |_| Trace {
        seed: lab.seed.get(),
        policy: lab.policy(),
        facts: lab.facts(),
        aside: None,
    });
    let stage = Stage::new(trace.into(), RwSignal::new(1));
    // Whoever looks at the newest step goes on with it; whoever went back stays.
    Effect::new(move |before: Option<usize>| {
        let steps = stage.lines.with(Vec::len);
        let shown = stage.playback.step.get_untracked();
        if before.is_none_or(|before| shown >= before || shown > steps) {
            stage.playback.show(steps);
        }
        steps
    });
    // A live run is told when it is over, not at each of its steps.
    Effect::new(move |before: Option<bool>| {
        let busy = lab.busy.get();
        if before == Some(true) && !busy {
            stage.playback.asked.update(|asked| *asked += 1);
        }
        busy
    });
    Effect::new(move |_| {
        stage.playback.run();
        stage.playback.listen();
        service::open(lab);
        ready.set(true);
    });
    let count = move || stage.lines.with(Vec::len);
    view! {
        <div class="lab" data-ready=move || (ready.get() && lab.session.get().is_some()).then_some("")>
            {controls(lab)}
            <section class="lab__trace" aria-label="Live trace">
                {guard(lab)}
                <p class="problem" role="alert">
                    {move || lab.problem.get()}
                </p>
                <figure class="player" aria-labelledby="lab-title">
                    <div class="player__head">
                        <StepHead stage id="lab-title"/>
                    </div>
                    <StageDeck stage/>
                    <p class="say" hidden=move || count() != 0>
                        "Press Pay. Each message shows up here when it is sent, not when it is drawn."
                    </p>
                    <div class="player__main" hidden=move || count() == 0>
                        <StagePicture stage id="lab"/>
                    </div>
                    <div class="cmp-wrap">
                        <StageCompare stage/>
                    </div>
                    <StageTranscript stage href=|_| None/>
                    <StageVoice stage/>
                </figure>
            </section>
            {evidence(lab)}
            {weaken(lab)}
        </div>
    }
}
