//! The faults that the next attempts of a sandbox meet.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use model::fault::Fault;

use crate::id::AccountId;

/// The queues of all sandboxes. They live in memory: a restart forgets them.
#[derive(Debug, Default)]
pub struct Faults {
    queues: Mutex<HashMap<AccountId, VecDeque<Fault>>>,
}

/// The queue would grow over its limit.
#[derive(Debug, thiserror::Error)]
#[error("at most {} faults can be queued", Faults::MOST)]
pub struct QueueFull;

impl Faults {
    /// The longest queue of one sandbox.
    pub const MOST: usize = 100;

    /// Adds faults to the end of the queue, all or none.
    ///
    /// # Errors
    /// [`QueueFull`] when they do not all fit.
    pub fn queue(&self, account: &AccountId, faults: &[Fault]) -> Result<(), QueueFull> {
        if faults.is_empty() {
            return Ok(());
        }
        let mut queues = self.lock();
        let queue = queues.entry(account.clone()).or_default();
        if queue.len() + faults.len() > Self::MOST {
            return Err(QueueFull);
        }
        queue.extend(faults);
        Ok(())
    }

    /// Takes the fault of the attempt that arrives now.
    #[must_use]
    pub fn take(&self, account: &AccountId) -> Fault {
        let mut queues = self.lock();
        let Some(queue) = queues.get_mut(account) else {
            return Fault::None;
        };
        let fault = queue.pop_front().unwrap_or_default();
        if queue.is_empty() {
            queues.remove(account);
        }
        fault
    }

    /// What is queued.
    #[must_use]
    pub fn queued(&self, account: &AccountId) -> Vec<Fault> {
        self.lock()
            .get(account)
            .into_iter()
            .flatten()
            .copied()
            .collect()
    }

    /// Empties the queue.
    pub fn clear(&self, account: &AccountId) {
        self.lock().remove(account);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AccountId, VecDeque<Fault>>> {
        // Each change is a single step, so a panic elsewhere leaves no half of one.
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_attempt_takes_the_next_fault() {
        let (faults, account, other) =
            (Faults::default(), AccountId::random(), AccountId::random());
        faults
            .queue(&account, &[Fault::LoseReply, Fault::None, Fault::Declined])
            .unwrap();
        assert_eq!(faults.take(&other), Fault::None);
        assert_eq!(faults.queued(&account).len(), 3);
        assert_eq!(faults.take(&account), Fault::LoseReply);
        assert_eq!(faults.take(&account), Fault::None);
        assert_eq!(faults.take(&account), Fault::Declined);
        assert_eq!(faults.take(&account), Fault::None);
        assert!(faults.lock().is_empty());
    }

    #[test]
    fn the_queue_has_an_end() {
        let (faults, account) = (Faults::default(), AccountId::random());
        faults.queue(&account, &[Fault::None; 99]).unwrap();
        assert!(faults.queue(&account, &[Fault::None; 2]).is_err());
        assert_eq!(faults.queued(&account).len(), 99);
        faults.clear(&account);
        assert!(faults.queued(&account).is_empty());
    }
}
