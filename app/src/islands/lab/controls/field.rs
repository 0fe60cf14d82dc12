//! Fields that several controls are made of.

use crate::parts::words;
use leptos::prelude::*;

/// One of several choices.
pub(super) fn radio(
    name: &'static str,
    text: &'static str,
    small: &'static str,
    chosen: impl Fn() -> bool + Copy + Send + Sync + 'static,
    choose: impl Fn() + 'static,
) -> impl IntoView {
    view! {
        <label>
            <input
                type="radio"
                name=name
                checked=untrack(chosen)
                prop:checked=chosen
                on:change=move |_| choose()
            />
            <span>
                {text}
                <small>{small}</small>
            </span>
        </label>
    }
}

/// A field for a length of time in seconds.
pub(super) fn seconds(
    label: &'static str,
    name: &'static str,
    value: RwSignal<u64>,
    most_ms: u64,
) -> impl IntoView {
    let wrong = RwSignal::new(false);
    view! {
        <label class="field">
            {label}
            <span class="field__in">
                <input
                    type="text"
                    inputmode="decimal"
                    name=name
                    value=words::decimal_seconds(value.get_untracked())
                    aria-invalid=move || wrong.get().then_some("true")
                    on:input=move |event| {
                        let read = ms_of(&event_target_value(&event)).filter(|ms| *ms <= most_ms);
                        wrong.set(read.is_none());
                        if let Some(ms) = read {
                            value.set(ms);
                        }
                    }
                />
                <span>"s"</span>
            </span>
            <small class="problem" role="status">
                {move || {
                    wrong
                        .get()
                        .then(|| {
                            format!("0.01 to {} s", words::decimal_seconds(most_ms))
                        })
                }}
            </small>
        </label>
    }
}

/// Seconds as people type them, in ms. A decimal comma is understood.
fn ms_of(text: &str) -> Option<u64> {
    let text = text.trim().replace(',', ".");
    let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
    if part.len() > 3 || !part.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let whole: u64 = if whole.is_empty() {
        0
    } else {
        whole.parse().ok()?
    };
    let part: u64 = format!("{part:0<3}").parse().ok()?;
    let ms = whole.checked_mul(1000)?.checked_add(part)?;
    (ms >= 10).then_some(ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_read_as_people_type_them() {
        for (text, ms) in [
            ("2", 2000),
            ("0,5", 500),
            (" 0.25 ", 250),
            (".1", 100),
            ("2.", 2000),
        ] {
            assert_eq!(ms_of(text), Some(ms), "{text}");
        }
        for text in [
            "",
            "0",
            "-1",
            "2s",
            "1.2.3",
            "0.0001",
            "99999999999999999999",
        ] {
            assert_eq!(ms_of(text), None, "{text}");
        }
    }
}
