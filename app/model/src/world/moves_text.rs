//! Moves as text, so that a way that was found can be handed on: `send0 deliver0`.

use super::moves::Move;
use std::fmt;
use std::str::FromStr;

/// This is the name of no move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a move")]
pub struct NoMove;

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, number) = match *self {
            Self::Send(client) => ("send", client),
            Self::Deliver(flight) => ("deliver", flight),
            Self::LoseRequest(flight) => ("lose-request", flight),
            Self::Step(flight) => ("step", flight),
            Self::Decline(flight) => ("decline", flight),
            Self::Fail(flight, status) => return write!(f, "fail{flight}-{status}"),
            Self::Crash(flight) => ("crash", flight),
            Self::LoseReply(flight) => ("lose-reply", flight),
            Self::Receive(flight) => ("receive", flight),
            Self::TimeOut(client) => ("time-out", client),
            Self::LeaseEnds(key) => ("lease-ends", key),
        };
        write!(f, "{name}{number}")
    }
}

impl FromStr for Move {
    type Err = NoMove;

    fn from_str(text: &str) -> Result<Self, NoMove> {
        let from = text.find(|c: char| c.is_ascii_digit()).ok_or(NoMove)?;
        let (name, rest) = text.split_at(from);
        let (number, status) = match rest.split_once('-') {
            Some((number, status)) if name == "fail" => (number, status),
            None if name != "fail" => (rest, "0"),
            _ => return Err(NoMove),
        };
        let number = number.parse().map_err(|_| NoMove)?;
        Ok(match name {
            "send" => Self::Send(number),
            "deliver" => Self::Deliver(number),
            "lose-request" => Self::LoseRequest(number),
            "step" => Self::Step(number),
            "decline" => Self::Decline(number),
            "fail" => Self::Fail(number, status.parse().map_err(|_| NoMove)?),
            "crash" => Self::Crash(number),
            "lose-reply" => Self::LoseReply(number),
            "receive" => Self::Receive(number),
            "time-out" => Self::TimeOut(number),
            "lease-ends" => Self::LeaseEnds(number),
            _ => return Err(NoMove),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_survives_the_round_trip() {
        for made in [
            Move::Send(0),
            Move::Deliver(1),
            Move::LoseRequest(2),
            Move::Step(255),
            Move::Decline(0),
            Move::Fail(1, 503),
            Move::Crash(0),
            Move::LoseReply(3),
            Move::Receive(0),
            Move::TimeOut(1),
            Move::LeaseEnds(7),
        ] {
            assert_eq!(made.to_string().parse(), Ok(made));
        }
    }

    #[test]
    fn anything_else_is_no_move() {
        for text in [
            "", "send", "0", "send256", "send-1", "sent0", "send0 ", "fail0", "fail0-x",
        ] {
            assert_eq!(text.parse::<Move>(), Err(NoMove), "{text:?}");
        }
    }
}
