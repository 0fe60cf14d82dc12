//! The page for an address that there is nothing at.

use leptos::prelude::*;
use leptos_meta::Title;

/// Says so, with the status, and shows the ways back.
#[component]
pub fn NotFound() -> impl IntoView {
    #[cfg(feature = "ssr")]
    if let Some(response) = use_context::<leptos_axum::ResponseOptions>() {
        response.set_status(http::StatusCode::NOT_FOUND);
    }
    view! {
        <Title text="No such page | Charge Once"/>
        <main class="page plain" id="main">
            <h1>"No such page"</h1>
            <p>"There is nothing at this address. Nothing was charged either."</p>
            <p>
                <a href="/">"To the lesson"</a>
                " or "
                <a href="/lab">"to the lab"</a>
                "."
            </p>
        </main>
    }
}
