//! `/embed/…`: a tool in a narrow frame on somebody else's page.

use crate::islands::studio::StudioTool;
use crate::studio::Tool;
use leptos::prelude::*;
use leptos_meta::{Meta, Title};
use leptos_router::hooks::use_location;

/// The tool and nothing around it.
#[component]
pub fn Embedded() -> impl IntoView {
    let path = use_location().pathname.get_untracked();
    let tool = crate::studio::Place::of(&path).map_or(Tool::Retry, |place| place.tool);
    view! {
        <Title text=format!("{} | Charge Once", tool.name())/>
        // The page itself is what should be found.
        <Meta name="robots" content="noindex"/>
        <main class="page studio-embed" id="main">
            <h1 class="vh">{tool.name()}</h1>
            <StudioTool/>
        </main>
    }
}
