//! Reads a policy and says what is wrong with it.

mod flaw;
mod load;
#[cfg(test)]
mod tests;
mod times;
mod waits;
mod words;

pub use flaw::{Finding, Flaw, Severity};

use super::plan::{Plan, Why};
use crate::Ms;

/// What goes wrong where the policy is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Replies get lost; the work was done.
    LostReplies,
    /// The service gets more than it can do.
    Overload,
    /// The service is away for this long, in ms.
    Away(Ms),
}

/// What is known of the surroundings. What is not known is not judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The time within which the service answers 99 of 100 calls, in ms.
    pub p99_ms: Option<Ms>,
    /// How long the service keeps an idempotency key, in ms.
    pub retention_ms: Option<Ms>,
    /// How many layers retry like this, this one included; 0 counts as 1.
    pub layers: u32,
    /// What goes wrong.
    pub trouble: Option<Trouble>,
}

/// Looks a plan over, the worst first.
///
/// Of numbers that no client could follow ([`Plan::check`] says why) nothing is found:
/// what is wrong with them is said where they are read. A cap under the base can be
/// followed.
#[must_use]
pub fn critic(plan: &Plan, around: &Surroundings) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !can_be_followed(plan) {
        return findings;
    }
    let mut say = |flaw: Flaw, severity: Severity, text: String| {
        findings.push(Finding {
            flaw,
            severity,
            text,
        });
    };
    times::times(plan, around, &mut say);
    waits::waits(plan, &mut say);
    load::load(plan, around, &mut say);
    // Stable: within a severity the order above.
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    findings
}

fn can_be_followed(plan: &Plan) -> bool {
    let problems = plan.check().err().unwrap_or_default();
    problems
        .iter()
        .all(|problem| matches!(problem.why, Why::BaseOverCap { .. }))
}

type Say<'a> = dyn FnMut(Flaw, Severity, String) + 'a;
