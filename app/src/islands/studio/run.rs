//! "Run it": the policy of the calculator against the real server.

use leptos::prelude::*;

/// The policy that stands in the address, run with chosen faults.
#[island]
pub fn RunIt() -> impl IntoView {
    let ready = RwSignal::new(false);
    // The browser finds the text in the document and leaves it alone.
    #[cfg(feature = "ssr")]
    let html = crate::studio::run::draw().0;
    #[cfg(not(feature = "ssr"))]
    let html = String::new();
    let root = NodeRef::<leptos::html::Section>::new();
    Effect::new(move |_| {
        #[cfg(feature = "hydrate")]
        if let Some(root) = root.get() {
            browser::start(&root);
        }
        ready.set(true);
    });
    view! {
        <section
            class="studio__part"
            aria-labelledby="run"
            node_ref=root
            data-ready=move || ready.get().then_some("")
            inner_html=html
        ></section>
    }
}

#[cfg(feature = "hydrate")]
mod browser;
