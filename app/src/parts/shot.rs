//! What the player shows at one step of a trace, computed once for all its panes.

use super::context::amend;
use super::words::Told;
use model::Ms;
use model::world::{Fact, Frame, Step, Trace};

/// One step in the transcript.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// When it begins.
    pub at: Ms,
    /// One word for it.
    pub tick: &'static str,
    /// Its heading.
    pub title: String,
    /// Who does something to whom.
    pub who: String,
    /// What happens, in sentences.
    pub sentences: String,
    /// It belongs to the turn that things could have taken.
    pub aside: bool,
}

/// What the player shows at one step.
#[derive(Clone, Debug, PartialEq)]
pub struct Shot {
    /// Which step, from 1; 0 while there is none.
    pub step: usize,
    /// The step's place among the facts.
    pub at: Option<Step>,
    /// The facts up to and with it.
    pub facts: Vec<Fact>,
    /// All facts of its line, those to come included: the picture keeps room for them.
    pub line: Vec<Fact>,
    /// All steps of its line.
    pub steps: Vec<Step>,
    /// When it ends.
    pub now: Ms,
    /// What is to be seen then.
    pub frame: Frame,
    /// The client's time-out in ms; 0 when it has none.
    pub timeout_ms: Ms,
}

impl Shot {
    /// What is to be seen at a step. One that is out of range is the nearest that is not.
    #[must_use]
    pub fn of(trace: &Trace, step: usize) -> Self {
        let steps = trace.steps();
        let step = step.clamp(1, steps.len().max(1)).min(steps.len());
        let at = step.checked_sub(1).and_then(|i| steps.get(i)).copied();
        let (facts, now) = at.map_or_else(Default::default, |at| trace.until(&at));
        let aside = at.is_some_and(|at| at.aside);
        let steps: Vec<Step> = steps.into_iter().filter(|it| it.aside == aside).collect();
        let line = steps
            .last()
            .map_or_else(Vec::new, |last| trace.until(last).0);
        Self {
            step,
            at,
            frame: Frame::after(&facts),
            facts,
            line,
            steps,
            now,
            timeout_ms: trace.policy.timeout_ms,
        }
    }

    /// The facts that this step adds.
    #[must_use]
    pub fn told(&self) -> Told<'_> {
        let from = self.at.map_or(0, |at| at.from);
        Told(self.facts.get(from..).unwrap_or_default())
    }
}

/// Every step of a trace, for the transcript and the scrubber.
#[must_use]
pub fn lines(trace: &Trace) -> Vec<Line> {
    trace
        .steps()
        .iter()
        .map(|step| {
            let (facts, _) = trace.until(step);
            let added = facts.get(step.from..).unwrap_or_default();
            let told = Told(added);
            let (mut title, mut sentences) = (told.title(), told.sentences());
            amend(&mut title, &mut sentences, &facts, step.from);
            Line {
                at: added.first().map_or(0, |fact| fact.at),
                tick: told.tick(),
                title,
                who: told.who(),
                sentences,
                aside: step.aside,
            }
        })
        .collect()
}
