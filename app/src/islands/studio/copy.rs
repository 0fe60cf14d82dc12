//! Buttons that copy what stands in an element.

use super::live::{all, find, on};
use leptos::prelude::window;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Element, HtmlElement};

/// Shows the buttons under `root`.
pub(super) fn prepare(root: &Element) {
    for button in all(root, "[data-copy]") {
        if let Ok(button) = button.dyn_into::<HtmlElement>() {
            button.set_hidden(false);
        }
    }
}

/// Listens for presses of them, now or when they are drawn. The button says whether
/// it worked: a browser may refuse.
pub(super) fn listen(root: &Element) {
    let place = root.clone();
    on(root, "click", move |event| {
        let button = event
            .target()
            .and_then(|it| it.dyn_into::<Element>().ok())
            .and_then(|it| it.closest("[data-copy]").ok().flatten());
        let Some(button) = button else {
            return;
        };
        let id = button.get_attribute("data-copy").unwrap_or_default();
        let Some(text) =
            find::<Element>(&place, &format!("#{id}")).and_then(|it| it.text_content())
        else {
            return;
        };
        let copied = window().navigator().clipboard().write_text(&text);
        spawn_local(async move {
            let words = match JsFuture::from(copied).await {
                Ok(_) => "Copied",
                Err(_) => "Select it and copy",
            };
            button.set_text_content(Some(words));
        });
    });
}
