//! The form of the calculator.

use crate::studio::Field;
use crate::studio::words::counted;
use model::retry::form::{Form, SceneField, SceneForm};
use model::retry::plan::{Field as Of, RetryAfter, Spread};

const POLICY: &str = "The policy";
const LIMITS: &str = "Its limits";
const AROUND: &str = "What you know of the surroundings";

/// Every field, with what was typed and what is to be said about it.
pub(super) fn fields(form: &Form, scene: &SceneForm) -> Vec<Field> {
    let plan = &form.inputs.plan;
    let text = |of: Of, label, unit, note: String| {
        Field::text(of.name(), label, unit, form.text(of))
            .noted(note)
            .wrong(problem(form, of))
    };
    let known = |of: SceneField, label, unit, note: &str| {
        Field::text(of.name(), label, unit, scene.text(of))
            .noted(note)
            .wrong(scene.problem(of).map(|why| sentence(&why.to_string())))
            .under(AROUND)
    };
    let is_share = matches!(plan.spread, Spread::Share(_));
    vec![
        text(
            Of::Attempts,
            "Attempts",
            "",
            format!(
                "The first call is one of them: {}.",
                counted(u64::from(plan.retries()), "retry", "retries")
            ),
        )
        .under(POLICY),
        text(Of::Base, "Base: the first wait", "ms", String::new()).under(POLICY),
        text(Of::Factor, "Factor", "", factor(plan.spread).to_owned()).under(POLICY),
        text(Of::Cap, "Cap of a wait", "ms", cap(plan.spread).to_owned()).under(POLICY),
        Field::choice(
            Of::Jitter.name(),
            "Jitter",
            vec![
                ("none", "None"),
                ("full", "Full: 0 to w"),
                ("equal", "Equal: w/2 to w"),
                ("decorrelated", "Decorrelated"),
                ("share", "\u{b1} a share of w"),
            ],
            form.text(Of::Jitter),
        )
        .noted(jitter(plan.spread))
        .wrong(problem(form, Of::Jitter))
        .under(POLICY),
        text(Of::Share, "Share", "", "0.2 is \u{b1}20 %.".to_owned())
            .idle(!is_share && form.problem(Of::Share).is_none())
            .under(POLICY),
        text(
            Of::P,
            "An attempt fails with probability",
            "",
            "0 to 1, each independently of the others.".to_owned(),
        )
        .under(LIMITS),
        text(Of::Timeout, "Time-out of an attempt", "ms", String::new()).under(LIMITS),
        text(
            Of::Deadline,
            "Deadline for all",
            "ms",
            "No attempt starts later. Empty: none.".to_owned(),
        )
        .under(LIMITS),
        text(
            Of::RetryAfter,
            "Retry-After, up to",
            "ms",
            retry_after(plan.retry_after).to_owned(),
        )
        .under(LIMITS),
        known(
            SceneField::P99,
            "p99 of the service",
            "ms",
            "Empty: unknown, not judged.",
        ),
        known(
            SceneField::Retention,
            "A key is kept for",
            "h",
            "Empty: unknown.",
        ),
        known(
            SceneField::Layers,
            "Layers that retry",
            "",
            "This one included.",
        ),
        Field::choice(
            SceneField::Trouble.name(),
            "What goes wrong",
            vec![
                ("", "Anything"),
                ("lost-replies", "Replies get lost"),
                ("overload", "The service is overloaded"),
                ("away", "The service is away"),
            ],
            scene.text(SceneField::Trouble),
        )
        .wrong(
            scene
                .problem(SceneField::Trouble)
                .map(|why| sentence(&why.to_string())),
        )
        .under(AROUND),
        known(SceneField::Away, "For how long", "ms", "")
            .idle(scene.text(SceneField::Trouble) != "away"),
        known(
            SceneField::Seed,
            "Seed of the sample",
            "",
            "The same seed draws the same waits.",
        ),
    ]
}

/// What is wrong with a field, and what is reckoned with meanwhile.
fn problem(form: &Form, of: Of) -> Option<String> {
    let problem = form.problem(of)?;
    let used = form.inputs.text(of);
    let used = if used.is_empty() {
        "none".to_owned()
    } else {
        used
    };
    Some(format!(
        "{} The figures use {used} meanwhile.",
        sentence(&problem.to_string())
    ))
}

/// The first letter large, and an end.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string());
    let end = if text.ends_with(['.', '?']) { "" } else { "." };
    format!("{}{}{end}", first.unwrap_or_default(), chars.as_str())
}

const fn factor(spread: Spread) -> &'static str {
    match spread {
        Spread::Decorrelated => "Not used: a wait grows from the one before it.",
        _ => "By what w grows from retry to retry.",
    }
}

const fn cap(spread: Spread) -> &'static str {
    match spread {
        Spread::None => "w, the nominal wait, never exceeds it.",
        Spread::Full | Spread::Equal => "Cut before the draw: still random at the cap.",
        Spread::Decorrelated => "Cut after the draw: waits pile up on it.",
        Spread::Share(_) => "Cut before the draw: a wait may exceed it by the share.",
    }
}

const fn jitter(spread: Spread) -> &'static str {
    match spread {
        Spread::None => "Every client waits w: those that failed together come back together.",
        Spread::Full => "Even from 0 to w.",
        Spread::Equal => "Half of w is certain, the other half random.",
        Spread::Decorrelated => "Even from the base to 3 times the wait before.",
        Spread::Share(_) => "Even around w, by the share to either side.",
    }
}

const fn retry_after(retry_after: RetryAfter) -> &'static str {
    match retry_after {
        RetryAfter::Ignore => "Ignored. A number of ms would honour it up to that.",
        RetryAfter::Honour { .. } => {
            "Longer: it gives up. \u{201c}ignore\u{201d} takes no notice. The figures are without one."
        }
    }
}
