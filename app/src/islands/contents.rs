//! Follows the reader through the table of contents, which the server wrote.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::Element;

/// How far from the top of the window a part counts as being read, in px.
const READING_LINE: f64 = 160.0;

fn all(selector: &str) -> Vec<Element> {
    let Ok(found) = document().query_selector_all(selector) else {
        return Vec::new();
    };
    (0..found.length())
        .filter_map(|at| found.item(at)?.dyn_into().ok())
        .collect()
}

/// Which part is being read: the last one whose heading is above the line.
fn reading() -> usize {
    let headings = all("h2[id]");
    // The last part may be too short to come up to the line.
    let at_end = document()
        .document_element()
        .is_some_and(|root| root.scroll_top() + root.client_height() + 1 >= root.scroll_height());
    if at_end {
        return headings.len().saturating_sub(1);
    }
    headings
        .iter()
        .rposition(|heading| heading.get_bounding_client_rect().top() < READING_LINE)
        .unwrap_or(0)
}

fn mark(now: usize) {
    for list in all(".toc__list") {
        let links = list.query_selector_all("a").ok();
        for at in 0..links.as_ref().map_or(0, web_sys::NodeList::length) {
            let link = links.as_ref().and_then(|links| links.item(at));
            let Some(link) = link.and_then(|it| it.dyn_into::<Element>().ok()) else {
                continue;
            };
            let at = at as usize;
            let _ = if at == now {
                link.set_attribute("aria-current", "location")
            } else {
                link.remove_attribute("aria-current")
            };
            if let Some(item) = link.parent_element() {
                item.set_class_name(if at < now { "is-done" } else { "" });
            }
            if at == now {
                for title in all(".toc-mini__title") {
                    title.set_text_content(link.text_content().as_deref());
                }
            }
        }
    }
    for (at, bar) in all(".toc-mini__bar i").iter().enumerate() {
        bar.set_class_name(match at.cmp(&now) {
            std::cmp::Ordering::Less => "d",
            std::cmp::Ordering::Equal => "c",
            std::cmp::Ordering::Greater => "",
        });
    }
    for number in all(".toc__at") {
        number.set_text_content(Some(&(now + 1).to_string()));
    }
}

/// Marks the part that is being read, wherever the contents stand.
#[island]
pub fn FollowReader() -> impl IntoView {
    let ready = RwSignal::new(false);
    Effect::new(move |_| {
        let last = StoredValue::new(usize::MAX);
        let follow = move || {
            let now = reading();
            if last.get_value() != now {
                last.set_value(now);
                mark(now);
            }
        };
        follow();
        let handle = window_event_listener(ev::scroll, move |_| follow());
        on_cleanup(move || handle.remove());
        ready.set(true);
    });
    view! { <span hidden data-ready=move || ready.get().then_some("")></span> }
}
