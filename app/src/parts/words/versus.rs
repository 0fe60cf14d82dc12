//! What is believed and what is true, held against each other.

use super::{order, seconds, short_id, sum};
use model::world::{Belief, Fate, Frame, KeyStage};

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
