//! Every step in words. Without JavaScript this is the player.

use super::icons;
use super::shot::Line;
use super::words;
use leptos::html::Ol;
use leptos::prelude::*;
use maud::html;
use wasm_bindgen::JsCast;

/// The steps as an ordered list. `href` gives a step an address of its own.
#[component]
pub fn Transcript(
    /// Every step.
    lines: Memo<Vec<Line>>,
    /// Which step is shown, from 1.
    step: Signal<usize>,
    /// Shows a step.
    #[prop(into)]
    go: Callback<usize>,
    /// The address of a step, where it has one.
    #[prop(into)]
    href: Callback<usize, Option<String>>,
) -> impl IntoView {
    let list = NodeRef::<Ol>::new();
    // Written again only for another trace: what has the focus must stay.
    let items = move || {
        let now = step.get_untracked();
        lines.with(|lines| written(lines, now, |number| href.run(number)))
    };
    Effect::new(move |_| {
        let now = step.get();
        lines.track();
        let Some(list) = list.get() else { return };
        let children = list.children();
        for at in 0..children.length() {
            let Some(item) = children.item(at) else {
                continue;
            };
            let _ = if at as usize + 1 == now {
                item.set_attribute("aria-current", "step")
            } else {
                item.remove_attribute("aria-current")
            };
        }
    });
    let click = move |event: web_sys::MouseEvent| {
        if event.ctrl_key() || event.meta_key() || event.shift_key() {
            return;
        }
        let asked = event
            .target()
            .and_then(|target| target.dyn_into::<web_sys::Element>().ok())
            .and_then(|element| element.closest("a[data-step]").ok().flatten())
            .and_then(|link| link.get_attribute("data-step")?.parse().ok());
        if let Some(step) = asked {
            event.prevent_default();
            go.run(step);
        }
    };
    view! {
        <details class="tr" open>
            <summary>
                {icons::chevron(icons::TO_END)} "Transcript, "
                {move || lines.with(Vec::len)} " steps"
            </summary>
            <ol node_ref=list on:click=click inner_html=items></ol>
        </details>
    }
}

fn written(lines: &[Line], now: usize, href: impl Fn(usize) -> Option<String>) -> String {
    html! {
        @for (number, line) in (1..).zip(lines) {
            li aria-current=[(number == now).then_some("step")] {
                @let time = html! { time { (words::seconds(line.at)) " s" } };
                @match href(number) {
                    Some(href) => { a href=(href) data-step=(number) title={ "Show step " (number) } { (time) } },
                    None => (time),
                }
                span {
                    span class="who" { (line.who) "." } " "
                    @if line.aside { em class="aside" { "Had the retry come early: " } }
                    (line.sentences)
                }
            }
        }
    }
    .0
}
