//! Replies of attempts, on the wire and in the trace.

use std::time::{Duration, UNIX_EPOCH};

use axum::http::header::{CONTENT_TYPE, HeaderName, LOCATION};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use model::Ms;
use model::money::Currency;
use model::protocol::{Paid, Refusal, Reply, Trouble};
use model::world::Answered;
use serde::Serialize;

use super::driver::Ending;
use super::prefer::PREFERENCE_APPLIED;
use super::store::{Charge, Made, Refund};
use crate::id::ChargeId;
use crate::problem::{Kind, Problem};

/// Says that an answer is the saved one of an earlier attempt.
pub const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// A charge on the wire. The order of the members is fixed, so that a replay is
/// the same to the byte.
#[derive(Debug, Serialize)]
pub struct ChargeBody<'a> {
    id: &'a ChargeId,
    amount: u32,
    currency: Currency,
    status: &'static str,
    created: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
}

impl<'a> ChargeBody<'a> {
    /// The charge as it was when it was made.
    #[must_use]
    pub fn then(charge: &'a Charge) -> Self {
        Self {
            id: &charge.id,
            amount: charge.amount,
            currency: charge.currency,
            status: match charge.paid {
                Paid::Succeeded => "succeeded",
                Paid::Declined => "declined",
            },
            created: timestamp(charge.created_at),
            description: charge.description.as_deref(),
        }
    }

    /// The charge as it is now.
    #[must_use]
    pub fn now(charge: &'a Charge) -> Self {
        let then = Self::then(charge);
        match charge.refunded_at {
            Some(_) => Self {
                status: "refunded",
                ..then
            },
            None => then,
        }
    }
}

/// A refund on the wire.
#[derive(Debug, Serialize)]
struct RefundBody<'a> {
    id: &'a ChargeId,
    charge: &'a ChargeId,
    amount: u32,
    currency: Currency,
    status: &'static str,
    created: String,
}

impl<'a> RefundBody<'a> {
    fn new(refund: &'a Refund) -> Self {
        Self {
            id: &refund.id,
            charge: &refund.charge,
            amount: refund.amount,
            currency: refund.currency,
            status: "succeeded",
            created: timestamp(refund.created_at),
        }
    }
}

fn timestamp(at: Ms) -> String {
    humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_millis(at)).to_string()
}

/// What the trace says of an attempt that the store failed.
pub(super) const UNAVAILABLE: Answered = Answered {
    status: 503,
    charge: None,
    replayed: false,
    retry_after_s: Some(1),
};

/// What the trace says of an attempt that found no room.
pub(super) const FULL: Answered = Answered {
    status: Kind::SandboxFull.status(),
    charge: None,
    replayed: false,
    retry_after_s: None,
};

/// What the trace says of a reply.
#[must_use]
pub fn answered(reply: &Reply<ChargeId>) -> Answered {
    let mut answered = Answered {
        status: reply.status(),
        ..Answered::default()
    };
    match reply {
        Reply::Final { answer, replayed } => {
            answered.charge = Some(answer.charge.to_string());
            answered.replayed = *replayed;
        }
        Reply::Refused(Refusal::InProgress { retry_after_s }) => {
            answered.retry_after_s = Some(*retry_after_s);
        }
        Reply::Refused(_) => {}
        Reply::Trouble(trouble) => answered.retry_after_s = trouble.retry_after_s,
    }
    answered
}

impl IntoResponse for Ending {
    fn into_response(self) -> Response {
        let (reply, made, waited) = match self {
            Self::Reply {
                reply,
                made,
                waited,
            } => (reply, made, waited),
            Self::Unavailable => return unavailable().into_response(),
            Self::Full => return full().into_response(),
        };
        let mut response = match (reply, made) {
            (Reply::Final { replayed, .. }, Some(made)) => settled(made, replayed),
            (Reply::Final { .. }, None) => unavailable().into_response(),
            (Reply::Refused(refusal), _) => refused(refusal).into_response(),
            (Reply::Trouble(trouble), _) => troubled(trouble).into_response(),
        };
        if waited {
            response
                .headers_mut()
                .insert(PREFERENCE_APPLIED, HeaderValue::from_static("wait"));
        }
        response
    }
}

/// The refusal of a new key or charge that there is no room for.
pub(crate) fn full() -> Problem {
    Problem::new(
        Kind::SandboxFull,
        "The sandbox stores as much as it may, so nothing was done. Known keys are still answered. \
         POST /lab/reset empties it, or make a new one.",
    )
}

fn unavailable() -> Problem {
    Problem::new(
        Kind::Unavailable,
        "Whether the money was taken is not known. Send the same request with the same key again: \
         it is charged once.",
    )
    .retry_after(UNAVAILABLE.retry_after_s)
}

fn settled(made: Made, replayed: bool) -> Response {
    let mut response = match made {
        Made::Charge(charge) if charge.paid == Paid::Declined => Problem::new(
            Kind::Declined,
            "The card was declined and nothing was charged. Another try needs a new key.",
        )
        .about(charge.id)
        .into_response(),
        Made::Charge(charge) => created(&ChargeBody::then(&charge), &charge.id),
        Made::Refund(refund) => created(&RefundBody::new(&refund), &refund.charge),
    };
    if replayed {
        response
            .headers_mut()
            .insert(REPLAYED, HeaderValue::from_static("true"));
    }
    response
}

/// A 201 whose `Location` is the charge, where the state now can be read.
fn created(body: &impl Serialize, charge: &ChargeId) -> Response {
    // Texts and numbers: this cannot fail.
    let body = serde_json::to_vec(body).unwrap_or_default();
    let mut response = (StatusCode::CREATED, body).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Ok(location) = HeaderValue::try_from(format!("/charges/{charge}")) {
        headers.insert(LOCATION, location);
    }
    response
}

fn refused(refusal: Refusal) -> Problem {
    match refusal {
        Refusal::Reused => Problem::new(
            Kind::Reused,
            "This key came first with another method, path or body. Nothing was done.",
        ),
        Refusal::Expired => Problem::new(
            Kind::Expired,
            "The answer under this key is no longer kept. Nothing was charged; if the payment is \
             still wanted, send it again with a new key.",
        ),
        Refusal::InProgress { retry_after_s } => Problem::new(
            Kind::InProgress,
            "An earlier attempt with this key is at work. Send the same again a little later.",
        )
        .retry_after(Some(retry_after_s)),
    }
}

fn troubled(trouble: Trouble) -> Problem {
    let (kind, detail) = match trouble.status() {
        503 => (
            Kind::ProcessorBusy,
            "The card processor is busy and nothing was charged.",
        ),
        _ => (
            Kind::ProcessorFailed,
            "The card processor failed and nothing was charged.",
        ),
    };
    Problem::new(
        kind,
        format!("{detail} Send the same request with the same key again."),
    )
    .retry_after(trouble.retry_after_s)
}
