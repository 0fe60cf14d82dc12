//! Accepts connections and serves them.
//!
//! A loop of our own, since a lost reply has to end a connection without a single
//! byte: the service fails for a response that carries [`Abort`], and hyper then
//! closes the connection.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use hyper::body::Incoming;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;
use tower::ServiceExt;

use crate::shutdown::Shutdown;

/// How long a client may take to send the head of a request.
const HEAD: Duration = Duration::from_secs(15);
/// How long a client may take to make room for more of a reply.
const DEAF: Duration = Duration::from_secs(20);
/// How long open connections may take to end at shutdown.
const LAST_REPLIES: Duration = Duration::from_secs(5);
/// Connections at once. More wait in the kernel's queue.
const CONNECTIONS: usize = 8192;

/// In the extensions of a response: send nothing, close the connection.
#[derive(Clone, Copy, Debug)]
pub struct Abort;

/// In the extensions of a request: the address it came from.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);

#[derive(Debug, thiserror::Error)]
#[error("the connection is closed without a reply")]
struct Aborted;

/// Serves until the shutdown begins, then waits for the last replies.
pub async fn serve(listener: TcpListener, router: Router, shutdown: Shutdown) {
    let graceful = GracefulShutdown::new();
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok(place) = room.clone().acquire_owned().await else {
            break;
        };
        let (stream, peer) = tokio::select! {
            () = shutdown.begun() => break,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Out of file descriptors, most likely: let some connections end.
                    tracing::warn!(%error, "could not accept a connection");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
        };
        let connection = connection(stream, peer, router.clone(), graceful.watcher());
        tokio::spawn(async move {
            connection.await;
            drop(place);
        });
    }
    drop(listener);
    if tokio::time::timeout(LAST_REPLIES, graceful.shutdown())
        .await
        .is_err()
    {
        tracing::warn!("some connections did not end in time");
    }
}

async fn connection(stream: TcpStream, peer: SocketAddr, router: Router, watcher: Watcher) {
    // Replies are small: waiting to fill a packet only delays them.
    let _ = stream.set_nodelay(true);
    let service = hyper::service::service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(Peer(peer.ip()));
        let router = router.clone();
        async move {
            let response = infallible(router.oneshot(request.map(Body::new)).await);
            if response.extensions().get::<Abort>().is_some() {
                return Err(Aborted);
            }
            Ok(response)
        }
    });
    // Without it, a client that reads nothing would hold its connection for ever.
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(DEAF));
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .serve_connection(TokioIo::new(Box::pin(stream)), service);
    if let Err(error) = watcher.watch(connection).await {
        tracing::debug!(%error, "a connection ended early");
    }
}

fn infallible(response: Result<Response, Infallible>) -> Response {
    match response {
        Ok(response) => response,
        Err(never) => match never {},
    }
}
