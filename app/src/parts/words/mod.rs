//! What a fact is called, in words. Every trace is told by these.

mod told;
mod versus;

pub use told::Told;
pub use versus::{Versus, versus};

use model::money::Money;
use model::world::{Actor, Answered, Belief, Fate, Frame};

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
