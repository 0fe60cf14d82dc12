//! What a request may do: the precedence table, as one function over plain values.
//!
//! The server calls [`admit`] twice. Before it touches the store it knows the
//! [`Front`] only and passes `None` for what is stored; inside the transaction
//! that claims the key it passes the record. The world passes both at once.

use super::{Answer, Design, ExpiredRule, KeyState, Record, RecoveryPoint, Refusal, Token};
use crate::Ms;

/// What the key header said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyHeader {
    /// Exactly one well-formed key.
    Valid,
    /// Present, but not a key.
    Malformed,
    /// Absent.
    Missing,
}

/// What kind of body came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Body {
    /// A valid request for this route.
    Valid,
    /// JSON, but not a valid request for this route.
    Invalid,
    /// Does not parse as JSON.
    NotJson,
    /// Another content type than JSON.
    OtherType,
    /// Over the limit. It is never read to its end.
    TooLarge,
}

/// What is known of a request before the store is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Front {
    /// The token belongs to an account.
    pub known: bool,
    /// The account is over its rate, and for how many seconds.
    pub over_rate_s: Option<u32>,
    /// The body.
    pub body: Body,
    /// The key header.
    pub key: KeyHeader,
    /// Requests without a key are let through.
    pub keyless_allowed: bool,
}

impl Front {
    /// A request to which nothing is to be said before the store is asked.
    pub const GOOD: Self = Self {
        known: true,
        over_rate_s: None,
        body: Body::Valid,
        key: KeyHeader::Valid,
        keyless_allowed: false,
    };
}

/// What is stored under the request's key, and by whose clock it is judged.
#[derive(Clone, Copy, Debug)]
pub struct Stored<'a, F, C> {
    /// The record of the key.
    pub record: &'a Record<F, C>,
    /// The fingerprint of the request that asks.
    pub asked: &'a F,
    /// Now, by the store's clock.
    pub now: Ms,
}

/// What a request may do. The order of the variants is the order of precedence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admission<C> {
    /// 401: no or unknown token.
    Unauthorized,
    /// 429: over the account's rate.
    OverRate {
        /// When to come back, in seconds.
        retry_after_s: u32,
    },
    /// 413: the body is over the limit.
    TooLarge,
    /// 415: not JSON by its content type.
    OtherType,
    /// 400: not parseable.
    NotJson,
    /// 400: the key is malformed.
    KeyMalformed,
    /// 400: no key, and the policy requires one.
    KeyMissing,
    /// 422: not a valid request for this route. Nothing is stored under the key.
    Invalid,
    /// The key is known, and it gives no new work: 422, 410 or 409.
    Refused(Refusal),
    /// The key is known and done: the original answer.
    Replay(Answer<C>),
    /// The key is known, and nobody works on it any more: carry on.
    TakeOver {
        /// The token of the last owner, which the takeover must still find.
        from: Token,
        /// The recorded point.
        point: RecoveryPoint,
    },
    /// The key is not stored, or there is no key: do the work.
    Fresh,
}

/// Decides what a request may do.
#[must_use]
pub fn admit<F: PartialEq, C: Clone>(
    front: &Front,
    stored: Option<Stored<'_, F, C>>,
    design: &Design,
) -> Admission<C> {
    if !front.known {
        return Admission::Unauthorized;
    }
    if let Some(retry_after_s) = front.over_rate_s {
        return Admission::OverRate { retry_after_s };
    }
    match front.body {
        Body::TooLarge => return Admission::TooLarge,
        Body::OtherType => return Admission::OtherType,
        Body::NotJson => return Admission::NotJson,
        Body::Invalid | Body::Valid => {}
    }
    match front.key {
        KeyHeader::Malformed => return Admission::KeyMalformed,
        KeyHeader::Missing if !front.keyless_allowed => return Admission::KeyMissing,
        KeyHeader::Missing | KeyHeader::Valid => {}
    }
    if front.body == Body::Invalid {
        return Admission::Invalid;
    }
    stored.map_or(Admission::Fresh, |stored| judge(stored, design))
}

/// The rows of the table that concern a known key.
fn judge<F: PartialEq, C: Clone>(stored: Stored<'_, F, C>, design: &Design) -> Admission<C> {
    let Stored { record, asked, now } = stored;
    if design.fingerprint && record.fingerprint != *asked {
        return Admission::Refused(Refusal::Reused);
    }
    if now >= record.expires_at || matches!(record.state, KeyState::Tombstone) {
        return match design.expired {
            ExpiredRule::Refuse => Admission::Refused(Refusal::Expired),
            ExpiredRule::Accept => Admission::TakeOver {
                from: record.token,
                point: RecoveryPoint::Claimed,
            },
        };
    }
    match &record.state {
        KeyState::Running { lease_until, point } => match lease_until {
            Some(until) if *until <= now => Admission::TakeOver {
                from: record.token,
                point: *point,
            },
            until => Admission::Refused(Refusal::InProgress {
                retry_after_s: retry_after_s(record.claimed_at, *until, now),
            }),
        },
        KeyState::Released { point } => Admission::TakeOver {
            from: record.token,
            point: *point,
        },
        KeyState::Done(answer) => Admission::Replay(answer.clone()),
        KeyState::Tombstone => Admission::Refused(Refusal::Expired),
    }
}

/// When to come back for a key that somebody works on, in whole seconds.
///
/// As long as the work has taken so far, since what has run for five seconds is
/// not likely to end in the next one; at least 1 s, and never past the lease.
fn retry_after_s(claimed_at: Ms, lease_until: Option<Ms>, now: Ms) -> u32 {
    let so_far = now.saturating_sub(claimed_at).div_ceil(1000);
    let left = lease_until.map_or(Ms::MAX, |until| until.saturating_sub(now) / 1000);
    u32::try_from(so_far.min(left).clamp(1, 3600)).unwrap_or(3600)
}

#[cfg(test)]
#[path = "admission_tests.rs"]
mod tests;
