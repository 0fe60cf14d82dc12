//! The lesson.

use super::asked_for;
use crate::content::{Block, LESSON, Widget};
use crate::islands::address::Home;
use crate::islands::contents::FollowReader;
use crate::islands::player::{Place, Player};
use crate::islands::quiz::QuickChecks;
use crate::islands::stakes::StakesSum;
use crate::parts::contents::contents;
use crate::parts::endings::endings;
use crate::parts::quiz::quick_checks;
use leptos::prelude::*;
use leptos_meta::{Meta, Title};

/// `/`, also as `/?scenario=without-key&step=3`.
#[component]
pub fn LessonPage() -> impl IntoView {
    provide_context(Place {
        home: Home::Lesson,
        address: asked_for().unwrap_or_default(),
        moves: String::new(),
    });
    let blocks = LESSON.blocks.iter().map(|block| match block {
        Block::Html(html) => view! { <div class="text" inner_html=*html></div> }.into_any(),
        Block::Widget(widget, "") => live(*widget),
        Block::Widget(widget, note) => view! {
            <div class="noted">
                {live(*widget)}
                <aside class="note" role="note" inner_html=*note></aside>
            </div>
        }
        .into_any(),
    });
    view! {
        <Title text=format!("{} | Charge Once", LESSON.title)/>
        <Meta
            name="description"
            content="Why a retry can charge a card twice, and how an idempotency key prevents it. An interactive lesson, computed by the code that it teaches."
        />
        <div class="page lesson">
            {contents(LESSON.parts)}
            <FollowReader/>
            <main class="article" id="main">
                <p class="kicker">"An interactive lesson, about 15 minutes"</p>
                <h1>{LESSON.title}</h1>
                <div class="standfirst" inner_html=LESSON.standfirst></div>
                {blocks.collect_view()}
            </main>
        </div>
    }
}

fn live(widget: Widget) -> AnyView {
    match widget {
        Widget::Stakes => view! { <StakesSum/> }.into_any(),
        Widget::Endings => endings().into_any(),
        Widget::Player => view! {
            <Player/>
            <noscript>
                <p class="noscript">
                    "Without JavaScript the buttons rest. The transcript above lists every step, and each time in it leads to a page that shows that step."
                </p>
            </noscript>
        }
        .into_any(),
        Widget::Quiz => view! {
            <QuickChecks>
                <div class="wide" inner_html=quick_checks()></div>
            </QuickChecks>
        }
        .into_any(),
    }
}
