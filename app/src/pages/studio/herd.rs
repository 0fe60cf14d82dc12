//! `/herd`.

use super::head;
use crate::islands::studio::StudioTool;
use crate::studio::Tool;
use leptos::prelude::*;
use leptos_meta::{Meta, Title};

/// Clients that failed together.
#[component]
pub fn HerdPage() -> impl IntoView {
    view! {
        <Title text="Herd | Charge Once"/>
        <Meta name="description" content="Clients that failed together come back together, unless something spreads them."/>
        <main class="page studio-page" id="main">
            <div inner_html=head(
                Tool::Herd,
                "Herd",
                "Clients that failed together come back together, unless something spreads them.",
            )></div>
            <StudioTool/>
        </main>
    }
}
