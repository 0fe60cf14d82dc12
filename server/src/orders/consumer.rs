//! The consumer of the queue.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;

use super::{Message, Orders};
use crate::charges::store::StoreError;
use crate::lab::settings::ConsumerRule;
use crate::shutdown::Shutdown;

/// Between two looks when nothing rang: for messages that come again, and those
/// that were sent to another server.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// Takes messages until the shutdown begins. Several may run on one queue.
pub(crate) async fn run(orders: Arc<dyn Orders>, bell: Arc<Notify>, shutdown: Shutdown) {
    loop {
        tokio::select! {
            () = shutdown.begun() => return,
            () = bell.notified() => {}
            () = tokio::time::sleep(LOOK_AGAIN) => {}
        }
        if let Err(error) = drain(&*orders).await {
            tracing::warn!(%error, "the consumer has to wait for the store");
        }
    }
}

async fn drain(orders: &dyn Orders) -> Result<(), StoreError> {
    while orders.due().await? {
        let Some(message) = orders.deliver().await? else {
            return Ok(());
        };
        take(orders, message).await?;
    }
    Ok(())
}

/// Carries one delivery out. Whatever is not acknowledged comes again.
async fn take(orders: &dyn Orders, message: Message) -> Result<(), StoreError> {
    let fresh = orders.consume(message.clone()).await?;
    if message.crash_after_effect && message.deliveries == 1 {
        // The process dies here: what its transaction holds stays, and nothing else.
        return Ok(());
    }
    if fresh && message.rule == ConsumerRule::Separate {
        orders.note_consumed(message.clone()).await?;
    }
    if message.deliveries > message.lost_acks {
        orders.acknowledge(message).await?;
    }
    Ok(())
}
