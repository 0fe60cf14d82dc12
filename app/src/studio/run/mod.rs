//! A policy that was really run: what was planned and what happened, on one time line.

mod picture;
#[cfg(test)]
mod tests;

use super::words::{counted, duration};
use crate::parts::chart::draw as plot;
use maud::{Markup, html};
use model::Ms;
use model::fault::Fault;
use model::retry::answers::schedule;
use model::retry::plan::{Halt, Plan};
use picture::picture;

/// The most attempts that are run: the sandbox has a rate.
pub const MOST_ATTEMPTS: u32 = 12;
/// The longest that a run may take in the worst case, in ms.
pub const LONGEST: f64 = 120_000.0;

/// How many attempts can be given a fault.
pub const FAULTED: usize = 4;

/// What can go wrong, and the words for it.
const FAULTS: [(Fault, &str); 11] = [
    (Fault::None, "nothing goes wrong"),
    (Fault::LoseReply, "the reply is lost"),
    (Fault::LoseRequest, "the request is lost"),
    (
        Fault::Slow { ms: 0 },
        "the processor answers after the time-out",
    ),
    (Fault::Processor500, "the processor fails, 500"),
    (Fault::Processor503, "the processor is busy, 503"),
    (
        Fault::Processor429,
        "too many requests, 429 with Retry-After",
    ),
    (Fault::Declined, "the card is declined, 402"),
    (Fault::CrashBeforeCharge, "a crash before the charge"),
    (Fault::CrashAfterCharge, "a crash after the charge"),
    (Fault::CrashBeforeSave, "a crash before it is saved"),
];

/// The fault of that name. A slow processor is slower than the plan's time-out.
#[must_use]
pub fn fault(name: &str, plan: &Plan) -> Option<Fault> {
    let (fault, _) = FAULTS.into_iter().find(|(fault, _)| fault.name() == name)?;
    Some(match fault {
        Fault::Slow { .. } => Fault::Slow {
            ms: plan.timeout_ms.saturating_add(500).min(20_000),
        },
        fault => fault,
    })
}

fn words(fault: Fault) -> &'static str {
    FAULTS
        .into_iter()
        .find(|(it, _)| it.name() == fault.name())
        .map_or("", |(_, words)| words)
}

/// What an attempt came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Came {
    /// It is under way.
    Open,
    /// A reply, and whether it is one that was stored before.
    Reply {
        /// Its status.
        status: u16,
        /// Whether it is marked as a replay.
        replayed: bool,
    },
    /// Nothing before the time-out.
    TimedOut,
    /// The connection broke.
    Broke,
}

/// An attempt that was made. Times are in ms from the start of the first one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attempt {
    /// What was chosen to go wrong with it.
    pub fault: Fault,
    /// When it was sent.
    pub sent_ms: Ms,
    /// When it ended.
    pub ended_ms: Option<Ms>,
    /// What it came to.
    pub came: Came,
    /// What the client set out to wait after it, and whether Retry-After made that
    /// longer than what was drawn.
    pub wait: Option<(Ms, bool)>,
}

/// A run of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The plan.
    pub plan: Plan,
    /// What was sent so far.
    pub attempts: Vec<Attempt>,
    /// Why the client stopped, when it has.
    pub halt: Option<Halt>,
    /// Whether somebody stopped it before that.
    pub stopped: bool,
    /// How many charges the ledger has, when it was read.
    pub charged: Option<usize>,
    /// What kept it from running.
    pub problem: Option<String>,
}

/// Why this plan is not run, if it is not: it would take too long.
#[must_use]
pub fn refusal(plan: &Plan) -> Option<String> {
    if plan.attempts > MOST_ATTEMPTS {
        return Some(format!(
            "This makes up to {} attempts; at most {MOST_ATTEMPTS} are run here. Lower the attempts.",
            plan.attempts
        ));
    }
    let end = schedule(plan)
        .last()
        .map_or(0.0, |slot| slot.starts.high_ms + plan.timeout_ms as f64);
    (end > LONGEST).then(|| {
        format!(
            "This may take {}; at most {} are run here. Lower the cap or the time-out.",
            duration(end),
            duration(LONGEST)
        )
    })
}

/// The choice of faults, and room for what comes of it.
#[must_use]
pub fn draw() -> Markup {
    html! {
        h2 id="run" { "Run it" }
        p {
            "The policy as it stands above, against this server: real requests over HTTP, one key, a sandbox of its own. "
            "Choose what goes wrong with each attempt."
        }
        noscript { p { "It is your browser that sends them, so this part needs JavaScript." } }
        form class="run" data-run hidden {
            div class="run__faults" {
                @for attempt in 1..=FAULTED {
                    div class="field" {
                        label for={ "run-fault-" (attempt) } { "Attempt " (attempt) }
                        select class="sel" id={ "run-fault-" (attempt) } name={ "fault-" (attempt) } {
                            @for (fault, words) in FAULTS {
                                option value=(fault.name()) selected[fault == usual(attempt)] { (words) }
                            }
                        }
                    }
                }
            }
            p class="field__n" { "Later attempts go through." }
            div class="row" {
                button class="btn btn--main" type="submit" { "Run it" }
                button class="btn" type="button" data-stop hidden { "Stop" }
            }
        }
        div data-ran {}
        p class="vh" role="status" data-run-said {}
    }
}

/// What is chosen at first.
const fn usual(attempt: usize) -> Fault {
    match attempt {
        1 => Fault::LoseReply,
        2 => Fault::Processor503,
        _ => Fault::None,
    }
}

/// What a run came to, or has come to so far.
#[must_use]
pub fn results(run: &Run) -> Markup {
    html! {
        @if let Some(problem) = &run.problem {
            p class="field__n field__n--wrong" { (problem) }
        } @else {
            dl class="figs run__figs" {
                div {
                    dt { "Charges in the ledger" }
                    dd {
                        @match run.charged {
                            Some(charged) => output name="run-charged" { (charged) },
                            None => span class="figs__w" { "not read yet" },
                        }
                    }
                }
                div {
                    dt { "Attempts made" }
                    dd {
                        output name="run-attempts" { (run.attempts.len()) }
                        small { "of at most " (run.plan.attempts) }
                    }
                }
                div {
                    dt { "The client" }
                    dd { output class="figs__w" name="run-ended" { (ended(run)) } }
                }
            }
            p class="run__said" { (sentence(run)) }
            (plot(&picture(run)))
        }
    }
}

/// How it stands, in a sentence.
#[must_use]
pub fn sentence(run: &Run) -> String {
    let attempts = counted(run.attempts.len() as u64, "attempt", "attempts");
    let ended = run.stopped || run.halt.is_some();
    match (run.charged.filter(|_| ended), run.halt) {
        (Some(1), Some(Halt::Settled)) => {
            format!("{attempts}, one key, one charge: the client knows it, and the ledger agrees.")
        }
        (Some(0), _) => format!("{attempts}, and no money was taken."),
        (Some(1), _) => format!(
            "{attempts} and one charge, but the client never heard of it: it must not pay anew under another key."
        ),
        (Some(charged), _) => {
            format!(
                "{attempts} and {charged} charges. This must not happen: one key is one charge."
            )
        }
        (None, _) => format!("{attempts} so far."),
    }
}

fn ended(run: &Run) -> &'static str {
    match run.halt {
        None if run.stopped => "was stopped by you",
        None => "is at it",
        Some(Halt::Settled) => "has its answer",
        Some(Halt::Hopeless) => "stopped: trying again cannot help",
        Some(Halt::Exhausted) => "gave up: no attempt is left",
        Some(Halt::Deadline) => "gave up: the next would start after the deadline",
        Some(Halt::SentAway) => "gave up: Retry-After is longer than it is willing to wait",
    }
}
