//! `/amplify`.

use super::head;
use crate::islands::studio::StudioTool;
use crate::studio::Tool;
use leptos::prelude::*;
use leptos_meta::{Meta, Title};

/// Attempts over layers.
#[component]
pub fn AmplifyPage() -> impl IntoView {
    view! {
        <Title text="Amplification | Charge Once"/>
        <Meta name="description" content="Attempts multiply over layers. See by how much, and what takes it away."/>
        <main class="page studio-page" id="main">
            <div inner_html=head(
                Tool::Amplify,
                "Amplification",
                "Attempts multiply over layers. See by how much, and what takes it away.",
            )></div>
            <StudioTool/>
        </main>
    }
}
