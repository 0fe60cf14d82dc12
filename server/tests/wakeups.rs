//! `Prefer: wait` and the bells: no ring is missed between a look and the wait after
//! it, in whichever order the tasks run.
//!
//! Of what we share between tasks this is where an order of our own making could
//! lose something for good: the writer's queue is a channel that answers or drops
//! every job, the trace's ring is read under the lock that it is written under, and
//! the heartbeat has nobody who waits for it. A missed ring would leave a client
//! waiting although its answer is there; the look that follows a second later only
//! hides that. So `shuttle` runs the very loop of the driver, without that second
//! look, through the orders in which its tasks can take turns. Tokio's own primitives
//! are not taken apart: they are tested with loom where they come from.

// Helpers outside of test functions fail the test as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(missing_docs)]

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;

use async_trait::async_trait;
use server::charges::settled::{Settled, Watcher};
use server::id::AccountId;
use shuttle::future::{block_on, spawn, yield_now};
use shuttle::sync::Mutex;

/// A key, as far as waiting goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    /// Somebody works on it.
    Running,
    /// Nobody does, and it has no answer.
    Released,
    /// It has its answer.
    Done,
}

/// The store and the bells of one server.
struct Server {
    key: Mutex<Key>,
    settled: Settled,
    account: AccountId,
}

impl Server {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            key: Mutex::new(Key::Running),
            settled: Settled::default(),
            account: AccountId::from(String::from("acct_1")),
        })
    }

    /// Writes, then rings, as the driver does.
    async fn write(&self, key: Key) {
        yield_now().await;
        *self.key.lock().unwrap() = key;
        yield_now().await;
        self.settled.ring(&self.account, "k");
    }

    /// A claim: it takes what is free, and says what it found.
    async fn claim(&self) -> Key {
        yield_now().await;
        let found = {
            let mut key = self.key.lock().unwrap();
            let found = *key;
            if found == Key::Released {
                *key = Key::Running;
            }
            found
        };
        yield_now().await;
        found
    }

    /// Waits for the answer, and makes it when nobody else does any more.
    async fn wait(self: &Arc<Self>) {
        let mut client = Client(self.clone());
        let found = self.settled.watch(&self.account, "k", &mut client).await;
        if found.unwrap() == Key::Released {
            self.write(Key::Done).await;
        }
    }

    /// The mistake: to listen only when the look is over.
    async fn wait_deaf(&self) {
        while self.claim().await == Key::Running {
            yield_now().await;
            let mut rung = pin!(self.settled.next(&self.account, "k"));
            rung.as_mut().enable();
            rung.await;
        }
    }
}

/// A client that has nothing but the bell.
struct Client(Arc<Server>);

#[async_trait]
impl Watcher for Client {
    type Found = Key;
    type Error = Infallible;

    async fn look(&mut self) -> Result<Key, Infallible> {
        Ok(self.0.claim().await)
    }

    fn waits(&mut self, found: &Key) -> bool {
        *found == Key::Running
    }

    async fn pause(&mut self) -> bool {
        std::future::pending().await
    }
}

fn owner(server: &Arc<Server>, writes: Key) -> shuttle::future::JoinHandle<()> {
    let server = server.clone();
    spawn(async move { server.write(writes).await })
}

/// A client that is never woken ends the run: shuttle calls it a deadlock.
fn clients(count: usize, writes: Key) {
    let server = Server::new();
    let owner = owner(&server, writes);
    let waiting: Vec<_> = (0..count)
        .map(|_| {
            let server = server.clone();
            spawn(async move { server.wait().await })
        })
        .collect();
    block_on(async {
        owner.await.unwrap();
        for client in waiting {
            client.await.unwrap();
        }
    });
    assert_eq!(*server.key.lock().unwrap(), Key::Done);
}

#[test]
fn one_client_is_woken_in_every_order() {
    // Depth first through all of them: this ends only when there is no other.
    shuttle::check_dfs(|| clients(1, Key::Done), None);
}

#[test]
fn one_client_takes_over_in_every_order() {
    shuttle::check_dfs(|| clients(1, Key::Released), None);
}

#[test]
fn three_clients_are_woken_and_one_takes_over() {
    shuttle::check_random(|| clients(3, Key::Released), 3_000);
    shuttle::check_pct(|| clients(3, Key::Released), 3_000, 3);
    shuttle::check_random(|| clients(3, Key::Done), 3_000);
}

#[test]
#[should_panic(expected = "deadlock")]
fn whoever_listens_too_late_is_found() {
    shuttle::check_dfs(
        || {
            let server = Server::new();
            let owner = owner(&server, Key::Done);
            block_on(async {
                server.wait_deaf().await;
                owner.await.unwrap();
            });
        },
        None,
    );
}
