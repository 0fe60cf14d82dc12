//! What servers on one PostgreSQL tell each other, over LISTEN and NOTIFY: the facts
//! of live traces, and the few things that each keeps in memory.
//!
//! Nothing that decides about money goes this way. What gets lost here, because the
//! database was restarted or somebody told too much, is missing from a picture, and
//! the picture says so.

mod listen;
mod outbox;
mod publish;
mod word;

use std::sync::Arc;
use std::time::Duration;

use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use tokio::task::JoinHandle;
use uuid::Uuid;

pub use listen::Ears;
use listen::Listener;
pub use outbox::Outbox;
use publish::{Asked, Publisher};

use crate::shutdown::Shutdown;

/// The channel of the notifications. It belongs to one database.
const CHANNEL: &str = "charge_once";
/// How often a server that has nothing to tell says so. Who hears nothing for much
/// longer has lost its connection without being told.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// Between two tries when the database does not answer.
const AGAIN: Duration = Duration::from_millis(250);

/// The running bus of one server.
#[derive(Debug)]
pub struct Bus {
    pool: PgPool,
    quit: Shutdown,
    publisher: JoinHandle<()>,
    listener: JoinHandle<()>,
}

impl Bus {
    /// Begins to listen, then to tell what the outbox collects.
    ///
    /// # Errors
    /// When the database cannot be listened to.
    pub async fn start(
        store: &PgPool,
        outbox: Arc<Outbox>,
        ears: Ears,
    ) -> Result<Self, sqlx::Error> {
        // Connections of its own: what is told here never takes one from a charge.
        let options = store.connect_options();
        // No reader of a picture waits for the disk.
        let options = (*options).clone().options([("synchronous_commit", "off")]);
        let pool = PgPoolOptions::new()
            .max_connections(3)
            .acquire_timeout(Duration::from_secs(5))
            .max_lifetime(None)
            .idle_timeout(None)
            .connect_with(options)
            .await?;
        let (server, quit) = (Uuid::new_v4(), Shutdown::default());
        let asked = Arc::<Asked>::default();
        let listener = Listener {
            pool: pool.clone(),
            asked: asked.clone(),
            server,
            ears,
        };
        // Before anything is told, and before anybody asks.
        let first = listener.connect().await?;
        let publisher = Publisher {
            pool: pool.clone(),
            outbox,
            asked,
            server,
            batch: 0,
        };
        Ok(Self {
            pool,
            publisher: tokio::spawn(publisher.run(quit.clone())),
            listener: tokio::spawn(listener.run(first, quit.clone())),
            quit,
        })
    }

    /// Tells what is left, and stops.
    pub async fn stop(self) {
        self.quit.begin();
        let _ = self.publisher.await;
        let _ = self.listener.await;
        self.pool.close().await;
    }
}
