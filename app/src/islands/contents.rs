//! The table of contents, which follows the reader.
#![expect(
    missing_docs,
    reason = "the island macro writes a struct for the props without any"
)]

use crate::parts::icons;
use leptos::ev;
use leptos::prelude::*;

/// How far from the top of the window a part counts as being read, in px.
const READING_LINE: f64 = 160.0;

/// Which part is being read: the last one whose heading is above the line.
fn reading(parts: &[(String, String)]) -> usize {
    let document = document();
    parts
        .iter()
        .rposition(|(id, _)| {
            document
                .get_element_by_id(id)
                .is_some_and(|heading| heading.get_bounding_client_rect().top() < READING_LINE)
        })
        .unwrap_or(0)
}

/// The parts as a column beside the text and, on narrow screens, as a bar over it.
#[island]
pub fn Contents(
    /// The id and the title of each part.
    parts: Vec<(String, String)>,
) -> impl IntoView {
    let now = RwSignal::new(0_usize);
    let parts = StoredValue::new(parts);
    Effect::new(move |_| {
        let follow = move || {
            let part = parts.with_value(|parts| reading(parts));
            if now.get_untracked() != part {
                now.set(part);
            }
        };
        follow();
        let handle = window_event_listener(ev::scroll, move |_| follow());
        on_cleanup(move || handle.remove());
    });
    let total = parts.with_value(Vec::len);
    let list = move || {
        parts.with_value(|parts| {
            parts
                .iter()
                .enumerate()
                .map(|(at, (id, title))| {
                    let current = move || (now.get() == at).then_some("location");
                    view! {
                        <li class:is-done=move || at < now.get()>
                            <a href=format!("#{id}") aria-current=current>
                                {title.clone()}
                            </a>
                        </li>
                    }
                })
                .collect_view()
        })
    };
    let title = move || {
        parts.with_value(|parts| {
            parts
                .get(now.get())
                .map_or_else(String::new, |(_, title)| title.clone())
        })
    };
    let bars = move || {
        (0..total)
            .map(|at| {
                let class = move || match at.cmp(&now.get()) {
                    std::cmp::Ordering::Less => "d",
                    std::cmp::Ordering::Equal => "c",
                    std::cmp::Ordering::Greater => "",
                };
                view! { <i class=class></i> }
            })
            .collect_view()
    };
    view! {
        <nav class="toc" aria-label="Contents">
            <p class="toc__title">"Contents"</p>
            <p class="toc__sum">"Part " {move || now.get() + 1} " of " {total}</p>
            <ol class="toc__list">{list()}</ol>
        </nav>
        <details class="toc-mini">
            <summary>
                <span class="n">{move || now.get() + 1} " of " {total}</span>
                <b>{title}</b>
                <span class="vh">", show contents"</span>
                {icons::chevron(icons::DOWN)}
                <span class="toc-mini__bar" aria-hidden="true">
                    {bars()}
                </span>
            </summary>
            <ol class="toc__list">{list()}</ol>
        </details>
    }
}
