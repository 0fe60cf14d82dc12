//! The sign of life that keeps a lease.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;

use super::store::{RenewLease, Store};

/// Renews a lease while its owner lives; it ends with the owner.
pub(super) struct Heartbeat(JoinHandle<()>);

impl Heartbeat {
    /// Starts to renew, three times in each lease.
    pub(super) fn start(store: Arc<dyn Store>, lease: RenewLease) -> Self {
        let pause = Duration::from_millis((lease.lease_ms / 3).max(10));
        Self(tokio::spawn(async move {
            loop {
                tokio::time::sleep(pause).await;
                match store.renew(lease.clone()).await {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(error) => tracing::warn!(%error, "a lease could not be renewed"),
                }
            }
        }))
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        self.0.abort();
    }
}
