//! What a tool does in the browser.

use super::{copy, reader};
use crate::studio::{Drawn, Field, Input, Place, draw, share};
use leptos::leptos_dom::helpers::{TimeoutHandle, set_timeout_with_handle};
use leptos::prelude::*;
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    Element, Event, EventTarget, FormData, HtmlElement, HtmlFormElement, HtmlInputElement,
};

/// How long after the last change the result is said: not at every key.
const SAID_AFTER: Duration = Duration::from_millis(700);

/// Listens from now on.
pub(super) fn start(root: &Element, place: Place) {
    reader::prepare(root);
    copy::prepare(root);
    copy::listen(root);
    reader::listen(root);
    let Some(form) = find::<HtmlFormElement>(root, "form") else {
        return;
    };
    let pending = Rc::new(Cell::new(None::<TimeoutHandle>));
    let change = {
        let (root, form) = (root.clone(), form.clone());
        Rc::new(move |settled: bool| {
            let drawn = draw(place.tool, &pairs(&form));
            show(&root, place, &drawn, settled);
            if let Some(before) = pending.take() {
                before.clear();
            }
            let (root, said) = (root.clone(), drawn.said);
            let say = move || {
                if let Some(it) = find::<Element>(&root, "[data-said]") {
                    it.set_text_content(Some(&said));
                }
            };
            pending.set(set_timeout_with_handle(say, SAID_AFTER).ok());
        })
    };
    let typed = Rc::clone(&change);
    on(&form, "input", move |_| typed(false));
    let settled = Rc::clone(&change);
    on(&form, "change", move |_| settled(true));
    on(&form, "submit", move |event| {
        event.prevent_default();
        change(true);
    });
}

/// Listens for as long as the page lives.
pub(super) fn on(target: &EventTarget, event: &str, run: impl Fn(Event) + 'static) {
    let closure = Closure::<dyn Fn(Event)>::new(run).into_js_value();
    let _ = target.add_event_listener_with_callback(event, closure.unchecked_ref());
}

/// The first element under `root` that matches.
pub(super) fn find<T: JsCast>(root: &Element, selector: &str) -> Option<T> {
    root.query_selector(selector).ok()??.dyn_into().ok()
}

/// Every element under `root` that matches.
pub(super) fn all(root: &Element, selector: &str) -> Vec<Element> {
    let Ok(nodes) = root.query_selector_all(selector) else {
        return Vec::new();
    };
    (0..nodes.length())
        .filter_map(|at| nodes.item(at)?.dyn_into().ok())
        .collect()
}

/// The names and values of a form.
fn pairs(form: &HtmlFormElement) -> Vec<(String, String)> {
    let Ok(data) = FormData::new_with_form(form) else {
        return Vec::new();
    };
    data.entries()
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let entry = js_sys::Array::from(&entry);
            Some((entry.get(0).as_string()?, entry.get(1).as_string()?))
        })
        .collect()
}

/// Puts what was drawn in the place of what was there. `settled` when the reader has
/// left the field: what was understood then takes the place of what was typed.
fn show(root: &Element, place: Place, drawn: &Drawn, settled: bool) {
    for field in &drawn.fields {
        note(root, field, settled);
    }
    if let Some(results) = find::<Element>(root, "[data-results]") {
        let kept = Kept::of(&results);
        results.set_inner_html(&drawn.results.0);
        reader::prepare(&results);
        copy::prepare(&results);
        kept.restore(&results);
    }
    if let Some(it) = find::<Element>(root, "[data-share]") {
        let kept = Kept::of(&it);
        it.set_inner_html(&share(place, &drawn.query).0);
        kept.restore(&it);
    }
    let address = format!("{}?{}", place.path(), drawn.query);
    if let Ok(history) = window().history() {
        // A browser that limits how often may refuse; the next change comes through.
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&address));
    }
}

/// Says what is wrong with a field, or what explains it.
fn note(root: &Element, field: &Field, settled: bool) {
    let Some(it) = find::<HtmlElement>(root, &format!("[data-field={}]", field.name)) else {
        return;
    };
    it.set_hidden(field.is_idle);
    if let Some(note) = find::<Element>(&it, ".field__n") {
        note.set_class_name(field.note_class());
        note.set_text_content(Some(&field.note));
    }
    let Some(control) = find::<Element>(&it, "[name]") else {
        return;
    };
    let _ = if field.is_wrong {
        control.set_attribute("aria-invalid", "true")
    } else {
        control.remove_attribute("aria-invalid")
    };
    if settled
        && !field.is_wrong
        && field.input == Input::Text
        && let Ok(input) = control.dyn_into::<HtmlInputElement>()
        && input.value() != field.value
    {
        input.set_value(&field.value);
    }
}

/// What a reader did to the results: what is unfolded, and where each chart is read.
struct Kept {
    open: Vec<String>,
    read: Vec<(String, String)>,
}

impl Kept {
    fn of(root: &Element) -> Self {
        Self {
            open: all(root, "details[data-keep][open]")
                .iter()
                .filter_map(|it| it.get_attribute("data-keep"))
                .collect(),
            read: all(root, "[data-reader] input")
                .into_iter()
                .filter_map(|it| it.dyn_into::<HtmlInputElement>().ok())
                .filter(|it| it.value() != "0")
                .map(|it| (it.id(), it.value()))
                .collect(),
        }
    }

    fn restore(&self, root: &Element) {
        for it in all(root, "details[data-keep]") {
            if let Some(name) = it.get_attribute("data-keep")
                && self.open.contains(&name)
            {
                let _ = it.set_attribute("open", "");
            }
        }
        for (id, value) in &self.read {
            if let Some(input) = find::<HtmlInputElement>(root, &format!("#{id}")) {
                // It keeps to its ends by itself.
                input.set_value(value);
                reader::read(&input);
            }
        }
    }
}
