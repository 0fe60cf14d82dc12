//! What a fact is called, in words. Every trace is told by these.

use model::money::Money;
use model::protocol::Paid;
use model::world::{Actor, Answered, Belief, Fact, Fate, Found, Frame, KeyStage, Said, What};

/// A length of time as people read it: `81 ms`, `2 s`, `2.08 s`.
#[must_use]
pub fn span(ms: u64) -> String {
    match ms {
        0..1000 => format!("{ms} ms"),
        _ if ms.is_multiple_of(3_600_000) => format!("{} h", ms / 3_600_000),
        _ if ms.is_multiple_of(1000) => format!("{} s", ms / 1000),
        _ => format!("{} s", seconds(ms)),
    }
}

/// A point in time in seconds with two decimals: `2.08`.
#[must_use]
pub fn seconds(ms: u64) -> String {
    let hundredths = (ms + 5) / 10;
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// A length of time in seconds with as many decimals as it needs: `2`, `2.5`.
#[must_use]
pub fn decimal_seconds(ms: u64) -> String {
    let text = format!("{}.{:03}", ms / 1000, ms % 1000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// What an actor is called.
#[must_use]
pub const fn name(actor: Actor) -> &'static str {
    match actor {
        Actor::Client => "Shop app",
        Actor::Api => "Payments API",
        Actor::Keys => "Idempotency keys",
        Actor::Processor => "Card processor",
    }
}

/// What an actor is called where there is little room.
#[must_use]
pub const fn short_name(actor: Actor) -> &'static str {
    match actor {
        Actor::Client => "Shop app",
        Actor::Api => "API",
        Actor::Keys => "Keys",
        Actor::Processor => "Processor",
    }
}

/// The reason phrase of a status.
#[must_use]
pub const fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        400 => "Bad Request",
        401 => "Unauthorized",
        402 => "Payment Required",
        404 => "Not Found",
        409 => "Conflict",
        410 => "Gone",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        422 => "Unprocessable Content",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        _ => "",
    }
}

/// A reply in a few words: `201 Created, ch_9`.
#[must_use]
pub fn reply(answered: &Answered) -> String {
    let mut text = format!("{} {}", answered.status, reason(answered.status));
    if let Some(charge) = &answered.charge {
        text.push_str(", ");
        text.push_str(&short_id(charge));
    }
    text
}

/// A long identifier cut in the middle, so that it fits beside an arrow:
/// `ch_…xc8p`, `82b5…0619`.
#[must_use]
pub fn short_id(id: &str) -> String {
    let count = id.chars().count();
    if count <= 10 {
        return id.to_owned();
    }
    // The kind of thing is worth more than the first letters.
    let kind = id.find('_').map_or(4, |at| at + 1).min(6);
    let head: String = id.chars().take(kind).collect();
    let tail: String = id.chars().skip(count - 4).collect();
    format!("{head}…{tail}")
}

/// The group of facts that a step adds.
#[derive(Clone, Copy)]
pub struct Told<'a>(pub &'a [Fact]);

impl<'a> Told<'a> {
    fn has(self, test: impl Fn(&What) -> bool) -> bool {
        self.0.iter().any(|fact| test(&fact.what))
    }

    fn head(self) -> Option<&'a What> {
        self.0.first().map(|fact| &fact.what)
    }

    fn retries(self) -> bool {
        self.has(|what| matches!(what, What::Waits { .. }))
            || self.0.first().is_some_and(|fact| fact.attempt > 1)
    }

    fn lost(self) -> bool {
        self.has(|what| matches!(what, What::ReplyLost | What::RequestLost))
    }

    /// One word for the step's place on the scrubber.
    #[must_use]
    pub fn tick(self) -> &'static str {
        if self.has(|what| matches!(what, What::RequestLost)) {
            return "Lost";
        }
        match self.head() {
            Some(What::Waits { .. }) if self.has(|what| matches!(what, What::Sent { .. })) => {
                "Retry"
            }
            Some(What::Waits { .. }) => "Wait",
            Some(What::Sent { .. }) if self.retries() => "Retry",
            Some(What::Claimed { found, .. }) => match found {
                Found::New { .. } => "Claim",
                Found::TakenOver { .. } => "Take over",
                Found::InProgress { .. } => "409",
                Found::Done { .. } => "Replay",
                Found::Reused => "422",
                Found::Expired => "410",
                Found::Nothing => "Look up",
            },
            Some(What::Charged { said, .. }) => match said {
                Said::Trouble { .. } => "Failure",
                _ => "Charge",
            },
            Some(What::Saved { .. }) => "Save",
            Some(What::Released { .. }) => "Release",
            Some(What::Replied(_)) if self.lost() => "Lost",
            Some(What::Replied(_) | What::Unheard(_) | What::Received(_)) => "Reply",
            Some(What::TimedOut { .. }) => "Timeout",
            Some(What::Broke { .. }) => "Broken",
            Some(What::Crashed) => "Crash",
            Some(What::Resent) => "Resend",
            Some(What::GaveUp) => "Give up",
            _ => "Send",
        }
    }

    /// The step's heading.
    #[must_use]
    pub fn title(self) -> String {
        let text = match self.head() {
            _ if self.has(|what| matches!(what, What::RequestLost)) => {
                "The request gets lost on its way"
            }
            Some(What::Sent { .. }) if !self.retries() => "The app asks for the money",
            Some(What::Waits { .. } | What::Sent { .. }) => match self.key() {
                Some(true) => "The app asks again, with a key",
                Some(false) => "The app asks again, without a key",
                None => "The app waits",
            },
            Some(What::Claimed { found, .. }) => match found {
                Found::New { .. } => "The API claims the key",
                Found::TakenOver { .. } => "A new attempt takes the key over",
                Found::InProgress { .. } => "The first attempt is still at work: 409",
                Found::Done { .. } => "The key is done: the first answer again",
                Found::Reused => "The key belongs to another request: 422",
                Found::Expired => "The key has expired: 410",
                Found::Nothing => "The API looks the key up and finds nothing",
            },
            Some(What::Charged { said, .. }) => match said {
                Said::Final {
                    paid: Paid::Succeeded,
                    ..
                } => "The processor takes the money",
                Said::Final { .. } => "The processor declines the card",
                Said::Repeated { .. } => "The processor knows its key and takes nothing",
                Said::Trouble { .. } => "The processor fails",
            },
            Some(What::Saved { written: true, .. }) => "The answer is saved under the key",
            Some(What::Saved { .. }) => "A late owner's write is refused",
            Some(What::Released { .. }) => "The key is given back",
            Some(What::Replied(_)) if self.lost() => "The reply gets lost on its way back",
            Some(What::Replied(_) | What::Received(_)) => "The reply arrives",
            Some(What::Unheard(_)) => "The reply finds nobody",
            Some(What::TimedOut { .. }) => "The app stops waiting",
            Some(What::Broke { .. }) => "The connection breaks",
            Some(What::Crashed) => "The process dies",
            Some(What::Resent) => "The browser sends it again by itself",
            Some(What::GaveUp) => "The app gives up",
            _ => "Something happens",
        };
        text.to_owned()
    }

    /// Whether the attempt that this step sends carries a key, if it sends one.
    fn key(self) -> Option<bool> {
        self.0.iter().find_map(|fact| match &fact.what {
            What::Sent { key, .. } => Some(key.is_some()),
            _ => None,
        })
    }

    /// Who does something to whom in this step.
    #[must_use]
    pub fn who(self) -> String {
        let Some(what) = self
            .0
            .iter()
            .map(|fact| &fact.what)
            .find(|what| !matches!(what, What::Waits { .. }))
            .or_else(|| self.head())
        else {
            return String::new();
        };
        let (from, to) = what.between();
        if from == to {
            name(from).to_owned()
        } else {
            format!("{} to {}", name(from), name(to))
        }
    }

    /// The step in whole sentences.
    #[must_use]
    pub fn sentences(self) -> String {
        let told: Vec<String> = self.0.iter().filter_map(sentence).collect();
        told.join(" ")
    }
}

/// One fact as a sentence, where it has one to itself.
fn sentence(fact: &Fact) -> Option<String> {
    Some(match &fact.what {
        What::Sent {
            key,
            amount,
            currency,
            ..
        } => {
            let money = Money {
                minor: *amount,
                currency: *currency,
            };
            let again = if fact.attempt > 1 { "again " } else { "" };
            match key {
                Some(key) => format!("Asks {again}for {money} under key {}.", short_id(key)),
                None => format!("Asks {again}for {money}, without a key."),
            }
        }
        What::Arrived | What::Received(_) => return None,
        What::Resent => {
            "The connection ended before a byte came back, so the browser sent the same request once more, without a word to the app. Retries happen below the code that you write, too.".to_owned()
        }
        What::RequestLost => {
            "The network loses it. The API never hears of it, and nothing is charged.".to_owned()
        }
        What::Claimed { found, .. } => match found {
            Found::New { lease_ms, .. } => match lease_ms {
                Some(ms) => format!(
                    "Inserts the key under the unique constraint. It was free, so this attempt owns it for {}.",
                    span(*ms)
                ),
                None => "Inserts the key. This attempt owns it until it is done.".to_owned(),
            },
            Found::TakenOver { token, .. } => format!(
                "Nobody works on the key any more. This attempt takes it over, with fencing token {token}."
            ),
            Found::InProgress { retry_after_s } => format!(
                "The key is claimed and an earlier attempt is still at work, so nothing new is started: 409, come back in {retry_after_s} s."
            ),
            Found::Done { status, charge } => format!(
                "The key is done, so the saved answer is sent again: {status}, {}, marked as a replay. The processor is not asked.",
                short_id(charge)
            ),
            Found::Reused => {
                "The key was used for another request. Replaying its answer would be a lie, so this is refused.".to_owned()
            }
            Found::Expired => {
                "The key was used so long ago that its answer is gone. Nothing is charged; a new key is needed.".to_owned()
            }
            Found::Nothing => "Looks the key up and finds nothing.".to_owned(),
        },
        What::Charged { keyed, said } => {
            let with = if *keyed {
                " The processor gets a key derived from it, too."
            } else {
                ""
            };
            match said {
                Said::Final {
                    paid: Paid::Succeeded,
                    charge,
                } => format!(
                    "Asks the processor for the money. {} is in the ledger: from here on it is charged.{with}",
                    short_id(charge)
                ),
                Said::Final { charge, .. } => format!(
                    "Asks the processor for the money. The card is declined ({}); nothing is taken.",
                    short_id(charge)
                ),
                Said::Repeated { charge, .. } => format!(
                    "Asks the processor for the money. The processor has seen this key and gives its first answer, {}, again.",
                    short_id(charge)
                ),
                Said::Trouble { status } => format!(
                    "Asks the processor for the money. The processor answers {status}, which is not final, and takes nothing."
                ),
            }
        }
        What::Saved {
            status,
            charge,
            written: true,
            ..
        } => format!(
            "Saves {status} and {} under the key: whoever asks again gets this answer.",
            short_id(charge)
        ),
        What::Saved { .. } => {
            "Wants to save its answer, but its fencing token is out of date. Nothing is written.".to_owned()
        }
        What::Released { .. } => {
            "Gives the key back without an answer; the next attempt carries on from there.".to_owned()
        }
        What::Crashed => "The process dies where it stands. Its claim on the key stays behind.".to_owned(),
        What::Replied(answered) => format!("Replies {}.", reply(answered)),
        What::ReplyLost => {
            "The network drops it. Everything is done; only the app has not heard.".to_owned()
        }
        What::Unheard(answered) => format!(
            "Replies {}, but the app has stopped listening.",
            reply(answered)
        ),
        What::TimedOut { after_ms } => format!(
            "After {} the app stops waiting. It knows only that it heard nothing.",
            span(*after_ms)
        ),
        What::Broke { after_ms } => format!(
            "After {} the connection breaks without an answer. That is as good as silence.",
            span(*after_ms)
        ),
        What::Waits {
            ms,
            ceiling_ms,
            asked_for,
        } => {
            if *asked_for {
                format!("Waits {}, as the server asked.", span(*ms))
            } else {
                format!(
                    "Waits {}, drawn between 0 and {}.",
                    span(*ms),
                    span(*ceiling_ms)
                )
            }
        }
        What::GaveUp => "The app tries no further.".to_owned(),
    })
}

/// What the client believes, in a few words.
#[must_use]
pub fn belief(frame: &Frame) -> String {
    match &frame.belief {
        Belief::Nothing => "Nothing yet".to_owned(),
        Belief::Asked => "Asked to pay, no answer yet".to_owned(),
        Belief::Unknown => "Unknown: charged or not?".to_owned(),
        Belief::AskedAgain => "Still unknown; asked again".to_owned(),
        Belief::ToldToWait => "In progress: told to wait".to_owned(),
        Belief::ToldToRetry(status) => format!("Not finished: {status}, try again"),
        Belief::Paid(charge) => format!("Paid once, {}", short_id(charge)),
        Belief::Declined => "Declined, not paid".to_owned(),
        Belief::Refused(status) => format!("Refused: {status}"),
    }
}

/// What is true, in a few words.
#[must_use]
pub fn truth(frame: &Frame) -> String {
    let charges: Vec<String> = frame
        .ledger
        .iter()
        .map(|line| short_id(&line.charge))
        .collect();
    let mut text = match (charges.as_slice(), frame.intended) {
        ([], _) => "Not charged".to_owned(),
        ([one], 0 | 1) => format!("Charged once, {one}"),
        ([one], intended) => format!("Charged once for {intended} payments, {one}"),
        ([one, two], 1) => format!("Charged twice: {one} and {two}"),
        (many, 1) => format!("Charged {} times", many.len()),
        (many, intended) => format!("Charged {} times for {intended} payments", many.len()),
    };
    match frame.fate {
        Fate::Lost(_) => text.push_str("; the reply is lost"),
        Fate::RequestLost(_) => text.push_str("; the request is lost"),
        Fate::Crashed(_) => text.push_str("; the process is dead"),
        _ if !frame.working.is_empty() && !charges.is_empty() => {
            text.push_str("; still at work");
        }
        _ => {}
    }
    text
}

/// One thing on which belief and truth are held against each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Versus {
    /// About what.
    pub about: &'static str,
    /// What the client believes.
    pub believed: String,
    /// What is true.
    pub actual: String,
    /// The two differ.
    pub differ: bool,
}

/// Belief and truth, held against each other.
#[must_use]
pub fn versus(frame: &Frame) -> Vec<Versus> {
    vec![money_of(frame), reply_of(frame), key(frame)]
}

fn money_of(frame: &Frame) -> Versus {
    let actual = match frame.ledger.as_slice() {
        [] => "Nothing taken".to_owned(),
        [one] => format!("{} taken at {} s", sum(frame), seconds(one.at)),
        _ => format!("{} taken", sum(frame)),
    };
    let (believed, differ) = match &frame.belief {
        Belief::Nothing => ("Nothing taken".to_owned(), frame.charged() > 0),
        Belief::Paid(_) => (
            format!("{} taken once", order(frame)),
            frame.overcharged() || frame.charged() == 0,
        ),
        Belief::Declined => ("Nothing taken".to_owned(), frame.charged() > 0),
        Belief::Asked => ("Not yet, it seems".to_owned(), frame.charged() > 0),
        _ => ("Cannot tell".to_owned(), true),
    };
    Versus {
        about: "The money",
        believed,
        actual,
        differ,
    }
}

fn reply_of(frame: &Frame) -> Versus {
    let (believed, differ) = match (&frame.belief, frame.waiting) {
        (Belief::Nothing, _) => ("None is due", false),
        (_, Some(_)) => (
            "On its way, perhaps",
            matches!(
                frame.fate,
                Fate::Lost(_) | Fate::RequestLost(_) | Fate::Crashed(_)
            ),
        ),
        (_, None) => match frame.fate {
            Fate::Received(_) => ("Received", false),
            _ => ("Did not come in time", !matches!(frame.fate, Fate::None)),
        },
    };
    let actual = match frame.fate {
        Fate::None if frame.attempts == 0 => "None is due".to_owned(),
        Fate::None if frame.working.is_empty() => "Not written yet".to_owned(),
        Fate::None => "Being worked on".to_owned(),
        Fate::OnItsWay => "On its way".to_owned(),
        Fate::Lost(at) => format!("Lost at {} s", seconds(at)),
        Fate::RequestLost(at) => {
            format!("There is none: the request was lost at {} s", seconds(at))
        }
        Fate::Unheard(at) => format!("Came too late, at {} s", seconds(at)),
        Fate::Crashed(at) => format!("There is none: the process died at {} s", seconds(at)),
        Fate::Received(at) => format!("Received at {} s", seconds(at)),
    };
    Versus {
        about: "The reply",
        believed: believed.to_owned(),
        actual,
        differ,
    }
}

fn key(frame: &Frame) -> Versus {
    let about = "The key";
    let Some(sent) = &frame.key else {
        let none = if frame.attempts == 0 {
            "Not sent yet"
        } else {
            "None sent"
        };
        let actual = if frame.attempts == 0 {
            "Not stored"
        } else {
            "None: each request is new"
        };
        return Versus {
            about,
            believed: none.to_owned(),
            actual: actual.to_owned(),
            differ: false,
        };
    };
    let stage = frame.keys.iter().find(|line| line.key == *sent);
    let actual = match stage.map(|line| &line.stage) {
        None => "Not stored yet".to_owned(),
        Some(KeyStage::Running) => "Claimed, in progress".to_owned(),
        Some(KeyStage::Released) => "Given back, no answer".to_owned(),
        Some(KeyStage::Done { status, .. }) => format!("Done, {status} saved"),
    };
    let known = matches!(
        frame.belief,
        Belief::Paid(_) | Belief::Declined | Belief::ToldToWait
    );
    Versus {
        about,
        believed: format!("Sent, {}", short_id(sent)),
        differ: !known && matches!(stage.map(|line| &line.stage), Some(KeyStage::Done { .. })),
        actual,
    }
}

/// A sum of money in words.
#[must_use]
pub fn money(money: Money) -> String {
    money.to_string()
}

/// What was ordered.
#[must_use]
pub fn order(frame: &Frame) -> String {
    frame.order.map_or_else(String::new, |(minor, currency)| {
        Money { minor, currency }.to_string()
    })
}

/// What the processor took in all.
#[must_use]
pub fn sum(frame: &Frame) -> String {
    let minor = frame.ledger.iter().map(|line| line.amount).sum();
    let currency = frame
        .ledger
        .first()
        .map_or(model::money::Currency::Usd, |line| line.currency);
    Money { minor, currency }.to_string()
}
