//! Every step in words. Without JavaScript this is the player.

use super::icons;
use super::shot::Line;
use super::words;
use leptos::prelude::*;

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
    let items = move || {
        lines
            .get()
            .into_iter()
            .zip(1..)
            .map(|(line, number)| {
                let current = move || (step.get() == number).then_some("step");
                let time = format!("{} s", words::seconds(line.at));
                let aside = line.aside.then(|| {
                    view! { <em class="aside">"Had the retry come early: "</em> }
                });
                let time = match href.run(number) {
                    Some(href) => view! {
                        <a
                            href=href
                            title=format!("Show step {number}")
                            on:click=move |event| {
                                if !(event.ctrl_key() || event.meta_key() || event.shift_key()) {
                                    event.prevent_default();
                                    go.run(number);
                                }
                            }
                        >
                            <time>{time}</time>
                        </a>
                    }
                    .into_any(),
                    None => view! { <time>{time}</time> }.into_any(),
                };
                view! {
                    <li aria-current=current>
                        {time}
                        <span>
                            <span class="who">{line.who} "."</span>
                            " "
                            {aside}
                            {line.sentences}
                        </span>
                    </li>
                }
            })
            .collect_view()
    };
    view! {
        <details class="tr" open>
            <summary>
                {icons::chevron(icons::TO_END)} "Transcript, "
                {move || lines.with(Vec::len)} " steps"
            </summary>
            <ol>{items}</ol>
        </details>
    }
}
