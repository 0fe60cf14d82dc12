//! The sandbox's clock, which can be moved forward: leases, retention and
//! tombstones are counted by it.

use super::super::service;
use super::super::state::Lab;
use leptos::prelude::*;
use model::Ms;

/// How far each button moves it.
const LEAPS: [(&str, Ms); 4] = [
    ("+30 s", 30_000),
    ("+1 min", 60_000),
    ("+1 h", 3_600_000),
    ("+24 h", 86_400_000),
];

/// The clock.
pub(super) fn clock(lab: Lab) -> impl IntoView {
    let ahead = move || {
        lab.sandbox_ahead_ms
            .get()
            .map_or_else(|| "…".to_owned(), ahead)
    };
    let buttons = LEAPS.map(|(text, by_ms)| {
        view! {
            <button
                class="btn btn--sm"
                type="button"
                disabled=move || lab.session.get().is_none()
                aria-label=format!("Move the clock forward: {text}")
                on:click=move |_| service::advance(lab, by_ms)
            >
                {text}
            </button>
        }
    });
    view! {
        <div class="set">
            <h2>"The sandbox's clock"</h2>
            <p class="clock">
                <output name="clock" aria-live="off">
                    {ahead}
                </output>
                <small>" ahead of real time"</small>
            </p>
            <div class="g4">{buttons}</div>
        </div>
    }
}

/// A length of time in its largest units: `1 d 30 s`.
fn ahead(ms: Ms) -> String {
    let seconds = ms / 1000;
    let units = [
        (seconds / 86_400, "d"),
        (seconds / 3600 % 24, "h"),
        (seconds / 60 % 60, "min"),
        (seconds % 60, "s"),
    ];
    let mut text = String::new();
    for (number, unit) in units {
        if number > 0 {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&format!("{number} {unit}"));
        }
    }
    if text.is_empty() {
        text.push_str("0 s");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::ahead;

    #[test]
    fn only_units_that_count_are_named() {
        assert_eq!(ahead(0), "0 s");
        assert_eq!(ahead(30_999), "30 s");
        assert_eq!(ahead(3_660_000), "1 h 1 min");
        assert_eq!(ahead(86_430_000), "1 d 30 s");
    }
}
