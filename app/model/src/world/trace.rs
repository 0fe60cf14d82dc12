//! A trace: what happened, in order, and the steps that a reader takes through it.

use super::fact::{Fact, Found, What};
use crate::retry::Policy;

/// What happened, and on what it depended.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// The seed that the waits were drawn with.
    pub seed: u64,
    /// The client's policy.
    pub policy: Policy,
    /// The facts, in the order of their time.
    pub facts: Vec<Fact>,
    /// A turn that things could have taken, shown as the last steps.
    pub aside: Option<Aside>,
}

/// A turn that things could have taken: the facts of another run of the same
/// world, from the point on where it differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Aside {
    /// How many facts both runs share.
    pub from: usize,
    /// What follows them in the other run.
    pub facts: Vec<Fact>,
    /// How many of these lead to the step without being shown as steps.
    pub lead: usize,
}

/// One step through a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// It belongs to the aside.
    pub aside: bool,
    /// The facts that it adds: positions among the facts that it shows.
    pub from: usize,
    /// One past the last.
    pub to: usize,
}

impl Trace {
    /// The steps, in order. Each fact of the main line belongs to exactly one.
    #[must_use]
    pub fn steps(&self) -> Vec<Step> {
        let mut steps = group(&self.facts, false, 0);
        if let Some(aside) = &self.aside {
            let shown = self.line(true);
            steps.extend(group(&shown, true, aside.from + aside.lead));
        }
        steps
    }

    /// The facts of the main line or of the other run.
    fn line(&self, aside: bool) -> Vec<Fact> {
        match &self.aside {
            Some(other) if aside => {
                let shared = self.facts.iter().take(other.from);
                shared.chain(&other.facts).cloned().collect()
            }
            _ => self.facts.clone(),
        }
    }

    /// The facts up to and with a step, and when that step ends.
    #[must_use]
    pub fn until(&self, step: &Step) -> (Vec<Fact>, crate::Ms) {
        let mut facts = self.line(step.aside);
        let following = facts.get(step.to).map(|fact| fact.at);
        facts.truncate(step.to);
        let now = facts.last().map_or(0, |last| {
            // A step that ends with a call shows its outcome too, unless something
            // else happens before that is back.
            let back = last.call.map_or(last.at, |call| call.back);
            match following {
                Some(following) if following < back => last.at,
                _ => back,
            }
        });
        (facts, now)
    }
}

/// Groups facts into steps, from position `from` on.
fn group(facts: &[Fact], aside: bool, from: usize) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for (i, fact) in facts.iter().enumerate().skip(from) {
        let before = i.checked_sub(1).and_then(|j| facts.get(j));
        match steps.last_mut() {
            Some(step) if !opens(fact, before) => step.to = i + 1,
            _ => steps.push(Step {
                aside,
                from: i,
                to: i + 1,
            }),
        }
    }
    steps
}

/// Whether a fact opens a step, after the fact before it.
fn opens(fact: &Fact, before: Option<&Fact>) -> bool {
    let before = before.map(|fact| &fact.what);
    match &fact.what {
        // The wait and the next attempt are one step.
        What::Sent { .. } => !matches!(before, Some(What::Waits { .. })),
        What::Waits { .. } | What::Charged { .. } | What::Saved { .. } | What::Released { .. } => {
            true
        }
        What::Claimed { .. } | What::Crashed | What::Resent => true,
        // What the store knew already is answered in the same step.
        What::Replied(_) | What::Unheard(_) => !matches!(
            before,
            Some(What::Claimed {
                found: Found::InProgress { .. }
                    | Found::Done { .. }
                    | Found::Reused
                    | Found::Expired,
                ..
            }) | Some(What::Released { .. })
        ),
        What::TimedOut { .. } | What::Broke { .. } => {
            !matches!(before, Some(What::ReplyLost | What::RequestLost))
        }
        What::Arrived | What::RequestLost | What::ReplyLost | What::Received(_) | What::GaveUp => {
            false
        }
    }
}
