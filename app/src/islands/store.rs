//! What the browser keeps for a reader. Private windows may refuse it; then
//! nothing is kept and everything else works.

use leptos::prelude::window;

fn storage() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}

/// Reads what is kept under a name.
#[must_use]
pub fn load(name: &str) -> Option<String> {
    storage()?.get_item(&format!("charge-once:{name}")).ok()?
}

/// Keeps a text under a name.
pub fn save(name: &str, text: &str) {
    if let Some(storage) = storage() {
        let _ = storage.set_item(&format!("charge-once:{name}"), text);
    }
}

/// Forgets what is kept under a name.
pub fn forget(name: &str) {
    if let Some(storage) = storage() {
        let _ = storage.remove_item(&format!("charge-once:{name}"));
    }
}
