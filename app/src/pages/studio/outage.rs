//! `/outage`.

use super::head;
use crate::islands::studio::StudioTool;
use crate::studio::Tool;
use leptos::prelude::*;
use leptos_meta::{Meta, Title};

/// Strategies in an outage.
#[component]
pub fn OutagePage() -> impl IntoView {
    view! {
        <Title text="Outage | Charge Once"/>
        <Meta name="description" content="The same arrivals under different strategies: what gets through, and whether the system comes back."/>
        <main class="page studio-page" id="main">
            <div inner_html=head(
                Tool::Outage,
                "Outage",
                "The same arrivals under different strategies: what gets through, and whether the system comes back.",
            )></div>
            <StudioTool/>
        </main>
    }
}
