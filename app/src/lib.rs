//! The pages of Charge Once, rendered on the server, and the islands that come
//! alive in the browser.
//!
//! Features: `ssr` for the server; `islands-lesson`, `islands-lab` and
//! `islands-studio` for the three clients in the browser.

// The view macros nest types deeply.
#![recursion_limit = "256"]

// Public, because the component macros emit public items: a private module would
// leave them unreachable.
#[cfg(feature = "ssr")]
pub mod content;
pub mod islands;
#[cfg(feature = "ssr")]
pub mod pages;
pub mod parts;
#[cfg(feature = "ssr")]
pub mod shell;
#[cfg(any(feature = "ssr", feature = "islands-studio"))]
pub mod studio;

#[cfg(feature = "ssr")]
pub use shell::{App, shell};

/// Wakes the islands that the server rendered. The browser's bundle starts here.
#[cfg(feature = "hydrate")]
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    leptos::mount::hydrate_islands();
}
