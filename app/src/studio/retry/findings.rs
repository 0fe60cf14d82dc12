//! What the critic has to say.

use crate::studio::words::counted;
use maud::{Markup, html};
use model::retry::critic::{Severity, Surroundings, critic};
use model::retry::plan::Plan;

/// The findings, the worst first, each with its place in the lesson.
pub(super) fn draw(plan: &Plan, around: &Surroundings) -> Markup {
    let findings = critic(plan, around);
    html! {
        section class="studio__part" aria-labelledby="critic" {
            h2 id="critic" { "What is wrong with it" }
            @if findings.is_empty() {
                p { "Nothing that can be seen from here. The p99 of the service and how long it keeps a key would tell more." }
            } @else {
                p class="vh" { (counted(findings.len() as u64, "finding", "findings")) }
                ul class="flaws" data-findings {
                    @for finding in &findings {
                        li class={ "flaws__i flaws__i--" (class(finding.severity)) } data-flaw=(finding.flaw.id()) {
                            b { (word(finding.severity)) }
                            p {
                                (finding.text) " "
                                a href={ "/#" (finding.flaw.anchor()) } { "In the lesson" }
                            }
                        }
                    }
                }
            }
        }
    }
}

const fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Fault => "Fault",
        Severity::Warning => "Warning",
        Severity::Note => "Note",
    }
}

const fn class(severity: Severity) -> &'static str {
    match severity {
        Severity::Fault => "fault",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}
