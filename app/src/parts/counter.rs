//! The pinned counter: what was intended, what was charged, how often it was tried.

use super::shot::Shot;
use leptos::prelude::*;

/// "intended 1 / charged N", with the attempts beside it.
///
/// Outputs announce their changes by themselves unless told not to; one live
/// region speaks for the whole player.
#[component]
pub fn Counter(
    /// What is shown.
    shot: Memo<Shot>,
) -> impl IntoView {
    let tone = move || {
        shot.with(
            |shot| match (shot.frame.charged(), shot.frame.overcharged()) {
                (_, true) => "bad",
                (0, _) => "none",
                _ => "ok",
            },
        )
    };
    view! {
        <dl class="count">
            <div>
                <dt>"intended"</dt>
                <dd>
                    <output name="intended" aria-live="off">
                        {move || shot.with(|shot| shot.frame.intended)}
                    </output>
                </dd>
            </div>
            <div class="slash" aria-hidden="true"></div>
            <div class=tone>
                <dt>"charged"</dt>
                <dd>
                    <output name="charged" aria-live="off">
                        {move || shot.with(|shot| shot.frame.charged())}
                    </output>
                </dd>
            </div>
            <div class="att">
                <dt>"attempts"</dt>
                <dd>
                    <output name="attempts" aria-live="off">
                        {move || shot.with(|shot| shot.frame.attempts)}
                    </output>
                </dd>
            </div>
        </dl>
    }
}
