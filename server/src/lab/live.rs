//! Live traces: the facts of each account, kept in a ring for whoever reads them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use model::Ms;
use model::world::{Asked, Call, LiveFact, What};
use tokio::sync::watch;

use super::bus::Outbox;
use super::ring::{News, Place, RING, Ring};
use crate::clock;
use crate::id::{AccountId, RequestId};

/// Accounts whose facts are kept. The one that was quiet for longest goes first.
const ACCOUNTS: usize = 2000;
/// Facts of one account that are told to other servers in a second.
const A_SECOND: usize = RING;
/// How long a new reader may have to wait for what was told before it came.
const CATCH_UP: Duration = Duration::from_millis(500);

/// The live traces of all accounts.
///
/// A server alone writes the facts into its rings itself. Where several share a
/// database, each fact goes out over the bus, and every server, its own among them,
/// writes what it hears: all rings then hold the same facts in the same order under
/// the same ids, and a reader can go from one server to another. Facts of one attempt
/// keep their order; those of two servers follow each other as they were told, which
/// may differ by some milliseconds from when they happened.
#[derive(Debug, Default)]
pub struct Live {
    channels: Mutex<HashMap<AccountId, Arc<Channel>>>,
    outbox: Option<Arc<Outbox>>,
}

/// The live trace of one account.
#[derive(Debug)]
pub struct Channel {
    kept: Mutex<Kept>,
    /// Counts the changes.
    changes: watch::Sender<u64>,
    shared: Option<Shared>,
}

/// The way out to all servers.
#[derive(Debug)]
struct Shared {
    outbox: Arc<Outbox>,
    account: AccountId,
}

#[derive(Debug)]
struct Kept {
    ring: Ring,
    touched: Ms,
    /// When the second began in which facts are counted, and how many it has.
    second: (Instant, usize),
}

impl Live {
    /// Live traces that several servers share.
    #[must_use]
    pub fn shared(outbox: Arc<Outbox>) -> Self {
        Self {
            channels: Mutex::default(),
            outbox: Some(outbox),
        }
    }

    /// The channel of an account.
    #[must_use]
    pub fn channel(&self, account: &AccountId) -> Arc<Channel> {
        let mut channels = self.lock();
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
        let channel = Arc::new(match &self.outbox {
            // At the time in microseconds, so that ids still rise when the server
            // was started again.
            None => Channel::new(Some(clock::now().saturating_mul(1000)), None),
            Some(outbox) => Channel::new(
                None,
                Some(Shared {
                    outbox: outbox.clone(),
                    account: account.clone(),
                }),
            ),
        });
        channels.insert(account.clone(), channel.clone());
        channel
    }

    /// The channel for a new reader, once it holds all that this server has told of
    /// the account so far, and the id of the last fact.
    pub async fn join(&self, account: &AccountId) -> (Arc<Channel>, u64) {
        let channel = self.channel(account);
        let mut last = None;
        if let Some(outbox) = &self.outbox {
            // Late is better than never: a reader that comes early misses nothing.
            last = tokio::time::timeout(CATCH_UP, outbox.caught_up(account))
                .await
                .ok()
                .flatten();
        }
        let last = channel.last().max(last).unwrap_or(0);
        (channel, last)
    }

    /// Forgets the facts of an account, on all servers.
    pub async fn clear(&self, account: &AccountId) {
        match &self.outbox {
            None => self.forget(account),
            Some(outbox) => {
                outbox.reset(account);
                let _ = tokio::time::timeout(CATCH_UP, outbox.caught_up(account)).await;
            }
        }
    }

    /// A fact that some server told all.
    pub(super) fn hear(&self, account: &AccountId, fact: LiveFact) {
        self.channel(account).write(|ring| ring.push(fact));
    }

    /// There were facts up to this id, which nobody told.
    pub(super) fn skip_to(&self, account: &AccountId, id: u64) {
        self.channel(account).write(|ring| ring.skip_to(id));
    }

    /// Forgets the facts of an account, on this server.
    pub(super) fn forget(&self, account: &AccountId) {
        // Ids go on: a channel that is there stays.
        let channel = self.lock().get(account).cloned();
        if let Some(channel) = channel {
            channel.write(Ring::clear);
        }
    }

    /// What other servers told may have been missed.
    pub(super) fn interrupt(&self) {
        let channels: Vec<_> = self.lock().values().cloned().collect();
        for channel in channels {
            channel.write(Ring::interrupt);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AccountId, Arc<Channel>>> {
        self.channels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Channel {
    fn new(last: Option<u64>, shared: Option<Shared>) -> Self {
        Self {
            kept: Mutex::new(Kept {
                ring: Ring::new(last),
                touched: clock::now(),
                second: (Instant::now(), 0),
            }),
            changes: watch::Sender::new(0),
            shared,
        }
    }

    /// Takes a fact, which is given its id. It never waits for anybody.
    fn publish(&self, fact: impl FnOnce(u64) -> LiveFact) {
        match &self.shared {
            None => self.write(|ring| ring.push(fact(ring.last().unwrap_or(0) + 1))),
            Some(Shared { outbox, account }) => {
                // The publisher numbers them.
                let fact = self.has_room().then(|| fact(0));
                outbox.tell(account, fact);
            }
        }
    }

    /// Whether one more fact may be told to all servers in this second.
    fn has_room(&self) -> bool {
        let mut kept = self.lock();
        let (since, count) = &mut kept.second;
        if since.elapsed() >= Duration::from_secs(1) {
            (*since, *count) = (Instant::now(), 0);
        }
        *count += 1;
        *count <= A_SECOND
    }

    fn write(&self, change: impl FnOnce(&mut Ring)) {
        let mut kept = self.lock();
        change(&mut kept.ring);
        kept.touched = clock::now();
        // Under the lock, so that readers find what they are woken for.
        self.changes.send_modify(|count| *count += 1);
    }

    /// The id of the last fact, where one is known.
    #[must_use]
    pub fn last(&self) -> Option<u64> {
        self.lock().ring.last()
    }

    /// The place after the fact with this id. Without one, before all that is kept.
    #[must_use]
    pub fn place(&self, seen: Option<u64>) -> Place {
        self.lock().ring.place(seen)
    }

    /// What came after a place, which moves to the end.
    #[must_use]
    pub fn after(&self, place: &mut Place) -> Vec<News> {
        self.lock().ring.after(place)
    }

    /// Tells when there is something new.
    #[must_use]
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// How many read at the moment.
    #[must_use]
    pub fn readers(&self) -> usize {
        self.changes.receiver_count()
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
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
        channel.publish(|id| LiveFact {
            id,
            request: self.request.as_str().to_owned(),
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

    #[test]
    fn quiet_accounts_make_room() {
        let live = Live::default();
        let held = live.channel(&AccountId::random());
        for _ in 0..ACCOUNTS + 50 {
            let _ = live.channel(&AccountId::random());
        }
        assert_eq!(live.lock().len(), ACCOUNTS);
        assert_eq!(Arc::strong_count(&held), 2, "one that is in use stays");
    }

    #[tokio::test]
    async fn what_is_told_wakes_who_reads() {
        let live = Live::default();
        let account = AccountId::random();
        let (channel, last) = live.join(&account).await;
        let (mut watch, mut place) = (channel.watch(), channel.place(None));
        Scribe::new(live.channel(&account), RequestId::random()).tell(What::Arrived);
        assert!(watch.has_changed().unwrap());
        watch.mark_unchanged();
        let news = channel.after(&mut place);
        assert!(matches!(&news[..], [News::Fact(fact)] if fact.id == last + 1));
        live.clear(&account).await;
        assert!(watch.has_changed().unwrap());
        assert_eq!(channel.after(&mut place), []);
        assert_eq!(channel.last(), Some(last + 1));
    }
}
