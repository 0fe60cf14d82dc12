//! Errors as `application/problem+json` (RFC 9457).

use axum::http::header::{CONNECTION, CONTENT_TYPE, LINK, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::charges::store::StoreError;
use crate::id::ChargeId;

/// An error on its way to a client. It never carries what a database said.
#[derive(Clone, Debug)]
pub struct Problem {
    kind: Kind,
    detail: String,
    retry_after_s: Option<u32>,
    charge: Option<ChargeId>,
    close: bool,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $status:literal, $slug:literal, $title:literal;)*) => {
        /// The kinds of problems. The slug of each is stable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Kind {
            $($(#[$doc])* $name,)*
        }

        impl Kind {
            /// Every kind.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The status on the wire.
            #[must_use]
            pub const fn status(self) -> u16 {
                match self { $(Self::$name => $status,)* }
            }

            /// What `type` ends in.
            #[must_use]
            pub const fn slug(self) -> &'static str {
                match self { $(Self::$name => $slug,)* }
            }

            /// The same words for every problem of this kind.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* }
            }
        }
    };
}

kinds! {
    /// Not HTTP as this service understands it: a bad query, say.
    BadRequest = 400, "bad-request", "The request is malformed";
    /// The body is not JSON.
    NotJson = 400, "not-json", "The body is not JSON";
    /// The key header is there, but it is no key.
    KeyMalformed = 400, "idempotency-key-malformed", "The Idempotency-Key header is malformed";
    /// No key, and the policy requires one.
    KeyMissing = 400, "idempotency-key-missing", "The Idempotency-Key header is missing";
    /// No or an unknown token.
    Unauthorized = 401, "unauthorized", "A known token is needed";
    /// The card was declined. Final, and saved under the key.
    Declined = 402, "card-declined", "The card was declined";
    /// A browser sent it from another site.
    CrossSite = 403, "cross-site", "Requests from other sites are refused";
    /// The sandbox stores as much as it may.
    SandboxFull = 403, "sandbox-full", "The sandbox is full";
    /// Nothing is here.
    NotFound = 404, "not-found", "There is nothing here";
    /// Something is here, but not for this method.
    MethodNotAllowed = 405, "method-not-allowed", "The method is not allowed here";
    /// The body did not arrive in time.
    TooSlow = 408, "request-timeout", "The body did not arrive in time";
    /// Somebody is at work under the key.
    InProgress = 409, "idempotency-key-in-progress", "A request with this key is still running";
    /// The key was used, and what it answered is no longer kept.
    Expired = 410, "idempotency-key-expired", "The key is expired";
    /// Somebody else's change came first.
    PreconditionFailed = 412, "precondition-failed", "The order has changed";
    /// The body is over the limit.
    TooLarge = 413, "body-too-large", "The body is too large";
    /// Not JSON by its content type.
    OtherType = 415, "unsupported-media-type", "The body has to be application/json";
    /// Not a valid charge.
    InvalidCharge = 422, "invalid-charge", "This is not a valid charge";
    /// JSON, but not what this route of the lab takes.
    InvalidLab = 422, "invalid-request", "The request is not valid";
    /// The key belongs to another request.
    Reused = 422, "idempotency-key-reused", "The key belongs to another request";
    /// The change does not say which version it is for.
    PreconditionRequired = 428, "precondition-required", "If-Match is missing";
    /// Too many requests.
    OverRate = 429, "rate-limited", "Too many requests";
    /// A fault of this server.
    Internal = 500, "internal-error", "Something went wrong here";
    /// The card processor failed. Not final.
    ProcessorFailed = 502, "processor-failed", "The card processor failed";
    /// The card processor is busy. Not final.
    ProcessorBusy = 503, "processor-busy", "The card processor is busy";
    /// The store does not answer.
    Unavailable = 503, "unavailable", "The service cannot answer now";
}

#[derive(Serialize)]
struct Body<'a> {
    r#type: String,
    title: &'a str,
    status: u16,
    detail: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    charge: Option<&'a ChargeId>,
}

impl Problem {
    /// A problem of a kind, with what a client should know about this one.
    pub fn new(kind: Kind, detail: impl Into<String>) -> Self {
        Self {
            kind,
            detail: detail.into(),
            retry_after_s: None,
            charge: None,
            close: false,
        }
    }

    /// Says when to come back, in seconds.
    #[must_use]
    pub const fn retry_after(mut self, seconds: Option<u32>) -> Self {
        self.retry_after_s = seconds;
        self
    }

    /// Names the charge it speaks of.
    #[must_use]
    pub fn about(mut self, charge: ChargeId) -> Self {
        self.charge = Some(charge);
        self
    }

    /// Ends the connection after the reply, since the request was not read to its end.
    #[must_use]
    pub const fn closing(mut self) -> Self {
        self.close = true;
        self
    }

    /// Nothing is at this address.
    #[must_use]
    pub fn not_found() -> Self {
        Self::new(Kind::NotFound, "No such address or object.")
    }

    /// Its kind.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// When to come back, in seconds.
    #[must_use]
    pub const fn retry_after_s(&self) -> Option<u32> {
        self.retry_after_s
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        tracing::error!(%error, "the store failed");
        Self::new(
            Kind::Unavailable,
            "The store does not answer. Send the same request with the same key again.",
        )
        .retry_after(Some(1))
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let kind = self.kind;
        let address = format!("/api#{}", kind.slug());
        let link = format!("<{address}>; rel=\"describedby\"");
        let body = Body {
            r#type: address,
            title: kind.title(),
            status: kind.status(),
            detail: &self.detail,
            charge: self.charge.as_ref(),
        };
        // Strings and a number: this cannot fail.
        let body = serde_json::to_vec(&body).unwrap_or_default();
        let status = StatusCode::from_u16(kind.status()).unwrap_or_default();
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(
            CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        if let Ok(link) = HeaderValue::try_from(link) {
            headers.insert(LINK, link);
        }
        if let Some(seconds) = self.retry_after_s {
            headers.insert(RETRY_AFTER, seconds.into());
        }
        if kind == Kind::Unauthorized {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if self.close {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}
