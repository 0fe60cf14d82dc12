//! The sorting exercise, alive.

use crate::studio::triage;
use leptos::prelude::*;

/// Which errors to retry: sort them, then see why.
#[island]
pub fn Triage() -> impl IntoView {
    let ready = RwSignal::new(false);
    // The browser finds the text in the document and leaves it alone.
    #[cfg(feature = "ssr")]
    let html = triage::draw().0;
    #[cfg(not(feature = "ssr"))]
    let html = String::new();
    let root = NodeRef::<leptos::html::Section>::new();
    Effect::new(move |_| {
        #[cfg(feature = "hydrate")]
        if let Some(root) = root.get() {
            start(&root);
        }
        ready.set(true);
    });
    view! {
        <section
            class="studio__part"
            aria-labelledby="triage"
            node_ref=root
            data-ready=move || ready.get().then_some("")
            inner_html=html
        ></section>
    }
}

/// Hides the answers, and shows them for a sorting that is whole.
#[cfg(feature = "hydrate")]
fn start(root: &web_sys::Element) {
    use super::live::{all, find, on};
    use model::retry::triage::CASES;
    use wasm_bindgen::JsCast;
    use web_sys::{Element, HtmlElement, HtmlInputElement};

    let (Some(form), Some(sorted)) = (
        find::<HtmlElement>(root, "[data-sort]"),
        find::<HtmlElement>(root, "[data-sorted]"),
    ) else {
        return;
    };
    form.set_hidden(false);
    sorted.set_hidden(true);
    let chosen = {
        let form = form.clone();
        move || -> Vec<_> {
            all(&form, "input:checked")
                .into_iter()
                .filter_map(|input| input.dyn_into::<HtmlInputElement>().ok())
                .filter_map(|input| {
                    let case = CASES.iter().find(|case| case.id == input.name())?;
                    Some((case.id, triage::pile(&input.value())?))
                })
                .collect()
        }
    };
    let say = {
        let form = form.clone();
        move |words: &str| {
            if let Some(it) = find::<Element>(&form, "[data-left]") {
                it.set_text_content(Some(words));
            }
        }
    };
    let submitted = form.clone();
    on(&form, "submit", move |event| {
        event.prevent_default();
        let chosen = chosen();
        let unsorted = CASES
            .iter()
            .find(|case| chosen.iter().all(|(id, _)| *id != case.id));
        if let Some(case) = unsorted {
            say(&match CASES.len() - chosen.len() {
                1 => "One is not sorted yet.".to_owned(),
                left => format!("{left} are not sorted yet."),
            });
            let first = format!("input[name=\"{}\"]", case.id);
            if let Some(input) = find::<HtmlElement>(&submitted, &first) {
                let _ = input.focus();
            }
            return;
        }
        sorted.set_inner_html(&triage::table(&chosen).0);
        sorted.set_hidden(false);
        say("Each is explained below.");
    });
}
