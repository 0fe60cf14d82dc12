//! Bodies that a handler leaves unread.
//!
//! A refusal, or a route that takes no body, leaves the body where it is. What is
//! not read ends the connection after the reply, without a word to the client,
//! whose next request may be on its way by then. So what is left is read and thrown
//! away, within the limits of [`receive`], or the reply says that the connection ends.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::HeaderValue;
use axum::http::header::CONNECTION;
use axum::middleware::Next;
use axum::response::Response;

use crate::charges::receive;
use crate::serve::Abort;

/// Runs a handler, and reads what it left of the body.
pub(crate) async fn finish(request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let (headers, left) = (parts.headers.clone(), Left::default());
    let lent = Body::new(Lent {
        body,
        left: left.clone(),
    });
    let mut response = next.run(Request::from_parts(parts, lent)).await;
    // No reply at all, or one that ends the connection anyway.
    let aborts = response.extensions().get::<Abort>().is_some();
    if aborts || response.headers().contains_key(CONNECTION) {
        return response;
    }
    let rest = left.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(rest) = rest
        && !receive::discard(&headers, rest).await
    {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(CONNECTION, close);
    }
    response
}

/// Where a body goes that was dropped before its end.
type Left = Arc<Mutex<Option<Body>>>;

/// A body that is given back when it is dropped.
struct Lent {
    body: Body,
    left: Left,
}

impl HttpBody for Lent {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<hyper::body::Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if !self.body.is_end_stream() {
            let body = std::mem::take(&mut self.body);
            *self.left.lock().unwrap_or_else(PoisonError::into_inner) = Some(body);
        }
    }
}
