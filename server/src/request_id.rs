//! Request ids: a fit one of the client is taken, else one is made; it is always
//! sent back, and every log line carries it.

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use tracing::Span;

use crate::id::RequestId;

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Names the request.
pub(crate) async fn name(mut request: Request, next: Next) -> Response {
    let id = request
        .headers()
        .get(&X_REQUEST_ID)
        .and_then(|value| RequestId::from_client(value.as_bytes()))
        .unwrap_or_else(RequestId::random);
    let header = HeaderValue::try_from(id.as_str());
    request.extensions_mut().insert(id);
    let mut response = next.run(request).await;
    if let Ok(header) = header {
        response.headers_mut().insert(X_REQUEST_ID, header);
    }
    response
}

/// The span of a request, for the trace layer.
pub(crate) fn span<B>(request: &axum::http::Request<B>) -> Span {
    let id = request.extensions().get::<RequestId>();
    tracing::info_span!(
        "request",
        id = id.map_or("", RequestId::as_str),
        method = %request.method(),
        path = request.uri().path(),
    )
}
