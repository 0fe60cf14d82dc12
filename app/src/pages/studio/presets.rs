//! Policies in use, as a list: each is a link to its values.

use crate::studio::words::{counted, duration};
use maud::html;
use model::retry::form::Inputs;
use model::retry::plan::{RetryAfter, Spread};
use model::retry::presets::{PRESETS, Preset};

/// The list.
pub(super) fn presets() -> String {
    html! {
        section class="studio__part presets" aria-labelledby="presets" {
            h2 id="presets" { "Policies in use" }
            p {
                "What clients do that nobody has configured, as their sources state it, and what is odd about it. Where a source has no time-out, 2 s stand in."
            }
            ul {
                @for preset in &PRESETS {
                    li data-preset=(preset.id) {
                        h3 { a href=(href(preset)) { (preset.name) } }
                        p class="presets__p" { (policy(preset)) }
                        p { (preset.odd) }
                        p class="hint" {
                            "Source: " (preset.source) "."
                            @if !preset.own_timeout { " Its time-out is not in it." }
                        }
                    }
                }
            }
        }
    }
    .0
}

fn href(preset: &Preset) -> String {
    let inputs = Inputs {
        plan: preset.plan,
        ..Inputs::START
    };
    format!("/retry?{}", inputs.query())
}

/// The policy in a line.
fn policy(preset: &Preset) -> String {
    let plan = &preset.plan;
    let jitter = match plan.spread {
        Spread::None => "no jitter".to_owned(),
        Spread::Share(share) => format!("\u{b1}{} % jitter", share * 100.0),
        spread => format!("{} jitter", spread.name()),
    };
    let after = match plan.retry_after {
        RetryAfter::Ignore => "Retry-After ignored".to_owned(),
        RetryAfter::Honour { most_ms } => {
            format!("Retry-After up to {}", duration(most_ms as f64))
        }
    };
    format!(
        "{} ({}), base {}, factor {}, cap {}, {jitter}, time-out {}, {after}",
        counted(plan.attempts.into(), "attempt", "attempts"),
        counted(plan.retries().into(), "retry", "retries"),
        duration(plan.base_ms as f64),
        plan.factor,
        duration(plan.cap_ms as f64),
        duration(plan.timeout_ms as f64),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::retry::form::Form;

    #[test]
    fn each_link_leads_to_its_policy() {
        for preset in &PRESETS {
            let href = href(preset);
            let (_, query) = href.split_once('?').expect("a query");
            let pairs = crate::studio::pairs(query);
            let form = Form::read(crate::studio::borrowed(&pairs));
            assert_eq!(form.problems, [], "{}", preset.id);
            assert_eq!(form.inputs.plan, preset.plan, "{}", preset.id);
        }
        let html = presets();
        assert_eq!(html.matches("<li data-preset").count(), PRESETS.len());
    }
}
