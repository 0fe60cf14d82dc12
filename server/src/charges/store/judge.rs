//! What a claim comes to, whichever database found the key.

use model::Ms;
use model::protocol::admission::{Admission, Front, Stored, admit};
use model::protocol::{Claim, KeyState, Outcome, RecoveryPoint, Refusal, Token};

use super::rows::Known;
use super::{ClaimKey, Claimed, StoreError};
use crate::id::ChargeId;

/// The times that a claim writes.
#[derive(Clone, Copy)]
pub(super) struct Times {
    pub(super) now: Ms,
    pub(super) lease_until: Option<Ms>,
    pub(super) expires_at: Ms,
    pub(super) forget_at: Ms,
}

/// A known key that may be taken over. Only if `from` is still its token.
pub(super) struct TakeOver {
    pub(super) from: Token,
    pub(super) token: Token,
    pub(super) point: RecoveryPoint,
    pub(super) generation: u32,
    /// It is taken for a new key, since retention is over.
    expired: bool,
}

/// What is to be done about a known key.
pub(super) enum Judged {
    /// Nothing: this is what the attempt is told.
    Known(Claimed),
    /// Take it over.
    TakeOver(TakeOver),
}

impl ClaimKey {
    pub(super) fn times(&self, now: Ms) -> Times {
        let expires_at = now.saturating_add(self.retention_ms);
        Times {
            now,
            lease_until: self.design.lease.then(|| now.saturating_add(self.lease_ms)),
            expires_at,
            forget_at: expires_at.saturating_add(self.tombstone_ms),
        }
    }

    /// Judges a known key, by the store's clock.
    pub(super) fn judge(&self, known: &Known, now: Ms) -> Result<Judged, StoreError> {
        let record = &known.record;
        let over = now >= record.expires_at;
        match self.admit(known, now) {
            // Whether the processor has charged is for the sweeper to find out.
            Admission::TakeOver { .. }
                if self.sweeps && !over && matches!(record.state, KeyState::Running { .. }) =>
            {
                let refusal = Refusal::InProgress { retry_after_s: 1 };
                Ok(Judged::Known(Claimed::known(Outcome::Refused(refusal))))
            }
            Admission::TakeOver { from, point } => {
                // Taken for a new key, it is a new payment to the processor as well.
                let expired = over || record.state == KeyState::Tombstone;
                Ok(Judged::TakeOver(TakeOver {
                    from,
                    token: from.next(),
                    point,
                    generation: if expired {
                        self.generation.max(known.generation.saturating_add(1))
                    } else {
                        known.generation
                    },
                    expired,
                }))
            }
            known => Outcome::of_admission(known)
                .map(|outcome| Judged::Known(Claimed::known(outcome)))
                .ok_or(StoreError::Corrupt("key")),
        }
    }

    /// What the look-up of the unsafe form comes to: it may be over before it is used.
    pub(super) fn seen(&self, known: &Known, now: Ms) -> Outcome<ChargeId> {
        Outcome::of_admission(self.admit(known, now)).unwrap_or(Outcome::Absent)
    }

    fn admit(&self, known: &Known, now: Ms) -> Admission<ChargeId> {
        let stored = Stored {
            record: &known.record,
            asked: &self.fingerprint,
            now,
        };
        admit(&Front::GOOD, Some(stored), &self.design)
    }
}

impl Claimed {
    /// The key is new, and ours.
    pub(super) fn fresh(generation: u32, lease_until: Option<Ms>) -> Self {
        Self {
            generation,
            ..Self::known(Outcome::Claimed(Claim {
                token: Token::FIRST,
                point: RecoveryPoint::Claimed,
                lease_until,
            }))
        }
    }

    /// It was taken over.
    pub(super) fn over(taken: &TakeOver, lease_until: Option<Ms>) -> Self {
        Self {
            takeover: !taken.expired,
            generation: taken.generation,
            ..Self::known(Outcome::Claimed(Claim {
                token: taken.token,
                point: taken.point,
                lease_until,
            }))
        }
    }

    /// The key is new, and there is no room for it.
    pub(super) fn full() -> Self {
        Self {
            full: true,
            ..Self::known(Outcome::Absent)
        }
    }
}
