//! Filling the templates.
//!
//! A template is the file itself. `{{NAME}}` stands for a figure, and a line that
//! begins with `%flag|` is there only when the plan has that; `%!flag|` only when it
//! has not, and `%one,other|` only when it has both.

use super::Language;
use crate::retry::plan::{Plan, RetryAfter, Spread};
use crate::retry::{Advice, Heard, advice};

/// Writes the template for this plan.
pub(super) fn fill(template: &str, plan: &Plan, language: Language) -> String {
    let mut text = String::with_capacity(template.len());
    for line in template.trim_start_matches('\n').lines() {
        let Some(line) = kept(line, plan) else {
            continue;
        };
        if line.trim_start() == "{{HEADER}}" {
            header(&mut text, plan, language);
            continue;
        }
        figures(&mut text, line, plan, language);
        text.push('\n');
    }
    text
}

/// The line without its conditions, where they hold.
fn kept<'a>(line: &'a str, plan: &Plan) -> Option<&'a str> {
    let Some((flags, rest)) = line.strip_prefix('%').and_then(|line| line.split_once('|')) else {
        return Some(line);
    };
    flags
        .split(',')
        .all(|flag| match flag.strip_prefix('!') {
            Some(flag) => !holds(flag, plan),
            None => holds(flag, plan),
        })
        .then_some(rest)
}

fn holds(flag: &str, plan: &Plan) -> bool {
    match flag {
        "deadline" => plan.deadline_ms.is_some(),
        "after" => plan.retry_after != RetryAfter::Ignore,
        "none" => plan.spread == Spread::None,
        "full" => plan.spread == Spread::Full,
        "equal" => plan.spread == Spread::Equal,
        "share" => matches!(plan.spread, Spread::Share(_)),
        "decorrelated" => plan.spread == Spread::Decorrelated,
        // A template with a flag that nobody knows: the tests look for it.
        _ => false,
    }
}

fn figures(text: &mut String, line: &str, plan: &Plan, language: Language) {
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("{{") {
        text.push_str(before);
        match after.split_once("}}") {
            Some((name, after)) => {
                text.push_str(&figure(name, plan, language));
                rest = after;
            }
            None => {
                text.push_str("{{");
                rest = after;
            }
        }
    }
    text.push_str(rest);
}

fn figure(name: &str, plan: &Plan, language: Language) -> String {
    // Rust's literals do not turn into floating point of themselves.
    let number = |number: f64| match language {
        Language::Rust => format!("{number:?}"),
        _ => number.to_string(),
    };
    match name {
        "ATTEMPTS" => plan.attempts.to_string(),
        "RETRIES" => plan.retries().to_string(),
        "RETRIES_WORD" => retries(plan),
        "BASE" => number(plan.base_ms as f64),
        "FACTOR" => number(plan.factor),
        "CAP" => number(plan.cap_ms as f64),
        "SHARE" => match plan.spread {
            Spread::Share(share) => number(share),
            _ => String::new(),
        },
        // Whole milliseconds, for constructors of durations.
        "BASE_WHOLE" => plan.base_ms.to_string(),
        "CAP_WHOLE" => plan.cap_ms.to_string(),
        "TIMEOUT" => plan.timeout_ms.to_string(),
        "DEADLINE" => plan
            .deadline_ms
            .map_or_else(String::new, |ms| number(ms as f64)),
        "AFTER" => match plan.retry_after {
            RetryAfter::Ignore => String::new(),
            RetryAfter::Honour { most_ms } => number(most_ms as f64),
        },
        "DEADLINE_WHOLE" => plan
            .deadline_ms
            .map_or_else(String::new, |ms| ms.to_string()),
        "AFTER_WHOLE" => match plan.retry_after {
            RetryAfter::Ignore => String::new(),
            RetryAfter::Honour { most_ms } => most_ms.to_string(),
        },
        "CRATES" => crates(plan, "tokio 1 (time)"),
        "CRATES_LIB" => crates(plan, "backon 1, tokio 1"),
        "STATUSES" => statuses(", "),
        "TIMER" => Plan::LONGEST_TIMER.to_string(),
        other => format!("{{{{{other}}}}}"),
    }
}

/// The crates that a Rust file needs.
fn crates(plan: &Plan, first: &str) -> String {
    let mut crates = format!("{first}, reqwest 0.13, uuid 1 (v4)");
    if plan.spread != Spread::None {
        crates.push_str(", rand 0.10");
    }
    if plan.retry_after != RetryAfter::Ignore {
        crates.push_str(", httpdate 1");
    }
    crates.push('.');
    crates
}

fn retries(plan: &Plan) -> String {
    match plan.retries() {
        0 => "no retry".to_owned(),
        1 => "1 retry".to_owned(),
        retries => format!("{retries} retries"),
    }
}

/// The statuses that are tried again, as the policy type sorts them.
pub(super) fn statuses(between: &str) -> String {
    let retried: Vec<_> = (100..600)
        .filter(|status| {
            let heard = Heard::Status {
                status: *status,
                retry_after_ms: None,
            };
            matches!(advice(heard), Advice::Retry { .. })
        })
        .map(|status: u16| status.to_string())
        .collect();
    retried.join(between)
}

/// Where comments are broken.
const WIDTH: usize = 96;

/// What the policy does, as comments.
fn header(text: &mut String, plan: &Plan, language: Language) {
    let mark = match language {
        Language::Python => "#",
        Language::Rust => "//!",
        _ => "//",
    };
    for sentence in describe(plan) {
        text.push_str(mark);
        let mut width = mark.chars().count();
        for word in sentence.split(' ').filter(|word| !word.is_empty()) {
            if width + 1 + word.chars().count() > WIDTH {
                text.push('\n');
                text.push_str(mark);
                width = mark.chars().count();
            }
            text.push(' ');
            text.push_str(word);
            width += 1 + word.chars().count();
        }
        text.push('\n');
    }
}

/// The policy in sentences, one a line.
fn describe(plan: &Plan) -> Vec<String> {
    let (base, cap, factor) = (plan.base_ms, plan.cap_ms, plan.factor);
    let nominal = format!("w = min({cap}, {base} × {factor}^(retry − 1)) ms");
    let waits = match plan.spread {
        Spread::None => format!("Waits without jitter: {nominal}."),
        Spread::Full => format!("Waits with full jitter: evenly from 0 to {nominal}."),
        Spread::Equal => format!("Waits with equal jitter: evenly from w/2 to {nominal}."),
        Spread::Share(share) => {
            format!("Waits with a share of jitter: w × (1 ± {share}), {nominal}.")
        }
        Spread::Decorrelated => format!(
            "Waits with decorrelated jitter: min({cap}, evenly from {base} to 3 × the wait before) ms."
        ),
    };
    let mut lines = vec![
        "POST with retries. Written by Charge Once's retry studio.".to_owned(),
        String::new(),
        format!(
            "{} in all: the first call and {}.",
            match plan.attempts {
                1 => "1 attempt".to_owned(),
                attempts => format!("{attempts} attempts"),
            },
            retries(plan)
        ),
        waits,
        format!("Each attempt waits {} ms for its reply.", plan.timeout_ms),
    ];
    if let Some(deadline) = plan.deadline_ms {
        lines.push(format!(
            "No attempt starts more than {deadline} ms after the first: a wait that would last longer is not begun."
        ));
    }
    lines.push(match plan.retry_after {
        RetryAfter::Ignore => "Retry-After is ignored.".to_owned(),
        RetryAfter::Honour { most_ms } => format!(
            "Retry-After is the least that is waited; one above {most_ms} ms ends the retries."
        ),
    });
    lines.push(format!(
        "Tried again: no reply, and {}. All attempts carry one Idempotency-Key.",
        statuses(", ")
    ));
    lines
}
