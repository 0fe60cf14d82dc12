//! The rows of a diagram: what stands at which height.

use super::super::words;
use model::Ms;
use model::money::Money;
use model::protocol::Paid;
use model::world::{Actor, Fact, Found, Said, Step, What};

/// What stands in a row.
pub(super) enum Sign {
    /// Something passes from one to another.
    Message {
        from: Actor,
        to: Actor,
        /// Over the shaft.
        over: Label,
        /// Under the shaft.
        under: Option<Label>,
        /// Past the tip, where there is room.
        past: Option<&'static str>,
        reply: bool,
        end: End,
    },
    /// Money was taken.
    Taken(String),
    /// Something with the client alone.
    Client(String),
    /// The process dies.
    Crash,
}

/// What is written at a shaft.
pub(super) struct Label {
    pub(super) full: String,
    /// The same where there is little room.
    pub(super) brief: String,
}

impl Label {
    fn new(full: String, brief: impl Into<String>) -> Self {
        let brief = brief.into();
        Self { full, brief }
    }
}

/// Short enough for any room.
impl From<String> for Label {
    fn from(text: String) -> Self {
        Self::new(text.clone(), text)
    }
}

impl From<&str> for Label {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

/// How a message ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Arrives,
    Lost,
    /// Nobody listens any more.
    Unheard,
}

/// One row.
pub(super) struct Row {
    pub(super) at: Ms,
    /// Which fact it belongs to.
    pub(super) fact: usize,
    pub(super) attempt: u32,
    pub(super) sign: Sign,
    /// Its height, in px from the top.
    pub(super) y: i32,
    /// A stretch of time was left out above it, and the break is drawn here.
    pub(super) gap: Option<i32>,
    /// The number of the step that begins with it.
    pub(super) step: Option<usize>,
}

/// A stretch of time over this is left out, in ms.
const LONG: Ms = 250;

/// Lays out every row of a line of facts, from `top` downwards, and gives them
/// with the height of the last one.
pub(super) fn rows(facts: &[Fact], steps: &[Step], top: i32) -> (Vec<Row>, i32) {
    let mut rows = Vec::new();
    for (i, fact) in facts.iter().enumerate() {
        let from = rows.len();
        signs(facts, i, fact, &mut rows);
        // Of the rows of a fact the first carries the number of its step.
        if let Some(step) = steps.iter().position(|step| step.from == i)
            && let Some(row) = rows.get_mut(from)
        {
            row.step = Some(step + 1);
        }
    }
    // A step may begin with a fact that has no row; its number goes to the next.
    // Nearly in order and a few dozen at most: the library's sort would only make
    // the browser's bundle larger.
    for i in 1..rows.len() {
        let mut j = i;
        while j > 0 && rows[j - 1].at > rows[j].at {
            rows.swap(j - 1, j);
            j -= 1;
        }
    }
    let mut y = top;
    let mut before: Option<(Ms, i32)> = None;
    for row in &mut rows {
        if let Some((at, room)) = before {
            y += room.max(above(&row.sign));
            if row.at > at + LONG {
                row.gap = Some(y - 14);
                y += 12;
            }
        }
        row.y = y;
        before = Some((row.at, below(&row.sign)));
    }
    (rows, y)
}

fn above(sign: &Sign) -> i32 {
    match sign {
        Sign::Message { end: End::Lost, .. } => 50,
        Sign::Message { reply: true, .. } => 28,
        Sign::Message { .. } => 32,
        Sign::Taken(_) => 24,
        Sign::Client(_) | Sign::Crash => 28,
    }
}

impl Row {
    /// A message from this actor.
    pub(super) fn is_from(&self, actor: Actor) -> bool {
        matches!(&self.sign, Sign::Message { from, .. } if *from == actor)
    }

    /// A message to this actor.
    pub(super) fn is_to(&self, actor: Actor) -> bool {
        matches!(&self.sign, Sign::Message { to, .. } if *to == actor)
    }

    /// How far the row reaches over its line, in px: the band of a step begins there.
    pub(super) fn reach(&self) -> i32 {
        match self.sign {
            Sign::Message { end: End::Lost, .. } => 42,
            _ => 26,
        }
    }
}

fn below(sign: &Sign) -> i32 {
    match sign {
        Sign::Message { under: Some(_), .. } => 46,
        Sign::Message { end: End::Lost, .. } | Sign::Taken(_) => 34,
        _ => 20,
    }
}

/// The rows of one fact.
fn signs(facts: &[Fact], i: usize, fact: &Fact, rows: &mut Vec<Row>) {
    let mut push = |at, sign| {
        rows.push(Row {
            at,
            fact: i,
            attempt: fact.attempt,
            sign,
            y: 0,
            gap: None,
            step: None,
        });
    };
    let follows = |test: fn(&What) -> bool| {
        facts
            .iter()
            .skip(i)
            .any(|later| later.attempt == fact.attempt && test(&later.what))
    };
    let message = |from, to, over: Label, reply| Sign::Message {
        from,
        to,
        over,
        under: None,
        past: None,
        reply,
        end: End::Arrives,
    };
    let (sent, back) = fact
        .call
        .map_or((fact.at, fact.at), |call| (call.sent, call.back));
    use Actor::{Api, Client, Keys, Processor};
    match &fact.what {
        What::Sent { key, .. } => {
            let lost = follows(|what| matches!(what, What::RequestLost));
            push(
                fact.at,
                Sign::Message {
                    from: Client,
                    to: Api,
                    over: Label::new("POST /charges".to_owned(), "POST"),
                    under: Some(match key {
                        Some(key) => format!("key {}", words::short_id(key)).into(),
                        None => "no key".into(),
                    }),
                    past: None,
                    reply: false,
                    end: if lost { End::Lost } else { End::Arrives },
                },
            );
        }
        What::Resent => push(
            fact.at,
            message(Client, Api, "again, by itself".into(), false),
        ),
        What::Claimed { key, found } => {
            let over = Label::new(format!("claim {}", words::short_id(key)), "claim");
            push(sent, message(Api, Keys, over, false));
            push(back, message(Keys, Api, said_of(found), true));
        }
        What::Charged { said, .. } => {
            let (over, taken) = processor(said);
            let asks = format!("charge {}", money(facts, fact));
            push(sent, message(Api, Processor, asks.into(), false));
            if let Some(charge) = taken {
                push(fact.at, Sign::Taken(charge));
            }
            push(back, message(Processor, Api, over, true));
        }
        What::Saved {
            status,
            charge,
            written,
            ..
        } => {
            push(
                sent,
                Sign::Message {
                    from: Api,
                    to: Keys,
                    over: Label::new(
                        format!("save {status}, {}", words::short_id(charge)),
                        format!("save {status}"),
                    ),
                    under: None,
                    past: written.then_some("lease ends"),
                    reply: false,
                    end: End::Arrives,
                },
            );
            if !written {
                push(back, message(Keys, Api, "too late".into(), true));
            }
        }
        What::Released { .. } => {
            push(sent, message(Api, Keys, "release".into(), false));
        }
        What::Replied(answered) | What::Unheard(answered) => {
            let under = match (answered.replayed, answered.retry_after_s) {
                (true, _) => Some("replayed".into()),
                (_, Some(s)) => Some(Label::new(format!("Retry-After: {s}"), format!("in {s} s"))),
                _ => None,
            };
            let end = match &fact.what {
                What::Unheard(_) => End::Unheard,
                _ if follows(|what| matches!(what, What::ReplyLost)) => End::Lost,
                _ => End::Arrives,
            };
            push(
                fact.at,
                Sign::Message {
                    from: Api,
                    to: Client,
                    over: Label::new(
                        words::reply(answered),
                        match &answered.charge {
                            Some(charge) => {
                                format!("{}, {}", answered.status, words::short_id(charge))
                            }
                            None => format!("{}", answered.status),
                        },
                    ),
                    under: under.filter(|_| end == End::Arrives),
                    past: None,
                    reply: true,
                    end,
                },
            );
        }
        What::Crashed => push(fact.at, Sign::Crash),
        What::TimedOut { after_ms } => push(
            fact.at,
            Sign::Client(format!("stops waiting after {}", words::span(*after_ms))),
        ),
        What::Broke { .. } => push(fact.at, Sign::Client("connection breaks".to_owned())),
        What::Waits { ms, .. } => {
            push(fact.at, Sign::Client(format!("waits {}", words::span(*ms))))
        }
        What::GaveUp => push(fact.at, Sign::Client("gives up".to_owned())),
        What::Arrived | What::RequestLost | What::ReplyLost | What::Received(_) => {}
    }
}

fn money(facts: &[Fact], of: &Fact) -> String {
    facts
        .iter()
        .find_map(|fact| match &fact.what {
            What::Sent {
                amount, currency, ..
            } if fact.attempt == of.attempt => Some(
                Money {
                    minor: *amount,
                    currency: *currency,
                }
                .to_string(),
            ),
            _ => None,
        })
        .unwrap_or_default()
}

/// What the store answers.
fn said_of(found: &Found) -> Label {
    match found {
        Found::New {
            lease_ms: Some(ms), ..
        } => Label::new(
            format!("yours for {}", words::span(*ms)),
            format!("for {}", words::span(*ms)),
        ),
        Found::New { .. } => "yours".into(),
        Found::TakenOver { token, .. } => Label::new(
            format!("yours now, token {token}"),
            format!("token {token}"),
        ),
        Found::InProgress { .. } => Label::new("in progress".to_owned(), "running"),
        Found::Done { status, .. } => format!("done: {status}").into(),
        Found::Reused => Label::new("another request".to_owned(), "another"),
        Found::Expired => "expired".into(),
        Found::Nothing => Label::new("not there".to_owned(), "nothing"),
    }
}

/// What the processor's answer is called, and the charge if money was taken now.
fn processor(said: &Said) -> (Label, Option<String>) {
    match said {
        Said::Final {
            paid: Paid::Succeeded,
            charge,
        } => {
            let charge = words::short_id(charge);
            let over = Label::new(format!("approved {charge}"), "approved");
            (over, Some(charge))
        }
        Said::Final { .. } => ("declined".into(), None),
        Said::Repeated { charge, .. } => {
            (format!("{} again", words::short_id(charge)).into(), None)
        }
        Said::Trouble { status } => (format!("{status}").into(), None),
    }
}
