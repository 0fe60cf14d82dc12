//! The quick checks: commit first, then every option says why.

use super::address::{Address, Home};
use super::store;
use crate::content::QUESTIONS;
use leptos::prelude::*;
use model::learn::{Answers, Choice, Question, Show};
use model::world::Scenario;

/// The name that answers are kept under.
const KEPT: &str = "answers";

/// All quick checks. The answers survive a reload; where the browser keeps
/// nothing, they live as long as the page.
#[island]
pub fn QuickChecks() -> impl IntoView {
    let answers = RwSignal::new(Answers::default());
    let ready = RwSignal::new(false);
    Effect::new(move |_| {
        if let Some(kept) = store::load(KEPT).and_then(|text| serde_json::from_str(&text).ok()) {
            answers.set(kept);
        }
        ready.set(true);
    });
    let keep = move || {
        if let Ok(text) = answers.with_untracked(serde_json::to_string) {
            store::save(KEPT, &text);
        }
    };
    let total = QUESTIONS.len();
    let right = move || {
        answers.with(|answers| {
            QUESTIONS
                .iter()
                .filter(|question| {
                    answers
                        .chosen(question)
                        .and_then(|choice| question.choices.get(choice))
                        .is_some_and(|choice| choice.right)
                })
                .count()
        })
    };
    let answered = move || {
        answers.with(|answers| {
            QUESTIONS
                .iter()
                .filter(|it| answers.chosen(it).is_some())
                .count()
        })
    };
    let list = QUESTIONS
        .iter()
        .zip(1..)
        .map(|(question, number)| view! { <One question number total answers keep/> })
        .collect_view();
    view! {
        <div class="wide" data-ready=move || ready.get().then_some("")>
            {list}
            <p class="quiz__sum">
                <output name="answered" aria-live="off">{answered}</output> " of " {total}
                " answered, " <output name="right" aria-live="off">{right}</output> " right."
            </p>
        </div>
    }
}

/// One question.
#[component]
fn One(
    /// The question.
    question: &'static Question,
    /// Its number.
    number: usize,
    /// How many there are.
    total: usize,
    /// All answers.
    answers: RwSignal<Answers>,
    /// Keeps them.
    keep: impl Fn() + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let picked = RwSignal::new(None::<usize>);
    let chosen = move || answers.with(|answers| answers.chosen(question));
    let commit = move |_| {
        if let Some(choice) = picked.get_untracked() {
            answers.update(|answers| answers.commit(question, choice));
            keep();
        }
    };
    let again = move |_| {
        answers.update(|answers| answers.withdraw(question));
        picked.set(None);
        keep();
    };
    let options = question
        .choices
        .iter()
        .enumerate()
        .map(|(at, choice)| {
            view! { <Opt choice at name=question.id.as_ref() picked chosen=Signal::derive(chosen)/> }
        })
        .collect_view();
    let verdict = move || {
        chosen()
            .and_then(|at| question.choices.get(at))
            .map(|choice| {
                if choice.right {
                    "Right."
                } else {
                    "Not quite. Each option now says why."
                }
            })
    };
    let id = format!("q-{}", question.id);
    let title_id = id.clone();
    view! {
        <section class="quiz" aria-labelledby=title_id data-question=question.id.as_ref()>
            <p class="quiz__k">"Check yourself, " {number} " of " {total}</p>
            <h3 id=id>{question.prompt.as_ref()}</h3>
            <ul>{options}</ul>
            <div class="quiz__foot">
                <p>
                    <span role="status">{verdict}</span>
                    {move || chosen().and(question.show.as_ref()).map(shown)}
                </p>
                <button
                    class="btn"
                    type="button"
                    hidden=move || chosen().is_none()
                    on:click=again
                >
                    "Try again"
                </button>
                <button
                    class="btn btn--main"
                    type="button"
                    hidden=move || chosen().is_some()
                    disabled=move || picked.get().is_none()
                    on:click=commit
                >
                    "Commit answer"
                </button>
            </div>
            <noscript>
                <details class="quiz__plain">
                    <summary>"Show the answer"</summary>
                    <ul>
                        {question
                            .choices
                            .iter()
                            .map(|choice| {
                                view! {
                                    <li>
                                        <b>
                                            {if choice.right { "Right: " } else { "Wrong: " }}
                                            {choice.text.as_ref()}
                                        </b>
                                        " "
                                        {choice.why.as_ref()}
                                    </li>
                                }
                            })
                            .collect_view()}
                    </ul>
                </details>
            </noscript>
        </section>
    }
}

/// One option: a radio until the answer is committed, then a verdict with its reason.
#[component]
fn Opt(
    /// The option.
    choice: &'static Choice,
    /// Its place.
    at: usize,
    /// The question's name.
    name: &'static str,
    /// What is picked and not committed yet.
    picked: RwSignal<Option<usize>>,
    /// What is committed.
    chosen: Signal<Option<usize>>,
) -> impl IntoView {
    let class = move || match chosen.get() {
        Some(_) if choice.right => "opt opt--right tone-server",
        Some(it) if it == at => "opt opt--pick tone-lost",
        _ => "opt",
    };
    let verdict = move || {
        let it = chosen.get()?;
        match (it == at, choice.right) {
            (true, true) => Some("Your answer, and right"),
            (true, false) => Some("Your answer, not quite"),
            (false, true) => Some("The right answer"),
            (false, false) => None,
        }
        .map(|text| view! { <span class="opt__v">{text}</span> })
    };
    let mark = move || match chosen.get() {
        Some(_) if choice.right => "M5.5 10.5l3.2 3.2l6-7",
        Some(it) if it == at => "M6.5 6.5l7 7M13.5 6.5l-7 7",
        _ => "",
    };
    view! {
        <li class=class>
            <label class="opt__l">
                <input
                    class="opt__in"
                    type="radio"
                    name=name
                    value=at
                    disabled=move || chosen.get().is_some()
                    prop:checked=move || chosen.get().or(picked.get()) == Some(at)
                    on:change=move |_| picked.set(Some(at))
                />
                <svg class="opt__m" viewBox="0 0 20 20" aria-hidden="true">
                    <circle cx="10" cy="10" r="9"/>
                    <circle class="opt__dot" cx="10" cy="10" r="4.5"/>
                    <path d=mark/>
                </svg>
                <span class="opt__t">{verdict} {choice.text.as_ref()}</span>
            </label>
            {move || chosen.get().map(|_| view! { <p class="opt__e">{choice.why.as_ref()}</p> })}
        </li>
    }
}

/// The way to the step that shows it. It moves the player on this page; where
/// there is none, the address says the same.
fn shown(show: &'static Show) -> impl IntoView {
    let address = Address {
        scenario: Scenario::from_slug(&show.scenario).unwrap_or_default(),
        step: show.step,
        ..Address::default()
    };
    let href = address.href(Home::Lesson);
    view! {
        " "
        <a
            href=href
            on:click=move |event| {
                if event.ctrl_key() || event.meta_key() || event.shift_key() {
                    return;
                }
                let Some(player) = document().get_element_by_id("lost") else { return };
                event.prevent_default();
                address.write(Home::Lesson, true);
                if let Ok(moved) = web_sys::Event::new("popstate") {
                    let _ = window().dispatch_event(&moved);
                }
                player.scroll_into_view();
            }
        >
            {show.label.as_ref()}
        </a>
    }
}
