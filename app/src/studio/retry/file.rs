//! The figures and the schedule as CSV.

use super::Asked;
use crate::studio::{Pairs, csv_line};
use model::retry::answers::{Basis, Fits, schedule};

/// One table of figures, an empty line, one of the schedule. Numbers are as they
/// were worked out, with a decimal point.
#[must_use]
pub fn csv(pairs: &Pairs) -> String {
    let asked = Asked::read(pairs);
    let plan = &asked.form.inputs.plan;
    let answers = asked.answers();
    let mut text = csv_line(["figure", "value", "unit", "basis", "error"]);
    text += &csv_line(["attempts", &plan.attempts.to_string(), "", "exact", "0"]);
    text += &csv_line(["retries", &plan.retries().to_string(), "", "exact", "0"]);
    for (name, unit, figure) in [
        ("success", "", answers.success),
        ("expected-attempts", "", answers.expected_attempts),
        ("expected-wait", "ms", answers.expected_wait),
        ("worst-wait", "ms", answers.worst_wait),
        ("worst-total", "ms", answers.worst_total),
        ("wait-p50", "ms", answers.wait_p50),
        ("wait-p90", "ms", answers.wait_p90),
        ("wait-p95", "ms", answers.wait_p95),
        ("wait-p99", "ms", answers.wait_p99),
    ] {
        let (basis, error) = match figure.basis {
            Basis::Exact => ("exact", 0.0),
            Basis::Within { most } => ("exact within the error", most),
            Basis::Sampled { standard_error } => ("sampled", standard_error),
        };
        text += &csv_line([
            name,
            &figure.value.to_string(),
            unit,
            basis,
            &error.to_string(),
        ]);
    }
    text += "\r\n";
    text += &csv_line([
        "attempt",
        "nominal_wait_ms",
        "wait_from_ms",
        "wait_to_ms",
        "starts_from_ms",
        "starts_to_ms",
        "before_deadline",
    ]);
    for slot in schedule(plan) {
        let or_empty = |ms: Option<f64>| ms.map_or_else(String::new, |ms| ms.to_string());
        text += &csv_line([
            slot.attempt.to_string().as_str(),
            &or_empty(slot.nominal_ms),
            &or_empty(slot.wait.map(|it| it.low_ms)),
            &or_empty(slot.wait.map(|it| it.high_ms)),
            &slot.starts.low_ms.to_string(),
            &slot.starts.high_ms.to_string(),
            match slot.fits {
                Fits::Always => "always",
                Fits::Perhaps => "perhaps",
                Fits::Never => "never",
            },
        ]);
    }
    text
}
