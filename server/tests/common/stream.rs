//! The live trace as a client reads it.

use std::time::Duration;

use futures::StreamExt;
use model::world::LiveFact;
use serde_json::Value;

use super::Sandbox;

/// An open stream, read event by event.
pub struct Stream {
    bytes: futures::stream::BoxStream<'static, reqwest::Result<Vec<u8>>>,
    text: String,
}

#[derive(Debug)]
pub struct Event {
    pub kind: String,
    pub id: Option<u64>,
    pub data: String,
}

impl Stream {
    pub async fn open(sandbox: &Sandbox, last_seen: Option<u64>) -> Self {
        // It stays open for as long as the test takes.
        let request = sandbox.request("GET", "/lab/trace");
        let mut request = request.timeout(Duration::from_secs(600));
        if let Some(id) = last_seen {
            request = request.header("Last-Event-ID", id.to_string());
        }
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        assert!(!response.headers().contains_key("content-encoding"));
        let bytes = response
            .bytes_stream()
            .map(|chunk| chunk.map(|chunk| chunk.to_vec()))
            .boxed();
        Self {
            bytes,
            text: String::new(),
        }
    }

    /// The next event, or `None` at the end of the stream.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let mut parsed = Event {
                    kind: String::from("message"),
                    id: None,
                    data: String::new(),
                };
                for line in event.lines() {
                    match line.split_once(':') {
                        Some(("event", value)) => parsed.kind = value.trim().to_owned(),
                        Some(("id", value)) => parsed.id = Some(value.trim().parse().unwrap()),
                        Some(("data", value)) => parsed.data = value.trim().to_owned(),
                        _ => {}
                    }
                }
                self.text = rest.to_owned();
                if !parsed.data.is_empty() {
                    return Some(parsed);
                }
                continue;
            }
            let chunk = tokio::time::timeout(Duration::from_secs(30), self.bytes.next())
                .await
                .expect("an event");
            self.text += std::str::from_utf8(&chunk?.ok()?).unwrap();
        }
    }

    pub async fn hello(&mut self) -> Value {
        let hello = self.next().await.unwrap();
        assert_eq!((hello.kind.as_str(), hello.id), ("hello", None));
        serde_json::from_str(&hello.data).unwrap()
    }

    pub async fn facts(&mut self, count: usize) -> Vec<LiveFact> {
        let mut facts: Vec<LiveFact> = Vec::new();
        while facts.len() < count {
            let event = self.next().await.unwrap();
            assert_eq!(event.kind, "message", "{event:?}");
            let fact: LiveFact = serde_json::from_str(&event.data).unwrap();
            assert_eq!(event.id, Some(fact.id));
            assert!(facts.last().is_none_or(|last| last.id + 1 == fact.id));
            facts.push(fact);
        }
        facts
    }
}
