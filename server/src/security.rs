//! Headers that tell browsers what our responses may do.

use axum::extract::Request;
use axum::http::header::{
    CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tower_http::csrf::{CsrfLayer, ProtectionError, ResponseForProtectionError};

use crate::problem::{Kind, Problem};

/// What is not a page may do nothing at all.
const NOTHING: &str = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'";

/// Who may show a page in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ancestors {
    /// Nobody.
    None,
    /// Everybody: it is made to be embedded and has nothing to click in secret.
    Any,
}

/// The policy of a page: its own scripts and styles, and nothing of others.
pub(crate) fn page_policy(nonce: &str, ancestors: Ancestors) -> String {
    let ancestors = match ancestors {
        Ancestors::None => "'none'",
        Ancestors::Any => "*",
    };
    format!(
        "default-src 'none'; \
         script-src 'nonce-{nonce}' 'strict-dynamic' 'wasm-unsafe-eval'; \
         style-src 'self' 'nonce-{nonce}'; img-src 'self' data:; font-src 'self'; \
         connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; \
         frame-ancestors {ancestors}"
    )
}

/// Adds the headers that every response carries.
pub(crate) async fn headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "strict-origin-when-cross-origin"),
        (
            HeaderName::from_static("permissions-policy"),
            "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
        ),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers
        .entry(CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static(NOTHING));
    response
}

/// Turns the bare errors of the router into problems. Their other headers, such
/// as Allow, stay.
pub(crate) async fn problems(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let problem = match response.status() {
        _ if response.headers().contains_key(CONTENT_TYPE) && !is_plain(response.headers()) => {
            return response;
        }
        StatusCode::METHOD_NOT_ALLOWED => Problem::new(
            Kind::MethodNotAllowed,
            "This address knows other methods only; the Allow header names them.",
        ),
        StatusCode::NOT_FOUND => Problem::not_found(),
        StatusCode::BAD_REQUEST => {
            Problem::new(Kind::BadRequest, "The address or its query is malformed.")
        }
        StatusCode::INTERNAL_SERVER_ERROR => internal(),
        _ => return response,
    };
    let mut problem = problem.into_response();
    for (name, value) in response.headers() {
        if name != CONTENT_TYPE && name != axum::http::header::CONTENT_LENGTH {
            problem.headers_mut().entry(name).or_insert(value.clone());
        }
    }
    problem
}

fn is_plain(headers: &HeaderMap) -> bool {
    headers
        .get(CONTENT_TYPE)
        .is_some_and(|value| value.as_bytes().starts_with(b"text/plain"))
}

fn internal() -> Problem {
    Problem::new(
        Kind::Internal,
        "This is a fault of the server; it is in its log.",
    )
}

/// Answers for a handler that panicked.
pub(crate) fn panicked(_: Box<dyn std::any::Any + Send>) -> Response {
    tracing::error!("a handler panicked");
    internal().into_response()
}

/// Refuses what a browser sends from another site: the cookie would go along.
pub(crate) fn csrf() -> CsrfLayer<CrossSite> {
    CsrfLayer::new().with_rejection_response(CrossSite)
}

/// The refusal.
#[derive(Clone, Debug)]
pub(crate) struct CrossSite;

impl ResponseForProtectionError<axum::body::Body> for CrossSite {
    fn response_for_protection_error(&mut self, _: ProtectionError) -> Response {
        Problem::new(
            Kind::CrossSite,
            "A browser sent this from another site. Nothing was done.",
        )
        .closing()
        .into_response()
    }
}
