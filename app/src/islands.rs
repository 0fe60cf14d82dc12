//! Islands: the parts of a page that react in the browser.

use leptos::prelude::*;

/// Counts presses; a first island to show that hydration works.
#[island]
pub fn Counter() -> impl IntoView {
    let (count, set_count) = signal(0_u32);
    // Effects run only in the browser, so the marker appears once hydrated.
    let ready = RwSignal::new(false);
    Effect::new(move |_| ready.set(true));
    view! {
        <p data-ready=move || ready.get().then_some("")>
            <button type="button" on:click=move |_| set_count.update(|n| *n += 1)>"Count"</button>
            " "
            <output name="count">{count}</output>
        </p>
    }
}
