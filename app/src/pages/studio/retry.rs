//! `/retry`.

use super::head;
use super::presets::presets;
use crate::islands::studio::StudioTool;
use crate::islands::studio::run::RunIt;
use crate::islands::studio::triage::Triage;
use crate::studio::Tool;
use leptos::prelude::*;
use leptos_meta::{Meta, Title};

/// The calculator.
#[component]
pub fn RetryPage() -> impl IntoView {
    view! {
        <Title text="Retry calculator | Charge Once"/>
        <Meta name="description" content="Write a retry policy down and see what it comes to: how often it succeeds, how long it waits, what is wrong with it."/>
        <main class="page studio-page" id="main">
            <div inner_html=head(
                Tool::Retry,
                "Retry calculator",
                "Write a retry policy down and see what it comes to: how often it succeeds, how long it waits, what is wrong with it.",
            )></div>
            <StudioTool/>
            <RunIt/>
            <Triage/>
            <div inner_html=presets()></div>
        </main>
    }
}
