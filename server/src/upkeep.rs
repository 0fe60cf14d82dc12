//! What is done in the background: stuck keys are settled, old ones deleted, idle
//! sandboxes closed. Several servers may do it on one database at once.

use std::time::Duration;

use model::Ms;

use crate::charges::store::{Purged, StoreError};
use crate::charges::sweeper::sweep;
use crate::state::App;

/// Rows that one transaction takes: few, so that requests in between wait little.
const BATCH: u32 = 500;
/// Batches of one kind in one round.
const BATCHES: usize = 40;

/// How often, and when a sandbox is idle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Upkeep {
    pub(crate) every: Duration,
    pub(crate) idle_ms: Ms,
}

impl Upkeep {
    /// Does one round after the other until the shutdown begins.
    pub(crate) async fn run(self, app: App) {
        loop {
            tokio::select! {
                () = app.shutdown.begun() => return,
                () = tokio::time::sleep(self.every) => {}
            }
            if let Err(error) = self.round(&app).await {
                tracing::warn!(%error, "the upkeep has to wait for the store");
            }
        }
    }

    async fn round(self, app: &App) -> Result<(), StoreError> {
        let seen = app.seen.take();
        if !seen.is_empty() {
            app.store.seen(seen).await?;
        }
        app.flow.tidy();
        app.room.tidy();
        // First what may still be settled, then what nobody will ask for.
        sweep(&*app.store, &*app.ledger, &app.driver, &app.metrics).await?;
        let mut buried = 0;
        for _ in 0..BATCHES {
            let count = app.store.bury(BATCH).await?;
            buried += count;
            if count < u64::from(BATCH) {
                break;
            }
        }
        let mut forgotten = 0;
        for _ in 0..BATCHES {
            let count = app.store.forget(BATCH).await?;
            forgotten += count;
            if count < u64::from(BATCH) {
                break;
            }
        }
        app.metrics.deleted("answer", buried);
        app.metrics.deleted("key", forgotten);
        if buried + forgotten > 0 {
            tracing::info!(buried, forgotten, "what is past its time is deleted");
        }
        self.close_idle(app).await
    }

    async fn close_idle(self, app: &App) -> Result<(), StoreError> {
        app.store.close_idle(self.idle_ms, BATCH).await?;
        let mut gone = 0_u32;
        for account in app.store.closed(BATCH).await? {
            // The books first: a closed account without books is found again, books
            // without an account would not be.
            app.ledger.clear(account.clone()).await?;
            for _ in 0..BATCHES {
                match app.store.purge(account.clone(), BATCH).await? {
                    Purged::More => {}
                    Purged::Elsewhere => break,
                    Purged::Gone => {
                        gone += 1;
                        break;
                    }
                }
            }
            app.pods.forget(&account);
        }
        if gone > 0 {
            app.metrics.deleted("sandbox", u64::from(gone));
            tracing::info!(gone, "idle sandboxes are deleted");
        }
        app.sandboxes.recount(app.store.count_accounts().await?);
        Ok(())
    }
}
