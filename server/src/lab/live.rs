//! Live traces: the facts of each account, kept in a ring for whoever reads them.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use model::Ms;
use model::world::{Asked, Call, LiveFact, What};
use tokio::sync::watch;

use crate::clock;
use crate::id::{AccountId, RequestId};

/// Facts kept for one account.
const RING: usize = 1000;
/// Accounts whose facts are kept. The one that was quiet for longest goes first.
const ACCOUNTS: usize = 2000;

/// The live traces of all accounts.
#[derive(Debug, Default)]
pub struct Live {
    channels: Mutex<HashMap<AccountId, Arc<Channel>>>,
}

/// The live trace of one account.
#[derive(Debug)]
pub struct Channel {
    ring: Mutex<Ring>,
    last: watch::Sender<u64>,
}

#[derive(Debug)]
struct Ring {
    /// The id of the last fact. It starts at the time in microseconds, so that ids
    /// still rise when the server was started again.
    last: u64,
    facts: VecDeque<LiveFact>,
    touched: Ms,
}

/// What a reader has not seen yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct News {
    /// How many facts are no longer kept.
    pub dropped: u64,
    /// The facts, oldest first.
    pub facts: Vec<LiveFact>,
}

impl Live {
    /// The channel of an account.
    #[must_use]
    pub fn channel(&self, account: &AccountId) -> Arc<Channel> {
        let mut channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(channel) = channels.get(account) {
            return channel.clone();
        }
        if channels.len() >= ACCOUNTS {
            let quietest = channels
                .iter()
                .filter(|(_, channel)| Arc::strong_count(channel) == 1)
                .min_by_key(|(_, channel)| channel.lock().touched)
                .map(|(account, _)| account.clone());
            if let Some(account) = quietest {
                channels.remove(&account);
            }
        }
        let channel = Arc::new(Channel::new(clock::now().saturating_mul(1000)));
        channels.insert(account.clone(), channel.clone());
        channel
    }
}

impl Channel {
    fn new(last: u64) -> Self {
        Self {
            ring: Mutex::new(Ring {
                last,
                facts: VecDeque::new(),
                touched: clock::now(),
            }),
            last: watch::Sender::new(last),
        }
    }

    fn publish(&self, fact: impl FnOnce(u64) -> LiveFact) {
        let mut ring = self.lock();
        ring.last += 1;
        let fact = fact(ring.last);
        if ring.facts.len() == RING {
            ring.facts.pop_front();
        }
        ring.facts.push_back(fact);
        ring.touched = clock::now();
        // Under the lock, so that readers never see the number go back.
        self.last.send_replace(ring.last);
    }

    /// The id of the last fact.
    #[must_use]
    pub fn last(&self) -> u64 {
        self.lock().last
    }

    /// The facts after this id. Without one, all that are kept.
    #[must_use]
    pub fn after(&self, id: Option<u64>) -> News {
        let ring = self.lock();
        let first = ring.facts.front().map_or(ring.last + 1, |fact| fact.id);
        let from = id.map_or(first, |id| id.saturating_add(1));
        News {
            dropped: first.saturating_sub(from),
            facts: ring
                .facts
                .iter()
                .filter(|fact| fact.id >= from)
                .cloned()
                .collect(),
        }
    }

    /// Forgets all facts. Ids go on.
    pub fn clear(&self) {
        self.lock().facts.clear();
    }

    /// Tells when there is something new.
    #[must_use]
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.last.subscribe()
    }

    /// How many read at the moment.
    #[must_use]
    pub fn readers(&self) -> usize {
        self.last.receiver_count()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Ring> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes down the facts of one attempt.
#[derive(Clone, Debug)]
pub struct Scribe {
    channel: Option<Arc<Channel>>,
    request: RequestId,
}

impl Scribe {
    /// A scribe for an attempt.
    #[must_use]
    pub const fn new(channel: Arc<Channel>, request: RequestId) -> Self {
        Self {
            channel: Some(channel),
            request,
        }
    }

    /// A scribe that writes nothing down. Refunds have one: the facts of a trace
    /// tell of charges only.
    #[must_use]
    pub const fn silent(request: RequestId) -> Self {
        Self {
            channel: None,
            request,
        }
    }

    /// The request that it writes about.
    #[must_use]
    pub const fn request(&self) -> &RequestId {
        &self.request
    }

    /// Something happened just now.
    pub fn tell(&self, what: What) {
        self.write(clock::now(), None, None, what);
    }

    /// The first fact of an attempt, with what it asked for.
    pub fn begin(&self, asked: Option<Asked>, what: What) {
        self.write(clock::now(), None, asked, what);
    }

    /// A call took effect.
    pub fn call(&self, at: Ms, call: Call, what: What) {
        self.write(at, Some(call), None, what);
    }

    fn write(&self, at: Ms, call: Option<Call>, asked: Option<Asked>, what: What) {
        let Some(channel) = &self.channel else {
            return;
        };
        let request = self.request.as_str().to_owned();
        channel.publish(|id| LiveFact {
            id,
            request,
            at,
            call,
            asked,
            what,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(facts: u64) -> Channel {
        let channel = Channel::new(0);
        for at in 1..=facts {
            channel.publish(|id| LiveFact {
                id,
                request: String::from("r"),
                at,
                call: None,
                asked: None,
                what: What::Arrived,
            });
        }
        channel
    }

    #[test]
    fn a_reader_carries_on_where_it_was() {
        let channel = filled(5);
        let ids = |after| -> Vec<u64> {
            channel
                .after(after)
                .facts
                .iter()
                .map(|fact| fact.id)
                .collect()
        };
        assert_eq!(ids(None), [1, 2, 3, 4, 5]);
        assert_eq!(ids(Some(3)), [4, 5]);
        assert_eq!(channel.after(Some(5)), News::default());
        assert_eq!(channel.after(Some(0)).dropped, 0);
    }

    #[test]
    fn what_the_ring_dropped_is_counted() {
        let channel = filled(RING as u64 + 10);
        let news = channel.after(Some(4));
        assert_eq!(news.dropped, 6);
        assert_eq!(news.facts.len(), RING);
        assert_eq!(channel.after(None).dropped, 0);
        channel.clear();
        assert_eq!(channel.after(Some(1000)).dropped, 10);
    }

    #[test]
    fn quiet_accounts_make_room() {
        let live = Live::default();
        let held = live.channel(&AccountId::random());
        for _ in 0..ACCOUNTS + 50 {
            let _ = live.channel(&AccountId::random());
        }
        assert_eq!(live.channels.lock().unwrap().len(), ACCOUNTS);
        assert_eq!(Arc::strong_count(&held), 2, "one that is in use stays");
    }
}
