//! The table of contents: a column beside the text and, on narrow screens, a bar
//! over it.

use super::icons;
use leptos::prelude::*;
use maud::{Markup, html};

/// The contents of a lesson with these parts: the id and the title of each.
#[must_use]
pub fn contents(parts: &[(&str, &str)]) -> impl IntoView + use<> {
    let total = parts.len();
    let list = list(parts).0;
    let title = parts.first().map(|(_, title)| (*title).to_owned());
    let bars = html! { @for _ in parts { i {} } }.0;
    view! {
        <nav class="toc" aria-label="Contents">
            <p class="toc__title">"Contents"</p>
            <p class="toc__sum">"Part " <span class="toc__at">"1"</span> " of " {total}</p>
            <ol class="toc__list" inner_html=list.clone()></ol>
        </nav>
        <details class="toc-mini">
            <summary>
                <span class="n">
                    <span class="toc__at">"1"</span>
                    " of "
                    {total}
                </span>
                <b class="toc-mini__title">{title}</b>
                <span class="vh">", show contents"</span>
                {icons::chevron(icons::DOWN)}
                <span class="toc-mini__bar" aria-hidden="true" inner_html=bars></span>
            </summary>
            <ol class="toc__list" inner_html=list></ol>
        </details>
    }
}

fn list(parts: &[(&str, &str)]) -> Markup {
    html! {
        @for (at, (id, title)) in parts.iter().enumerate() {
            li { a href={ "#" (id) } aria-current=[(at == 0).then_some("location")] { (title) } }
        }
    }
}
