//! Starts and stops the whole server.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use model::Ms;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::charges::store::{OpenError, Opened, StoreError, open};
use crate::config::{Config, Database};
use crate::lab::bus::Bus;
use crate::orders::consumer;
use crate::router::router;
use crate::serve::serve;
use crate::shutdown::Shutdown;
use crate::state::App;
use crate::upkeep::Upkeep;

/// How long running attempts are waited for at shutdown.
const LAST_ATTEMPTS: Duration = Duration::from_secs(10);

/// A running server.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    shutdown: Shutdown,
    opened: Opened,
    serving: JoinHandle<()>,
    upkeep: JoinHandle<()>,
    consumer: JoinHandle<()>,
    bus: Option<Bus>,
}

/// Why the server could not start. Each is one line that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {}", reason(.error))]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        error: io::Error,
    },
    /// The database cannot be used.
    #[error("cannot use the database {database}: {error}")]
    Database {
        /// Which.
        database: Database,
        /// Why not.
        error: OpenError,
    },
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            String::from("the address is in use; stop the other server or choose another --listen")
        }
        io::ErrorKind::PermissionDenied => String::from("not allowed; choose a port over 1023"),
        _ => error.to_string(),
    }
}

impl Server {
    /// Opens the database, brings its schema up to date and starts to serve.
    ///
    /// # Errors
    /// [`StartError`] when the address or the database cannot be used.
    pub async fn start(config: Config) -> Result<Self, StartError> {
        // First the address: a second server must not touch the first one's database.
        let refused = |error| StartError::Listen {
            address: config.listen,
            error,
        };
        let listener = TcpListener::bind(config.listen).await.map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        let unusable = |error| StartError::Database {
            database: config.database.clone(),
            error,
        };
        let opened = open(&config.database).await.map_err(unusable)?;
        let sandboxes = opened
            .store
            .count_accounts()
            .await
            .map_err(|error| unusable(error.into()))?;
        let shutdown = Shutdown::default();
        let app = App::new(&config, sandboxes, &opened, shutdown.clone());
        let bus = match (opened.postgres(), app.outbox.clone()) {
            (Some(pool), Some(outbox)) => {
                let bus = Bus::start(pool, outbox, app.ears()).await;
                Some(bus.map_err(|error| unusable(StoreError::from(error).into()))?)
            }
            _ => None,
        };
        let upkeep = Upkeep {
            every: config.upkeep,
            idle_ms: Ms::try_from(config.idle.as_millis()).unwrap_or(Ms::MAX),
        };
        let upkeep = tokio::spawn(upkeep.run(app.clone()));
        let consumer = consumer::run(app.orders.clone(), app.bell.clone(), shutdown.clone());
        let consumer = tokio::spawn(consumer);
        let serving = tokio::spawn(serve(listener, router(app), shutdown.clone()));
        tracing::info!(%address, database = %config.database, "ready");
        Ok(Self {
            address,
            shutdown,
            opened,
            serving,
            upkeep,
            consumer,
            bus,
        })
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops: no new connection, the last replies, the running attempts, the store.
    pub async fn stop(self) {
        self.shutdown.begin();
        let _ = self.serving.await;
        let _ = self.upkeep.await;
        let _ = self.consumer.await;
        if !self.shutdown.attempts_ended(LAST_ATTEMPTS).await {
            tracing::warn!("some attempts still ran; their leases stay behind for a retry");
        }
        if let Some(bus) = self.bus {
            bus.stop().await;
        }
        self.opened.close().await;
    }
}
