//! The quick checks: commit first, then every option says why.
//!
//! The questions and the reasons are in the page, written by the server; this
//! keeps the answers and shows what is due.

use super::store;
use leptos::prelude::*;
use model::learn::Answers;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement, MouseEvent};

/// The name that answers are kept under.
const KEPT: &str = "answers";

/// Wakes the questions that stand inside it. The answers survive a reload; where
/// the browser keeps nothing, they live as long as the page.
#[island]
pub fn QuickChecks(children: Children) -> impl IntoView {
    let answers = StoredValue::new(Answers::default());
    let ready = RwSignal::new(false);
    let verdict = RwSignal::new("");
    Effect::new(move |_| {
        if let Some(kept) = store::load(KEPT) {
            answers.set_value(Answers::read(&kept));
        }
        for section in all(&document().body(), "[data-question]") {
            show(&section, answers);
        }
        count();
        ready.set(true);
    });
    let click = move |event: MouseEvent| {
        let Some(target) = event.target().and_then(|it| it.dyn_into::<Element>().ok()) else {
            return;
        };
        let within = |selector| target.closest(selector).ok().flatten();
        let Some(section) = within("[data-question]") else {
            return;
        };
        if within("[data-show]").is_some() {
            follow(&event, &target);
            return;
        }
        match within("[data-do]").and_then(|it| it.get_attribute("data-do")) {
            Some(what) if what == "commit" => verdict.set(commit(&section, answers)),
            Some(_) => {
                answers.update_value(|answers| answers.withdraw(&id(&section)));
                verdict.set("");
                show(&section, answers);
                focus(&section, "h3");
            }
            None => {}
        }
        count();
        store::save(KEPT, &answers.with_value(ToString::to_string));
    };
    let change = move |event: web_sys::Event| {
        let input = event.target().and_then(|it| it.dyn_into::<Element>().ok());
        let section = input.and_then(|it| it.closest("[data-question]").ok().flatten());
        if let Some(button) = section.and_then(|it| one(&it, "[data-do=commit]")) {
            let _ = button.remove_attribute("disabled");
        }
    };
    view! {
        <div
            class="checks"
            data-ready=move || ready.get().then_some("")
            on:click=click
            on:change=change
        >
            {children()}
            <p class="vh" role="status">
                {verdict}
            </p>
        </div>
    }
}

fn all(root: &Option<impl AsRef<Element>>, selector: &str) -> Vec<Element> {
    let Some(found) = root
        .as_ref()
        .and_then(|root| root.as_ref().query_selector_all(selector).ok())
    else {
        return Vec::new();
    };
    (0..found.length())
        .filter_map(|at| found.item(at)?.dyn_into().ok())
        .collect()
}

fn one(root: &Element, selector: &str) -> Option<Element> {
    root.query_selector(selector).ok().flatten()
}

fn focus(root: &Element, selector: &str) {
    if let Some(element) = one(root, selector).and_then(|it| it.dyn_into::<HtmlElement>().ok()) {
        let _ = element.focus();
    }
}

fn id(section: &Element) -> String {
    section.get_attribute("data-question").unwrap_or_default()
}

fn revision(section: &Element) -> u32 {
    section
        .get_attribute("data-revision")
        .and_then(|text| text.parse().ok())
        .unwrap_or(0)
}

fn is_right(option: &Element) -> bool {
    option.has_attribute("data-right")
}

/// Takes the option that is picked for the answer, and says what it is.
fn commit(section: &Element, answers: StoredValue<Answers>) -> &'static str {
    let options = all(&Some(section), ".opt");
    let picked = options.iter().position(|option| {
        one(option, "input")
            .and_then(|it| it.dyn_into::<HtmlInputElement>().ok())
            .is_some_and(|input| input.checked())
    });
    let Some(picked) = picked else { return "" };
    answers.update_value(|answers| answers.commit(&id(section), revision(section), picked));
    show(section, answers);
    focus(section, "h3");
    match options.get(picked) {
        Some(option) if is_right(option) => "Right.",
        _ => "Not quite. Each option now says why.",
    }
}

/// Shows what is due of a question.
fn show(section: &Element, answers: StoredValue<Answers>) {
    let chosen = answers.with_value(|it| it.chosen(&id(section), revision(section)));
    let options = all(&Some(section), ".opt");
    let chosen = chosen.filter(|at| *at < options.len());
    for (at, option) in options.iter().enumerate() {
        let mine = chosen == Some(at);
        let (class, says) = match (chosen, mine, is_right(option)) {
            (Some(_), true, true) => ("opt opt--right tone-server", "Your answer, and right"),
            (Some(_), false, true) => ("opt opt--right tone-server", "The right answer"),
            (Some(_), true, false) => ("opt opt--pick tone-lost", "Your answer, not quite"),
            _ => ("opt", ""),
        };
        option.set_class_name(class);
        if let Some(verdict) = one(option, ".opt__v") {
            verdict.set_text_content(Some(says));
            hide(&verdict, says.is_empty());
        }
        if let Some(input) =
            one(option, "input").and_then(|it| it.dyn_into::<HtmlInputElement>().ok())
        {
            input.set_disabled(chosen.is_some());
            input.set_checked(mine);
        }
    }
    for due in all(&Some(section), ".quiz__due") {
        hide(&due, chosen.is_none());
    }
    if let Some(button) = one(section, "[data-do=commit]") {
        hide(&button, chosen.is_some());
        let _ = button.set_attribute("disabled", "");
    }
    let _ = section.toggle_attribute_with_force("data-done", chosen.is_some());
}

fn hide(element: &Element, hidden: bool) {
    let _ = element.toggle_attribute_with_force("hidden", hidden);
}

/// Counts what is answered, and what of it is right.
fn count() {
    let body = document().body();
    let set = |name: &str, selector: &str| {
        let number = all(&body, selector).len();
        for output in all(&body, &format!("output[name={name}]")) {
            output.set_text_content(Some(&number.to_string()));
        }
    };
    set("answered", ".quiz[data-done]");
    set("right", ".opt--right input:checked");
}

/// Goes to the step that shows it: on this page the player moves, and the address
/// with it.
fn follow(event: &MouseEvent, link: &Element) {
    if event.ctrl_key() || event.meta_key() || event.shift_key() {
        return;
    }
    let Some(player) = document().get_element_by_id("lost") else {
        return;
    };
    let Some(href) = link.get_attribute("href") else {
        return;
    };
    event.prevent_default();
    if let Ok(history) = window().history() {
        let _ = history.push_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(&href));
    }
    if let Ok(moved) = web_sys::Event::new("popstate") {
        let _ = window().dispatch_event(&moved);
    }
    player.scroll_into_view();
}
