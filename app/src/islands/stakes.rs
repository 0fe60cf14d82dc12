//! The opening's sum, with its three numbers in the reader's hands.

use crate::parts::strip::{MOST, strip};
use leptos::prelude::*;
use model::money::{Currency, Money, grouped};
use model::stakes::Stakes;

/// Reads a number as people type it: `1,000`, `0,5`, `1 000`, `$40`.
///
/// A comma is a decimal sign when it is the only one and not followed by exactly
/// three digits; otherwise it groups.
fn number(text: &str) -> Option<f64> {
    let bare: String = text
        .chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, '$' | '\'' | '\u{a0}' | '\u{202f}'))
        .collect();
    let decimal = match bare.split_once(',') {
        Some((_, rest)) => !bare.contains('.') && !rest.contains(',') && rest.len() != 3,
        None => false,
    };
    let plain = if decimal {
        bare.replace(',', ".")
    } else {
        bare.replace(',', "")
    };
    decimal_number(&plain)
}

/// A number that is not negative, in digits with at most one point.
///
/// `f64::from_str` would read exponents and names of infinity as well, and bring
/// its parser into the browser's bundle.
fn decimal_number(text: &str) -> Option<f64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits: String = [whole, part].concat();
    if digits.is_empty() || digits.len() > 15 || !digits.bytes().all(|it| it.is_ascii_digit()) {
        return None;
    }
    let number = digits.parse::<u64>().ok()? as f64;
    Some((0..part.len()).fold(number, |number, _| number / 10.0))
}

/// One of the three numbers, while it is typed.
#[derive(Clone, Copy)]
struct Field {
    text: RwSignal<String>,
    /// The last number that made sense. A wrong one changes nothing else.
    value: RwSignal<f64>,
    least: f64,
    most: f64,
}

impl Field {
    fn new(text: &str, value: f64, least: f64, most: f64) -> Self {
        Self {
            text: RwSignal::new(text.to_owned()),
            value: RwSignal::new(value),
            least,
            most,
        }
    }

    fn typed(self, text: String) {
        if let Some(number) = number(&text).filter(|it| (self.least..=self.most).contains(it)) {
            self.value.set(number);
        }
        self.text.set(text);
    }

    fn problem(self) -> Option<String> {
        match number(&self.text.get()) {
            None => Some("Type a number.".to_owned()),
            Some(it) if it < self.least => Some(format!("At least {}.", plain(self.least))),
            Some(it) if it > self.most => Some(format!("At most {}.", plain(self.most))),
            Some(_) => None,
        }
    }
}

/// A number with as many decimals as it needs, at most two.
fn plain(number: f64) -> String {
    let hundredths = (number * 100.0).round() as u64;
    let whole = grouped(hundredths / 100);
    match hundredths % 100 {
        0 => whole,
        rest if rest % 10 == 0 => format!("{whole}.{}", rest / 10),
        rest => format!("{whole}.{rest:02}"),
    }
}

/// Double charges a day, from three numbers.
#[island]
pub fn StakesSum() -> impl IntoView {
    let rate = Field::new("100", 100.0, 0.01, 1_000_000.0);
    let lost = Field::new("1,000", 1000.0, 1.0, 1_000_000_000.0);
    let amount = Field::new("$40", 40.0, 0.01, 999_999.99);
    let ready = RwSignal::new(false);
    Effect::new(move |_| ready.set(true));
    let stakes = move || Stakes {
        payments_per_s: rate.value.get(),
        one_lost_in: lost.value.get(),
        amount: amount.value.get() * 100.0,
    };
    let calls = move || lost.value.get().round() as u64;
    let per_second = move || plain_small(stakes().doubles_per_s());
    let per_day = move || plain_rounded(stakes().doubles_per_day());
    let refund = move || {
        Money {
            minor: stakes().refund_per_day().round() as u64,
            currency: Currency::Usd,
        }
        .to_string()
    };
    let input = move |field: Field, name: &'static str, label: &'static str| {
        view! {
            <span class="num">
                <input
                    type="text"
                    inputmode="decimal"
                    name=name
                    aria-label=label
                    size="6"
                    value=field.text.get_untracked()
                    aria-invalid=move || field.problem().map(|_| "true")
                    aria-describedby=format!("{name}-problem")
                    on:input=move |event| field.typed(event_target_value(&event))
                />
            </span>
        }
    };
    let problem = move |field: Field, name: &'static str, label: &'static str| {
        view! {
            <span class="problem" id=format!("{name}-problem") role="status">
                {move || field.problem().map(|problem| format!("{label}: {problem} "))}
            </span>
        }
    };
    view! {
        <div class="sums" data-ready=move || ready.get().then_some("")>
            <p class="sum--lg">
                "Take a shop with " {input(rate, "rate", "Payments a second")}
                " payments a second that loses the reply to one call in "
                {input(lost, "lost", "One reply lost in so many calls")}
                " after the card was charged. If each of those calls is simply sent again, that makes "
                <output class="sum" name="doubles-per-second" aria-live="off">
                    {per_second}
                </output> " double charges a second, "
                <output class="sum sum--lost" name="doubles-per-day">
                    {per_day}
                </output> " a day. At " {input(amount, "amount", "Dollars for one payment")}
                " each, the shop owes its customers " <output class="sum sum--lost" name="refund-per-day" aria-live="off">
                    {refund}
                </output> " daily."
            </p>
            <p class="problems">
                {problem(rate, "rate", "Payments a second")}
                {problem(lost, "lost", "Calls for one lost reply")}
                {problem(amount, "amount", "Dollars")}
            </p>
        </div>
        <figure class="ticks-fig">
            <div inner_html=move || strip(calls())></div>
            <figcaption>
                <b>{move || drawn(calls())}</b>
                " "
                {move || met(stakes())}
            </figcaption>
        </figure>
    }
}

/// What the picture under the sum shows.
fn drawn(calls: u64) -> String {
    let number = grouped(calls);
    if calls > MOST {
        format!("One reply in {number} is lost: too many calls to draw.")
    } else if calls == 1 {
        "Each reply is lost.".to_owned()
    } else {
        format!("{number} calls, one of them unlucky.")
    }
}

/// How often such a shop meets a lost reply.
fn met(stakes: Stakes) -> String {
    let seconds = stakes.one_lost_in / stakes.payments_per_s;
    let often = if seconds < 1.0 {
        format!("{} times a second", plain_rounded(1.0 / seconds))
    } else {
        let (number, unit) = match seconds {
            ..120.0 => (seconds, "seconds"),
            ..7200.0 => (seconds / 60.0, "minutes"),
            ..172_800.0 => (seconds / 3600.0, "hours"),
            _ => (seconds / 86_400.0, "days"),
        };
        format!("every {} {unit}", plain(number))
    };
    let by_hand = if stakes.one_lost_in < 100.0 {
        "Trying it out by hand would show it."
    } else {
        "Nobody who tries the checkout by hand is likely to see it."
    };
    format!("{by_hand} At this rate of payments it happens {often}.")
}

/// A share of a second may be small: up to four decimals.
fn plain_small(number: f64) -> String {
    if number >= 100.0 {
        return plain_rounded(number);
    }
    let parts = (number * 10_000.0).round() as u64;
    let text = format!("{}.{:04}", grouped(parts / 10_000), parts % 10_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn plain_rounded(number: f64) -> String {
    if number < 10.0 {
        plain_small(number)
    } else {
        grouped(number.round() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_type_them() {
        for (text, expected) in [
            ("1,000", 1000.0),
            ("0,5", 0.5),
            ("1 000", 1000.0),
            ("$40", 40.0),
            ("1,000.5", 1000.5),
            ("1,000,000", 1_000_000.0),
            ("12,50", 12.5),
            (" 7 ", 7.0),
        ] {
            assert_eq!(number(text), Some(expected), "{text}");
        }
        for text in ["", "abc", "1.2.3", "NaN", "inf", "--1"] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn figures_are_written_as_people_read_them() {
        assert_eq!(plain_small(0.1), "0.1");
        assert_eq!(plain_small(0.0), "0");
        assert_eq!(plain_rounded(8640.0), "8,640");
        assert_eq!(plain(999_999.99), "999,999.99");
        assert_eq!(plain(0.5), "0.5");
    }

    #[test]
    fn how_often_it_happens_is_said_in_a_unit_that_fits() {
        let met = |payments_per_s, one_lost_in| {
            met(Stakes {
                payments_per_s,
                one_lost_in,
                amount: 4000.0,
            })
        };
        for (rate, calls, often) in [
            (100.0, 1000.0, "every 10 seconds."),
            (1000.0, 100.0, "10 times a second."),
            (1.0, 1000.0, "every 16.67 minutes."),
            (0.1, 1000.0, "every 2.78 hours."),
            (0.01, 10_000.0, "every 11.57 days."),
        ] {
            assert!(met(rate, calls).ends_with(often), "{}", met(rate, calls));
        }
    }
}
