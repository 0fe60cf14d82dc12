//! A service that answers as it is told to, and writes down who called.

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::post;
use futures::StreamExt;
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// What a call is answered with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Answer {
    /// A status, and what Retry-After says.
    Status(u16, Option<&'static str>),
    /// A status, part of a body, and then the connection breaks.
    Half,
    /// A status, part of a body, and then nothing for longer than anybody waits.
    Stalled,
    /// Nothing, for longer than anybody waits.
    Silence,
}

/// A call.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) key: String,
    pub(crate) body: serde_json::Value,
    /// When it came, just before its answer: the caller hears of that no sooner.
    pub(crate) came: Instant,
}

#[derive(Clone)]
struct Shared {
    answers: Arc<[Answer]>,
    calls: Arc<Mutex<Vec<Call>>>,
}

/// The service, on a free port. It ends with the test's runtime.
pub(crate) struct Service {
    pub(crate) url: String,
    shared: Shared,
}

impl Service {
    /// Gives these answers in order, and the last of them from then on.
    pub(crate) async fn start(answers: &[Answer]) -> Self {
        let shared = Shared {
            answers: answers.into(),
            calls: Arc::default(),
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/charges", listener.local_addr().unwrap());
        let router = Router::new()
            .route("/charges", post(answer))
            .with_state(shared.clone());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, shared }
    }

    pub(crate) fn calls(&self) -> Vec<Call> {
        self.shared.calls.lock().unwrap().clone()
    }
}

async fn answer(State(shared): State<Shared>, headers: HeaderMap, body: String) -> Response {
    let answer = {
        let mut calls = shared.calls.lock().unwrap();
        let number = calls.len().min(shared.answers.len() - 1);
        calls.push(Call {
            key: headers["Idempotency-Key"].to_str().unwrap().to_owned(),
            body: serde_json::from_str(&body).unwrap(),
            came: Instant::now(),
        });
        shared.answers[number]
    };
    match answer {
        Answer::Status(status, retry_after) => {
            let mut response = Response::builder().status(status);
            if let Some(value) = retry_after {
                response = response.header("Retry-After", value);
            }
            response.body(Body::from("{}")).unwrap()
        }
        Answer::Half => {
            let parts = [Ok("{"), Err(std::io::Error::other("the line is cut"))];
            Response::new(Body::from_stream(futures::stream::iter(parts)))
        }
        Answer::Stalled => {
            let begun = futures::stream::iter([Ok::<_, std::io::Error>("{")]);
            Response::new(Body::from_stream(begun.chain(futures::stream::pending())))
        }
        Answer::Silence => std::future::pending().await,
    }
}
