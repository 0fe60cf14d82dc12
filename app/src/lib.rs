//! The pages of Charge Once, rendered on the server, and the islands that come
//! alive in the browser.
//!
//! Features: `ssr` for the server, `hydrate` for the browser's bundle.

// The view macros nest types deeply.
#![recursion_limit = "256"]

// Public, because the component macros emit public items: a private module would
// leave them unreachable.
pub mod content;
pub mod islands;
pub mod pages;
pub mod parts;
pub mod shell;

pub use shell::{App, shell};

/// Wakes the islands that the server rendered. The browser's bundle starts here.
#[cfg(feature = "hydrate")]
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    leptos::mount::hydrate_islands();
}
