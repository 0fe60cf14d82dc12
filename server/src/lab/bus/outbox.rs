//! What this server has to tell all servers, until the publisher takes it.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use model::world::LiveFact;
use tokio::sync::{Notify, oneshot};

use crate::id::AccountId;

/// Facts that wait at most. Should the database be that far behind, more are left
/// out, and readers are told that they are missing.
const FACTS: usize = 20_000;
/// Accounts of which it is remembered that facts were left out.
const ACCOUNTS: usize = 2_000;

/// Collects without ever waiting: a charge is not slowed by who watches it.
#[derive(Debug, Default)]
pub struct Outbox {
    waiting: Mutex<Batch>,
    pub(super) bell: Notify,
}

/// What is told in one transaction.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) lots: HashMap<AccountId, Lot>,
    /// Pods that restart.
    pub(super) pods: Vec<(AccountId, u32)>,
    /// Who wants to know when all of this was heard.
    pub(super) asks: Vec<Ask>,
    facts: usize,
}

/// What is to be told of one account.
#[derive(Debug, Default)]
pub(super) struct Lot {
    /// First all that was told before is to be forgotten.
    pub(super) reset: bool,
    /// Oldest first.
    pub(super) lines: Vec<Line>,
}

/// A fact, or how many were left out here.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    Fact(LiveFact),
    LeftOut(u64),
}

/// Somebody waits until this server has heard what it told itself.
#[derive(Debug)]
pub(super) struct Ask {
    pub(super) account: AccountId,
    /// Is sent the id of the account's last fact, if it has one.
    pub(super) heard: oneshot::Sender<Option<u64>>,
}

impl Outbox {
    /// Tells a fact or, without one, that a fact was left out.
    pub(in crate::lab) fn tell(&self, account: &AccountId, fact: Option<LiveFact>) {
        let mut batch = self.lock();
        let fact = fact.filter(|_| batch.facts < FACTS);
        batch.facts += usize::from(fact.is_some());
        batch
            .lot(account)
            .add(fact.map_or(Line::LeftOut(1), Line::Fact));
        drop(batch);
        self.bell.notify_one();
    }

    /// Tells that an account was emptied.
    pub(in crate::lab) fn reset(&self, account: &AccountId) {
        let mut batch = self.lock();
        // What was not told yet is forgotten as well.
        let lot = batch.lots.insert(account.clone(), Lot::default());
        let before = lot.map_or(0, |lot| lot.facts());
        batch.facts -= before;
        batch.lot(account).reset = true;
        drop(batch);
        self.bell.notify_one();
    }

    /// Tells that a pod restarts.
    pub(in crate::lab) fn restart(&self, account: AccountId, pod: u32) {
        self.lock().pods.push((account, pod));
        self.bell.notify_one();
    }

    /// Resolves when this server has heard all that it told so far, to the id of the
    /// account's last fact. `None` when it has none, and when the bus is down.
    pub(in crate::lab) async fn caught_up(&self, account: &AccountId) -> Option<u64> {
        let (heard, last) = oneshot::channel();
        let account = account.clone();
        self.lock().asks.push(Ask { account, heard });
        self.bell.notify_one();
        last.await.ok().flatten()
    }

    /// Takes all that waits.
    pub(super) fn take(&self) -> Batch {
        std::mem::take(&mut self.lock())
    }

    /// A batch came to nothing: what it told is left out.
    pub(super) fn leave_out(&self, batch: Batch) {
        let mut waiting = self.lock();
        let room = ACCOUNTS.saturating_sub(waiting.pods.len());
        waiting.pods.extend(batch.pods.into_iter().take(room));
        for (account, lot) in batch.lots {
            if waiting.lots.len() >= ACCOUNTS && !waiting.lots.contains_key(&account) {
                continue;
            }
            let newer = waiting.lot(&account);
            if newer.reset {
                continue;
            }
            newer.reset = lot.reset;
            let missed = Some(lot.ids()).filter(|missed| *missed > 0);
            let lines = missed
                .map(Line::LeftOut)
                .into_iter()
                .chain(newer.lines.drain(..));
            newer.lines = lines.collect();
        }
        drop(waiting);
        self.bell.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Batch> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Batch {
    fn lot(&mut self, account: &AccountId) -> &mut Lot {
        // Two look-ups, but a new name only where it is new.
        if !self.lots.contains_key(account) {
            self.lots.insert(account.clone(), Lot::default());
        }
        self.lots.entry(account.clone()).or_default()
    }
}

impl Lot {
    fn add(&mut self, line: Line) {
        match (self.lines.last_mut(), line) {
            (Some(Line::LeftOut(before)), Line::LeftOut(more)) => *before += more,
            (_, line) => self.lines.push(line),
        }
    }

    fn facts(&self) -> usize {
        let fact = |line: &&Line| matches!(line, Line::Fact(_));
        self.lines.iter().filter(fact).count()
    }

    /// How many ids it needs.
    pub(super) fn ids(&self) -> u64 {
        self.lines.iter().map(Line::count).sum()
    }
}

impl Line {
    pub(super) const fn count(&self) -> u64 {
        match self {
            Self::Fact(_) => 1,
            Self::LeftOut(count) => *count,
        }
    }
}

#[cfg(test)]
mod tests {
    use model::world::What;

    use super::*;

    fn fact(at: u64) -> LiveFact {
        LiveFact {
            id: 0,
            request: String::from("r"),
            at,
            call: None,
            asked: None,
            what: What::Arrived,
        }
    }

    fn lines(batch: &Batch, account: &AccountId) -> Vec<Result<u64, u64>> {
        let line = |line: &Line| match line {
            Line::Fact(fact) => Ok(fact.at),
            Line::LeftOut(count) => Err(*count),
        };
        batch.lots[account].lines.iter().map(line).collect()
    }

    #[test]
    fn what_is_told_waits_in_order_and_what_is_left_out_is_counted() {
        let (outbox, account) = (Outbox::default(), AccountId::random());
        for fact in [Some(fact(1)), None, None, Some(fact(2))] {
            outbox.tell(&account, fact);
        }
        let batch = outbox.take();
        assert_eq!(lines(&batch, &account), [Ok(1), Err(2), Ok(2)]);
        assert_eq!(batch.lots[&account].ids(), 4);
        assert!(outbox.take().lots.is_empty());
        // Another account fills it, and nobody waits.
        let other = AccountId::random();
        (0..FACTS as u64).for_each(|at| outbox.tell(&other, Some(fact(at))));
        outbox.tell(&account, Some(fact(3)));
        assert_eq!(lines(&outbox.take(), &account), [Err(1)]);
        outbox.tell(&account, Some(fact(4)));
        assert_eq!(lines(&outbox.take(), &account), [Ok(4)]);
    }

    #[test]
    fn a_reset_forgets_what_waits_and_nothing_later() {
        let (outbox, account) = (Outbox::default(), AccountId::random());
        outbox.tell(&account, Some(fact(1)));
        outbox.reset(&account);
        outbox.tell(&account, Some(fact(2)));
        let batch = outbox.take();
        assert!(batch.lots[&account].reset);
        assert_eq!(lines(&batch, &account), [Ok(2)]);
        assert_eq!(batch.facts, 1);
    }

    #[test]
    fn a_batch_that_came_to_nothing_is_left_out_in_its_place() {
        let (outbox, account) = (Outbox::default(), AccountId::random());
        let quiet = AccountId::random();
        outbox.reset(&quiet);
        outbox.restart(quiet.clone(), 1);
        (1..=3).for_each(|at| outbox.tell(&account, Some(fact(at))));
        let lost = outbox.take();
        outbox.tell(&account, Some(fact(4)));
        outbox.leave_out(lost);
        outbox.tell(&account, Some(fact(5)));
        let batch = outbox.take();
        assert_eq!(lines(&batch, &account), [Err(3), Ok(4), Ok(5)]);
        // What is more than a picture is told once more.
        assert!(batch.lots[&quiet].reset && batch.lots[&quiet].lines.is_empty());
        assert_eq!(batch.pods, [(quiet, 1)]);
    }
}
