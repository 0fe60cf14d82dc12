//! `GET /lab/trace`: the live trace as server-sent events.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::stream;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::watch;

use super::live::Channel;
use super::ring::{News, Place};
use crate::accounts::Known;
use crate::clock;
use crate::metrics::OpenStream;
use crate::problem::{Kind, Problem};
use crate::shutdown::Shutdown;
use crate::state::App;

/// Streams that one sandbox may have open.
const STREAMS: usize = 64;
/// How often a quiet stream says that it lives.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

#[derive(Debug, Deserialize)]
pub(super) struct From {
    /// As `Last-Event-ID`, for readers that cannot set a header.
    after: Option<u64>,
}

/// Streams the facts that are kept, or those after the reader's last one, and then
/// each new one. First comes `hello` with the server's time and the last id; what
/// comes with a greater id happens from now on.
pub(super) async fn stream(
    State(app): State<App>,
    account: Known,
    headers: HeaderMap,
    from: Result<Query<From>, axum::extract::rejection::QueryRejection>,
) -> Result<Response, Problem> {
    let bad = |detail| Problem::new(Kind::BadRequest, detail);
    let Query(from) = from.map_err(|_| bad("`after` has to be the id of an event."))?;
    let last_seen = match headers.get("last-event-id") {
        None => from.after,
        Some(id) => id
            .to_str()
            .ok()
            .and_then(|id| id.parse().ok())
            .map(Some)
            .ok_or_else(|| bad("`Last-Event-ID` has to be the id of an event."))?,
    };
    let (channel, last) = app.live.join(&account.id).await;
    if channel.readers() >= STREAMS {
        return Err(
            Problem::new(Kind::OverRate, "Too many streams of this sandbox are open.")
                .retry_after(Some(5)),
        );
    }
    let mut reader = Reader::new(channel, last, last_seen, app.shutdown.clone());
    reader.open = Some(app.metrics.stream());
    let events = stream::unfold(reader, |mut reader| async {
        let event = reader.next().await?;
        Some((Ok::<_, Infallible>(event), reader))
    });
    Ok(Sse::new(events)
        .keep_alive(KeepAlive::new().interval(KEEP_ALIVE))
        .into_response())
}

struct Reader {
    channel: Arc<Channel>,
    changes: watch::Receiver<u64>,
    place: Place,
    ready: VecDeque<Event>,
    shutdown: Shutdown,
    /// Counts it for as long as it is open.
    open: Option<OpenStream>,
}

impl Reader {
    fn new(channel: Arc<Channel>, last: u64, seen: Option<u64>, shutdown: Shutdown) -> Self {
        let hello = json!({ "now": clock::now(), "last": last }).to_string();
        let hello = Event::default()
            .event("hello")
            .retry(Duration::from_secs(1))
            .data(hello);
        let mut changes = channel.watch();
        // What is kept already counts as news.
        changes.mark_changed();
        Self {
            place: channel.place(seen),
            channel,
            changes,
            ready: VecDeque::from([hello]),
            shutdown,
            open: None,
        }
    }

    /// The next event, or `None` when the server shuts down.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            tokio::select! {
                () = self.shutdown.begun() => return None,
                changed = self.changes.changed() => changed.ok()?,
            }
            for news in self.channel.after(&mut self.place) {
                let event = match &news {
                    // How many, or `null` when nobody can tell.
                    News::Gap(dropped) => Event::default()
                        .event("gap")
                        .json_data(json!({ "dropped": dropped })),
                    News::Fact(fact) => Event::default().id(fact.id.to_string()).json_data(fact),
                };
                // Texts and numbers: this cannot fail.
                self.ready.extend(event);
            }
        }
    }
}
