//! A policy that was really run: what was planned and what happened, on one time line.

use super::words::{counted, duration};
use crate::parts::chart::{Axis, Bar, Chart, Height, Mark, Row, Shape, Table, Tone, draw as plot};
use maud::{Markup, html};
use model::Ms;
use model::fault::Fault;
use model::retry::answers::schedule;
use model::retry::plan::{Halt, Plan, Window};

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
            button class="btn btn--main" type="submit" { "Run it" }
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
            dl class="studio__figures" {
                div class="studio__figure studio__figure--main" {
                    dt { "Charges in the ledger" }
                    dd {
                        @match run.charged {
                            Some(charged) => output name="run-charged" { (charged) },
                            None => "not read yet",
                        }
                    }
                }
                div class="studio__figure" {
                    dt { "Attempts made" }
                    dd { output name="run-attempts" { (run.attempts.len()) } " of at most " (run.plan.attempts) }
                }
                div class="studio__figure" {
                    dt { "The client" }
                    dd { output name="run-ended" { (ended(run)) } }
                }
            }
            p class="studio__note" { (sentence(run)) }
            (plot(&picture(run)))
        }
    }
}

/// How it stands, in a sentence.
#[must_use]
pub fn sentence(run: &Run) -> String {
    let attempts = counted(run.attempts.len() as u64, "attempt", "attempts");
    match (run.charged, run.halt) {
        (Some(1), Some(Halt::Settled)) => {
            format!("{attempts}, one key, one charge: the client knows it, and the ledger agrees.")
        }
        (Some(0), Some(_)) => format!("{attempts}, and no money was taken."),
        (Some(1), Some(_)) => format!(
            "{attempts} and one charge, but the client never heard of it: it must not pay anew under another key."
        ),
        (Some(charged), Some(_)) => {
            format!(
                "{attempts} and {charged} charges. This must not happen: one key is one charge."
            )
        }
        _ => format!("{attempts} so far."),
    }
}

fn ended(run: &Run) -> &'static str {
    match run.halt {
        None => "is at it",
        Some(Halt::Settled) => "has its answer",
        Some(Halt::Hopeless) => "stopped: trying again cannot help",
        Some(Halt::Exhausted) => "gave up: no attempt is left",
        Some(Halt::Deadline) => "gave up: the next would start after the deadline",
        Some(Halt::SentAway) => "gave up: Retry-After is longer than it is willing to wait",
    }
}

/// The window in which an attempt had to start, from the end of the one before.
fn window(run: &Run, index: usize) -> Option<Window> {
    let before = run.attempts.get(index.checked_sub(1)?)?;
    let ended = before.ended_ms? as f64;
    let window = *run.plan.windows().get(index - 1)?;
    // Retry-After moves it.
    let least = match before.wait? {
        (ms, true) => ms as f64,
        _ => 0.0,
    };
    Some(Window {
        low_ms: ended + window.low_ms.max(least),
        high_ms: ended + window.high_ms.max(least),
    })
}

fn came(attempt: &Attempt) -> String {
    match attempt.came {
        Came::Open => "under way".to_owned(),
        Came::Reply {
            status,
            replayed: true,
        } => format!("{status}, the stored reply"),
        Came::Reply { status, .. } => status.to_string(),
        Came::TimedOut => "no reply in time".to_owned(),
        Came::Broke => "the connection broke".to_owned(),
    }
}

/// The time line. The schedule stands on it as the calculator draws it.
fn picture(run: &Run) -> Chart {
    let slots = schedule(&run.plan);
    let planned_end = slots
        .last()
        .map_or(1.0, |slot| slot.starts.high_ms + run.plan.timeout_ms as f64);
    let end = (run.attempts.iter().enumerate())
        .flat_map(|(index, it)| {
            [
                Some(it.sent_ms as f64),
                it.ended_ms.map(|ms| ms as f64),
                window(run, index).map(|window| window.high_ms),
            ]
        })
        .flatten()
        .fold(planned_end, f64::max);
    let bar = |row: usize, from: f64, to: f64, half: f64| {
        let middle = -0.5 - row as f64;
        Bar {
            from,
            to,
            low: middle - half,
            high: middle + half,
        }
    };
    let sent = |lost: bool| {
        let bars = run.attempts.iter().enumerate().filter_map(|(row, it)| {
            let is_lost = matches!(it.came, Came::TimedOut | Came::Broke);
            let to = it.ended_ms.unwrap_or(it.sent_ms).max(it.sent_ms + 1);
            (is_lost == lost).then(|| bar(row, it.sent_ms as f64, to as f64, 0.16))
        });
        Shape::Bars(bars.collect())
    };
    let planned = slots
        .iter()
        .enumerate()
        .map(|(row, slot)| bar(row, slot.starts.low_ms, slot.starts.high_ms, 0.38));
    let windows = (0..run.attempts.len())
        .filter_map(|row| window(run, row).map(|it| bar(row, it.low_ms, it.high_ms, 0.28)));
    let mark = |tone, name: &str, shape| Mark {
        tone,
        name: name.to_owned(),
        shape,
    };
    Chart {
        id: "c-run".to_owned(),
        title: "What was planned, and what happened".to_owned(),
        x: Axis::linear("ms from the start of the first attempt", 0.0, end, |ms| {
            super::words::number(ms, 4)
        }),
        y: Axis::rows("attempt", (1..=slots.len()).map(|it| it.to_string())),
        marks: vec![
            mark(
                Tone::Faint,
                "planned start, if each runs into its time-out",
                Shape::Boxes(planned.collect()),
            ),
            mark(
                Tone::Ledger,
                "had to start within, after the one before",
                Shape::Boxes(windows.collect()),
            ),
            mark(Tone::Server, "attempt with a reply", sent(false)),
            mark(Tone::Lost, "attempt without one", sent(true)),
        ],
        table: Table {
            head: [
                "Attempt",
                "What went wrong",
                "Had to start, ms",
                "Started, ms",
                "Ended, ms",
                "Came to",
            ]
            .map(str::to_owned)
            .to_vec(),
            rows: run
                .attempts
                .iter()
                .enumerate()
                .map(|(row, it)| Row {
                    at: (it.sent_ms as f64, -0.5 - row as f64),
                    cells: vec![
                        (row + 1).to_string(),
                        words(it.fault).to_owned(),
                        window(run, row).map_or_else(
                            || "\u{2013}".to_owned(),
                            |it| format!("{:.0} to {:.0}", it.low_ms, it.high_ms),
                        ),
                        it.sent_ms.to_string(),
                        it.ended_ms
                            .map_or_else(|| "\u{2013}".to_owned(), |ms| ms.to_string()),
                        came(it),
                    ],
                })
                .collect(),
        },
        height: Height::Rows(slots.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> Run {
        let reply = |status, replayed| Came::Reply { status, replayed };
        let attempt = |fault, sent_ms, ended_ms, came, wait| Attempt {
            fault,
            sent_ms,
            ended_ms: Some(ended_ms),
            came,
            wait,
        };
        Run {
            plan: Plan::START,
            attempts: vec![
                attempt(Fault::LoseReply, 0, 500, Came::TimedOut, Some((70, false))),
                attempt(
                    Fault::Processor429,
                    571,
                    590,
                    reply(429, false),
                    Some((1000, true)),
                ),
                attempt(Fault::None, 1591, 1600, reply(201, true), None),
            ],
            halt: Some(Halt::Settled),
            charged: Some(1),
            problem: None,
        }
    }

    #[test]
    fn what_happened_stands_beside_what_was_planned() {
        let html = results(&run()).into_string();
        for text in [
            r#"<output name="run-charged">1</output>"#,
            r#"<output name="run-attempts">3</output> of at most 4"#,
            "has its answer",
            "one key, one charge",
            "500 to 600",
            // Retry-After is longer than the window of 0 to 200 ms.
            "1590 to 1590",
            "201, the stored reply",
        ] {
            assert!(html.contains(text), "{text} in {html}");
        }
    }

    #[test]
    fn a_client_that_does_not_know_is_told_so() {
        let gave_up = Run {
            halt: Some(Halt::Exhausted),
            ..run()
        };
        assert!(sentence(&gave_up).contains("never heard of it"));
        let twice = Run {
            charged: Some(2),
            ..run()
        };
        assert!(sentence(&twice).contains("must not happen"));
    }

    #[test]
    fn only_what_ends_soon_is_run() {
        assert_eq!(refusal(&Plan::START), None);
        for plan in [
            Plan {
                attempts: 1000,
                ..Plan::START
            },
            Plan {
                timeout_ms: Plan::LONGEST_TIMER,
                ..Plan::START
            },
            Plan {
                base_ms: 60_000,
                cap_ms: 60_000,
                ..Plan::START
            },
        ] {
            assert!(refusal(&plan).is_some());
        }
    }

    #[test]
    fn every_fault_on_offer_has_a_name_on_the_wire() {
        for (fault, _) in FAULTS {
            let named = super::fault(fault.name(), &Plan::START);
            assert_eq!(named.map(Fault::name), Some(fault.name()));
        }
        let slow = super::fault("slow", &Plan::START);
        assert_eq!(slow, Some(Fault::Slow { ms: 1000 }));
        assert_eq!(super::fault("fire", &Plan::START), None);
    }
}
