//! Pages: text rendered on the server.

use leptos::prelude::*;
use leptos_meta::Title;

use crate::islands::Counter;

/// The opening page.
#[component]
pub fn HomePage() -> impl IntoView {
    view! {
        <Title text="Charge Once"/>
        <h1>"Charge Once"</h1>
        <Counter/>
    }
}
