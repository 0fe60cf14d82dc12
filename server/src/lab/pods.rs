//! The pods of a sandbox: servers that the lab pretends to have several of.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

use crate::id::AccountId;

/// Which pod takes the next request, and what runs on each.
#[derive(Debug, Default)]
pub struct Pods(Mutex<HashMap<AccountId, Turn>>);

#[derive(Debug, Default)]
struct Turn {
    next: u32,
    lives: HashMap<u32, CancellationToken>,
}

/// A request's place on a pod.
#[derive(Clone, Debug)]
pub struct Place {
    /// The pod, counted from 1.
    pub pod: u32,
    /// Cancelled when the pod restarts.
    pub life: CancellationToken,
}

impl Pods {
    /// Gives a request its pod: the one that it asks for, or each in turn.
    #[must_use]
    pub fn enter(&self, account: &AccountId, pods: u32, wanted: Option<u32>) -> Place {
        let mut turns = self.lock();
        let turn = turns.entry(account.clone()).or_default();
        let pod = wanted
            .filter(|pod| (1..=pods).contains(pod))
            .unwrap_or_else(|| {
                turn.next = turn.next % pods.max(1) + 1;
                turn.next
            });
        let life = turn.lives.entry(pod).or_default().clone();
        Place { pod, life }
    }

    /// Ends everything that runs on a pod.
    pub fn restart(&self, account: &AccountId, pod: u32) {
        let mut turns = self.lock();
        if let Some(life) = turns
            .get_mut(account)
            .and_then(|turn| turn.lives.remove(&pod))
        {
            life.cancel();
        }
    }

    /// Forgets a sandbox that is gone.
    pub fn forget(&self, account: &AccountId) {
        self.lock().remove(account);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AccountId, Turn>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pods_take_turns_and_a_restart_ends_one() {
        let (pods, account) = (Pods::default(), AccountId::random());
        let turns: Vec<_> = (0..4).map(|_| pods.enter(&account, 2, None)).collect();
        assert_eq!(
            turns.iter().map(|place| place.pod).collect::<Vec<_>>(),
            [1, 2, 1, 2]
        );
        assert_eq!(pods.enter(&account, 2, Some(2)).pod, 2);
        assert_eq!(pods.enter(&account, 2, Some(9)).pod, 1);
        pods.restart(&account, 1);
        assert!(turns[0].life.is_cancelled() && !turns[1].life.is_cancelled());
        assert!(!pods.enter(&account, 2, Some(1)).life.is_cancelled());
    }
}
