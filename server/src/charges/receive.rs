//! Reading request bodies, with a limit, without breaking the connection.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_LENGTH, EXPECT};
use http_body_util::BodyExt;

use crate::problem::{Kind, Problem};

/// The largest body that is taken, in bytes.
pub const LIMIT: usize = 64 * 1024;
/// How much of an oversized body is read and thrown away so that the connection
/// can go on. Beyond it the connection is closed.
const DRAIN: usize = 1024 * 1024;
/// How long a body may take to arrive.
const PATIENCE: Duration = Duration::from_secs(10);

/// What came of a body.
#[derive(Debug)]
pub enum Received {
    /// All of it.
    Whole(Bytes),
    /// More than [`LIMIT`].
    TooLarge {
        /// It was read to its end, so the connection can go on.
        drained: bool,
    },
    /// It did not arrive in time, or not in one piece.
    Broken,
}

/// Reads a body to its end, up to [`LIMIT`].
pub async fn receive(headers: &HeaderMap, body: Body) -> Received {
    let declared = declared(headers);
    // Nothing was sent yet, and nothing has to be: whoever waits for 100-continue
    // gets the refusal at once.
    if declared > LIMIT && (declared > DRAIN || headers.contains_key(EXPECT)) {
        return Received::TooLarge { drained: false };
    }
    tokio::time::timeout(PATIENCE, read(body))
        .await
        .unwrap_or(Received::Broken)
}

/// Throws a body away that nobody wants, and says whether its end was reached.
pub async fn discard(headers: &HeaderMap, body: Body) -> bool {
    if headers.contains_key(EXPECT) && declared(headers) > 0 {
        return false;
    }
    matches!(
        receive(headers, body).await,
        Received::Whole(_) | Received::TooLarge { drained: true }
    )
}

fn declared(headers: &HeaderMap) -> usize {
    headers
        .get(CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse().ok())
        .unwrap_or(0)
}

async fn read(mut body: Body) -> Received {
    let mut kept = Vec::new();
    let mut seen = 0;
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else {
            return Received::Broken;
        };
        let Ok(data) = frame.into_data() else {
            continue; // trailers
        };
        seen += data.len();
        if seen > DRAIN {
            return Received::TooLarge { drained: false };
        }
        if seen <= LIMIT {
            kept.extend_from_slice(&data);
        } else {
            kept = Vec::new();
        }
    }
    if seen > LIMIT {
        return Received::TooLarge { drained: true };
    }
    Received::Whole(kept.into())
}

/// The refusal of an oversized body.
#[must_use]
pub fn too_large(drained: bool) -> Problem {
    let problem = Problem::new(
        Kind::TooLarge,
        format!("The body has more than {LIMIT} bytes. Nothing was done."),
    );
    if drained { problem } else { problem.closing() }
}

/// The refusal of a body that did not come.
#[must_use]
pub fn broken() -> Problem {
    Problem::new(
        Kind::TooSlow,
        "The body did not arrive within 10 s. Nothing was done.",
    )
    .closing()
}
