//! What can go wrong with one attempt, by the names that the wire uses.

use crate::Ms;
use serde::{Deserialize, Serialize};

/// A fault that one attempt meets. The world's scripts and the server's
/// `POST /lab/faults` queue the same type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "snake_case")]
pub enum Fault {
    /// Nothing goes wrong.
    #[default]
    None,
    /// The request never reaches the service: no work is done, no byte comes back.
    LoseRequest,
    /// The work is done and answered, but no byte of the answer comes back.
    LoseReply,
    /// The card processor takes the money at once, but its answer comes late.
    Slow {
        /// By how much later than usual.
        ms: Ms,
    },
    /// The card processor answers 500 and has not charged.
    #[serde(rename = "processor_500")]
    Processor500,
    /// The card processor answers 503 and has not charged.
    #[serde(rename = "processor_503")]
    Processor503,
    /// The card processor answers 429 with a Retry-After and has not charged.
    #[serde(rename = "processor_429")]
    Processor429,
    /// The card is declined: a final answer, nothing is charged.
    Declined,
    /// The process dies after it claimed the key, before it asked for money.
    CrashBeforeCharge,
    /// The process dies when the money is taken, before it learns of it.
    CrashAfterCharge,
    /// The process dies when it knows that the money is taken, before it saves that.
    CrashBeforeSave,
}

impl Fault {
    /// The name of the fault on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::LoseRequest => "lose_request",
            Self::LoseReply => "lose_reply",
            Self::Slow { .. } => "slow",
            Self::Processor500 => "processor_500",
            Self::Processor503 => "processor_503",
            Self::Processor429 => "processor_429",
            Self::Declined => "declined",
            Self::CrashBeforeCharge => "crash_before_charge",
            Self::CrashAfterCharge => "crash_after_charge",
            Self::CrashBeforeSave => "crash_before_save",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wire_name_is_the_name() {
        for fault in [
            Fault::None,
            Fault::LoseRequest,
            Fault::LoseReply,
            Fault::Slow { ms: 3000 },
            Fault::Processor500,
            Fault::Processor503,
            Fault::Processor429,
            Fault::Declined,
            Fault::CrashBeforeCharge,
            Fault::CrashAfterCharge,
            Fault::CrashBeforeSave,
        ] {
            let json = serde_json::to_value(fault).unwrap();
            assert_eq!(json["fault"], fault.name());
            assert_eq!(serde_json::from_value::<Fault>(json).unwrap(), fault);
        }
        assert!(serde_json::from_str::<Fault>(r#"{"fault":"slow"}"#).is_err());
        assert!(serde_json::from_str::<Fault>(r#"{"fault":"lightning"}"#).is_err());
    }
}
