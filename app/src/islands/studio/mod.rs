//! A tool of the studio: the form and its results, drawn again as the form changes.
//!
//! No view stands behind a figure. The server and the browser call the same function
//! of names and values, and here its text takes the place of the text that was there.

use crate::studio::{Place, Tool};
use leptos::prelude::*;

/// Where this tool stands, and its names and values.
fn place() -> (Place, Vec<(String, String)>) {
    let nowhere = Place {
        tool: Tool::Retry,
        embedded: false,
    };
    #[cfg(feature = "ssr")]
    {
        let Some(request) = use_context::<http::request::Parts>() else {
            return (nowhere, Vec::new());
        };
        let place = Place::of(request.uri.path()).unwrap_or(nowhere);
        let query = request.uri.query().unwrap_or_default();
        (place, crate::studio::pairs(query))
    }
    #[cfg(not(feature = "ssr"))]
    {
        let path = window().location().pathname().unwrap_or_default();
        (Place::of(&path).unwrap_or(nowhere), Vec::new())
    }
}

/// The tool that the address names.
#[island]
pub fn StudioTool() -> impl IntoView {
    let (place, pairs) = place();
    let ready = RwSignal::new(false);
    // The browser finds the text in the document and leaves it alone.
    #[cfg(feature = "ssr")]
    let html = crate::studio::whole(place, &crate::studio::draw(place.tool, &pairs)).0;
    #[cfg(not(feature = "ssr"))]
    let html = {
        drop(pairs);
        String::new()
    };
    let root = NodeRef::<leptos::html::Div>::new();
    Effect::new(move |_| {
        #[cfg(feature = "hydrate")]
        if let Some(root) = root.get() {
            match place.tool {
                Tool::Retry | Tool::Amplify => live::start(&root, place),
                // They run in slices.
                Tool::Herd => crate::studio::herd::live::wake(&root),
                Tool::Outage => crate::studio::outage::live::wake(&root),
            }
        }
        ready.set(true);
    });
    view! {
        <div
            class="studio"
            node_ref=root
            data-tool=place.tool.slug()
            data-ready=move || ready.get().then_some("")
            inner_html=html
        ></div>
    }
}

#[cfg(feature = "hydrate")]
mod copy;
#[cfg(feature = "hydrate")]
mod live;
#[cfg(feature = "hydrate")]
mod reader;
pub mod run;
pub mod triage;
