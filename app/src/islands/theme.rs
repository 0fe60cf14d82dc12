//! Light, dark, or as the system has it.

use super::store;
use leptos::prelude::*;

/// The choices, in the order in which the button goes through them.
const CHOICES: [(&str, &str); 3] = [("", "Auto"), ("light", "Light"), ("dark", "Dark")];

/// Sets the saved theme before the first paint. Stands in the head with a nonce.
pub const EARLY: &str = "try{var t=localStorage.getItem('charge-once:theme');if(t==='light'||t==='dark')document.documentElement.dataset.theme=t}catch(e){}";

/// The button that changes the theme.
#[island]
pub fn ThemeSwitch() -> impl IntoView {
    let chosen = RwSignal::new(0_usize);
    let ready = RwSignal::new(false);
    Effect::new(move |_| {
        let saved = store::load("theme").unwrap_or_default();
        chosen.set(
            CHOICES
                .iter()
                .position(|(name, _)| *name == saved)
                .unwrap_or(0),
        );
        ready.set(true);
    });
    let choice = move || CHOICES.get(chosen.get()).copied().unwrap_or(("", "Auto"));
    let change = move |_| {
        let next = (chosen.get_untracked() + 1) % CHOICES.len();
        chosen.set(next);
        let (name, _) = choice();
        if let Some(root) = document().document_element() {
            let _ = if name.is_empty() {
                root.remove_attribute("data-theme")
            } else {
                root.set_attribute("data-theme", name)
            };
        }
        if name.is_empty() {
            store::forget("theme");
        } else {
            store::save("theme", name);
        }
    };
    view! {
        <button
            class="theme"
            type="button"
            data-ready=move || ready.get().then_some("")
            aria-label=move || format!("Theme: {}. Change theme", choice().1)
            on:click=change
        >
            <svg viewBox="0 0 16 16" aria-hidden="true">
                <circle cx="8" cy="8" r="6.25" fill="none" stroke="currentColor" stroke-width="1.5"/>
                <path d="M8 1.75a6.25 6.25 0 0 1 0 12.5z" fill="currentColor"/>
            </svg>
            <span>{move || choice().1}</span>
        </button>
    }
}
