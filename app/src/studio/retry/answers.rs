//! The figures, each with how it was come by.

use crate::studio::words::{apart, duration, number};
use maud::{Markup, html};
use model::retry::answers::{Answers, Basis, Figure};
use model::retry::form::Inputs;

/// The figures under two headings: on average, and when every attempt fails.
pub(super) fn draw(inputs: &Inputs, answers: &Answers) -> Markup {
    let plan = &inputs.plan;
    let fails = 1.0 - answers.success.value;
    html! {
        section class="studio__part" aria-labelledby="figures" {
            h2 id="figures" class="vh" { "Figures" }
            p class="studio__sum" {
                output name="attempts" { (plan.attempts) } " "
                @if plan.attempts == 1 { "attempt" } @else { "attempts" }
                ": the first call and "
                output name="retries" { (plan.retries()) } " "
                @if plan.retries() == 1 { "retry" } @else { "retries" }
                ". "
                @if fails > 0.0 && inputs.p < 1.0 {
                    "One operation in " (number(1.0 / fails, 3)) " still fails in the end."
                } @else if inputs.p >= 1.0 {
                    "Every attempt fails, so every operation does."
                }
            }
            dl class="figs" {
                (figure("Succeeds", "success", &probability(answers.success.value), "", answers.success, ""))
                (figure("Attempts, mean", "expected-attempts", &number(answers.expected_attempts.value, 5), "", answers.expected_attempts, ""))
                (time("Wait, mean", "expected-wait", answers.expected_wait))
                (time("Longest wait", "worst-wait", answers.worst_wait))
                (time("Longest in all", "worst-total", answers.worst_total))
            }
            h3 { "Waits together when every attempt fails" }
            dl class="figs" {
                (time("p50", "wait-p50", answers.wait_p50))
                (time("p90", "wait-p90", answers.wait_p90))
                (time("p95", "wait-p95", answers.wait_p95))
                (time("p99", "wait-p99", answers.wait_p99))
            }
            @if plan.deadline_ms.is_some() {
                p class="hint" {
                    "With a deadline each failed attempt is taken to have run into its time-out: the slowest way to fail."
                }
            }
        }
    }
}

fn time(label: &str, name: &str, it: Figure) -> Markup {
    let long = if it.value >= 10_000.0 {
        duration(it.value)
    } else {
        String::new()
    };
    figure(
        label,
        name,
        &number(it.value, digits(it.value)),
        "ms",
        it,
        &long,
    )
}

/// Two decimals where there are any, as many digits as there are before the point.
pub(super) fn digits(value: f64) -> usize {
    let whole = value.abs().max(1.0).log10().floor();
    whole as usize + 3
}

fn figure(label: &str, name: &str, value: &str, unit: &str, it: Figure, long: &str) -> Markup {
    html! {
        div {
            dt { (label) }
            dd {
                output name=(name) { (apart(value)) }
                @if !unit.is_empty() { " " span class="figs__u" { (unit) } }
                small {
                    @if !long.is_empty() { (long) ", " }
                    (basis(it))
                }
            }
        }
    }
}

/// How a figure was come by, in its own unit.
pub(super) fn basis(it: Figure) -> String {
    match it.basis {
        Basis::Exact => "exact".to_owned(),
        Basis::Within { most } => format!("exact to \u{b1}{}", number(most, 1)),
        Basis::Sampled { standard_error } if standard_error > 0.0 => {
            format!("sampled, \u{b1}{}", number(standard_error, 2))
        }
        Basis::Sampled { .. } => "sampled".to_owned(),
    }
}

/// A probability with all its nines and one digit more.
pub(super) fn probability(value: f64) -> String {
    let rest = 1.0 - value;
    if !(rest > 0.0 && rest < 0.001) {
        return number(value, 6);
    }
    let decimals = (-rest.log10()).floor().clamp(0.0, 14.0) as usize + 2;
    let text = format!("{value:.decimals$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
