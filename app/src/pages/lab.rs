//! The lab: real requests to the real service.

use leptos::prelude::*;
use leptos_meta::Title;

/// `/lab`.
#[component]
pub fn LabPage() -> impl IntoView {
    view! {
        <Title text="Lab | Charge Once"/>
        <main class="page" id="main">
            <div class="labhead">
                <h1>"Lab: lose the reply yourself"</h1>
            </div>
        </main>
    }
}
