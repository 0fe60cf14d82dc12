//! Drives an [`Attempt`] against the real store and the real processor.
//!
//! Each attempt runs in a task of its own: a client that hangs up never stops it
//! half-way. Every command that is carried out becomes a fact of the live trace.

mod claims;
mod commands;

use std::sync::Arc;
use std::time::Duration;

use model::Ms;
use model::fault::Fault;
use model::protocol::{Attempt, Command, Fingerprint, Outcome, ProtocolError, Reply};
use model::world::{Call, What};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use super::heartbeat::Heartbeat;
use super::order::Work;
use super::processor::Processor;
use super::reply::{FULL, UNAVAILABLE, answered};
use super::scoped_key::ScopedKey;
use super::settled::Settled;
use super::store::{Made, ReleaseKey, Store, StoreError};
use crate::clock;
use crate::id::{AccountId, ChargeId};
use crate::lab::live::Scribe;
use crate::lab::settings::Settings;
use crate::metrics::Metrics;
use crate::shutdown::Shutdown;

/// Runs attempts.
#[derive(Clone)]
pub struct Driver {
    store: Arc<dyn Store>,
    processor: Processor,
    settled: Arc<Settled>,
    metrics: Arc<Metrics>,
}

/// A request that passed the front of the precedence table.
pub struct Job {
    /// Whose it is.
    pub account: AccountId,
    /// The settings of the sandbox.
    pub settings: Settings,
    /// The key, if it came with one.
    pub key: Option<ScopedKey>,
    /// The request.
    pub fingerprint: Fingerprint,
    /// What is to be done.
    pub work: Work,
    /// What goes wrong.
    pub fault: Fault,
    /// Writes down what happens.
    pub scribe: Scribe,
    /// How long the client wants to wait for the answer of a running attempt.
    pub wait: Option<Duration>,
    /// There is room for a new key.
    pub room: bool,
    /// The payment that the client meant, where it said so.
    pub intent: Option<String>,
    /// The generation of a new key: 0, but later ones for temporary keys.
    pub generation: u32,
    /// Cancelled when the pod restarts that it runs on.
    pub life: CancellationToken,
}

/// How an attempt ended. A crashed one ends without a word.
#[derive(Debug)]
pub enum Ending {
    /// With a reply and, where it speaks of a charge or a refund, that.
    Reply {
        /// The reply.
        reply: Reply<ChargeId>,
        /// What it speaks of.
        made: Option<Made>,
        /// It waited for the answer of another attempt.
        waited: bool,
    },
    /// The store failed. What was claimed stays claimed until its lease is over.
    Unavailable,
    /// The key is new, and the sandbox has no room for it. Nothing was done.
    Full,
}

/// Why an attempt stops where it stands.
#[derive(Debug, thiserror::Error)]
enum Stop {
    #[error("crashed, as it was asked to")]
    Crash,
    #[error("the sandbox is full")]
    Full,
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
}

impl Driver {
    /// A driver over a store and a processor.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, processor: Processor, metrics: Arc<Metrics>) -> Self {
        Self {
            store,
            processor,
            settled: Arc::default(),
            metrics,
        }
    }

    /// Wakes those who wait for this key.
    pub fn ring(&self, account: &AccountId, key: &ScopedKey) {
        self.settled.ring(account, key.client());
    }

    /// The bells of those who wait.
    #[must_use]
    pub fn settled(&self) -> Arc<Settled> {
        self.settled.clone()
    }

    /// Starts an attempt. Its ending comes through the channel, and whether
    /// somebody still listens there makes no difference to the work.
    pub fn start(&self, shutdown: &Shutdown, job: Job) -> oneshot::Receiver<Ending> {
        let (client, ending) = oneshot::channel();
        let running = Running {
            driver: self.clone(),
            job,
            made: None,
            heartbeat: None,
            generation: 0,
            word: "created",
            waited: false,
            shutdown: shutdown.clone(),
        };
        shutdown.spawn_attempt(running.run(client).instrument(tracing::Span::current()));
        ending
    }
}

struct Running {
    driver: Driver,
    job: Job,
    /// What this attempt made.
    made: Option<Made>,
    heartbeat: Option<Heartbeat>,
    /// How often the key was taken for a new one when it had expired.
    generation: u32,
    /// The outcome in one word, for the log.
    word: &'static str,
    /// It waited for another attempt.
    waited: bool,
    shutdown: Shutdown,
}

/// Between two looks at a key that somebody else works on, perhaps on another
/// server, whose bell does not ring here.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// Between the look-up and the insert of the unsafe form.
const BETWEEN: Duration = Duration::from_millis(40);

impl Running {
    async fn run(mut self, mut client: oneshot::Sender<Ending>) {
        let life = self.job.life.clone();
        let worked = tokio::select! {
            worked = self.work(&mut client) => worked,
            // What was already handed to the store is written all the same, as it is
            // when a process dies.
            () = life.cancelled() => Err(Stop::Crash),
        };
        let ending = match worked {
            Ok(ending) => ending,
            Err(Stop::Full) => {
                self.word = "full";
                Ending::Full
            }
            Err(Stop::Crash) => {
                tracing::info!(outcome = "crashed", "attempt");
                self.driver.metrics.request("crashed");
                return self.job.scribe.tell(What::Crashed);
            }
            Err(stop) => {
                tracing::error!(error = %stop, "the attempt stopped; its lease stays behind");
                self.word = "unavailable";
                Ending::Unavailable
            }
        };
        let answered = match &ending {
            Ending::Reply { reply, .. } => answered(reply),
            Ending::Unavailable => UNAVAILABLE,
            Ending::Full => FULL,
        };
        self.driver.metrics.request(self.word);
        tracing::info!(outcome = self.word, status = answered.status, "attempt");
        // The facts first: who has the reply also finds them.
        let scribe = &self.job.scribe;
        if client.is_closed() {
            scribe.tell(What::Unheard(answered));
            return;
        }
        scribe.tell(What::Replied(answered));
        if self.job.fault == Fault::LoseReply {
            scribe.tell(What::ReplyLost);
        }
        let _ = client.send(ending);
    }

    async fn work(&mut self, client: &mut oneshot::Sender<Ending>) -> Result<Ending, Stop> {
        let mut attempt = Attempt::new(self.job.key.is_some(), &self.job.settings.design);
        while let Some(command) = attempt.command() {
            let outcome = match command {
                Command::LookUp => self.look_up().await?,
                Command::Insert => self.insert().await?,
                Command::Claim => self.claim_or_wait(client).await?,
                Command::Charge { keyed } => self.charge(keyed, attempt.token()).await?,
                Command::Complete { token, answer } => self.complete(token, answer).await?,
                Command::Release { token, point } => {
                    self.heartbeat = None;
                    let (account, key) = self.owner()?;
                    let sent = clock::now();
                    let ask = ReleaseKey {
                        account,
                        key: key.clone(),
                        token,
                        point,
                    };
                    let outcome = self.driver.store.release(ask).await?;
                    self.ring();
                    if outcome == Outcome::Written {
                        self.word = "released";
                        self.driver.metrics.released();
                        self.tell_call(
                            sent,
                            What::Released {
                                key: key.client().to_owned(),
                            },
                        );
                    }
                    outcome
                }
                Command::Reply(reply) => return self.reply(reply).await,
            };
            if let Outcome::Fenced(saved) = &outcome {
                self.word = if saved.is_some() {
                    "replayed"
                } else {
                    "in_progress"
                };
            }
            attempt.feed(outcome)?;
        }
        // An attempt ends with its reply, and that returned.
        Err(Stop::Protocol(ProtocolError))
    }

    /// The account and the key of an attempt that has one.
    fn owner(&self) -> Result<(AccountId, ScopedKey), Stop> {
        let key = self.job.key.clone().ok_or(ProtocolError)?;
        Ok((self.job.account.clone(), key))
    }

    fn tell_call(&self, sent: Ms, what: What) {
        let back = clock::now();
        self.job.scribe.call(back, Call { sent, back }, what);
    }

    /// Wakes who waits for this key.
    fn ring(&self) {
        if let Some(key) = &self.job.key {
            self.driver.ring(&self.job.account, key);
        }
    }
}
