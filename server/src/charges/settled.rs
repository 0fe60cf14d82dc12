//! Wakes those who wait for somebody else's answer.

use std::hash::{BuildHasher, RandomState};
use std::pin::pin;

use async_trait::async_trait;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

use crate::id::AccountId;

/// Bells. Many keys share one: who is woken looks whether it was for him.
const BELLS: usize = 64;

/// Rings when an attempt of this server saves an answer or gives its key back.
#[derive(Debug)]
pub struct Settled {
    hasher: RandomState,
    bells: [Notify; BELLS],
}

/// Who looks at a key until it is settled.
#[async_trait]
pub trait Watcher: Send {
    /// What a look finds.
    type Found: Send;
    /// Why a look fails.
    type Error: Send;
    /// Looks.
    async fn look(&mut self) -> Result<Self::Found, Self::Error>;
    /// Whether there is something to wait for.
    fn waits(&mut self, found: &Self::Found) -> bool;
    /// Runs between two looks: true ends the wait with another look, false for good.
    async fn pause(&mut self) -> bool;
}

impl Default for Settled {
    fn default() -> Self {
        Self {
            hasher: RandomState::new(),
            bells: std::array::from_fn(|_| Notify::new()),
        }
    }
}

impl Settled {
    /// Wakes all who wait for this key.
    pub fn ring(&self, account: &AccountId, key: &str) {
        self.bell(account, key).notify_waiters();
    }

    /// Resolves at the next ring for this key. It counts from when it is enabled.
    pub fn next(&self, account: &AccountId, key: &str) -> Notified<'_> {
        self.bell(account, key).notified()
    }

    /// Looks at a key, and looks again at each ring, for as long as the watcher waits.
    ///
    /// # Errors
    /// The error of a look.
    pub async fn watch<W: Watcher>(
        &self,
        account: &AccountId,
        key: &str,
        watcher: &mut W,
    ) -> Result<W::Found, W::Error> {
        loop {
            // Before the look: what ends between the look and the wait rings too.
            let mut rung = pin!(self.next(account, key));
            rung.as_mut().enable();
            let found = watcher.look().await?;
            if !watcher.waits(&found) {
                return Ok(found);
            }
            tokio::select! {
                biased;
                () = rung => {}
                again = watcher.pause() => if !again {
                    return Ok(found);
                }
            }
        }
    }

    fn bell(&self, account: &AccountId, key: &str) -> &Notify {
        let at = self.hasher.hash_one((account.as_str(), key)) % BELLS as u64;
        // The remainder is always in range.
        self.bells.get(at as usize).unwrap_or(&self.bells[0])
    }
}
