//! Claiming the key, and waiting for who has it.

use async_trait::async_trait;
use model::Ms;
use model::protocol::{Outcome, ProtocolError, Refusal};
use model::world::{Found, What};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, sleep_until};

use super::{BETWEEN, Ending, Job, LOOK_AGAIN, Running, Stop};
use crate::charges::heartbeat::Heartbeat;
use crate::charges::settled::Watcher;
use crate::charges::store::{ClaimKey, Claimed, RenewLease};
use crate::charges::told;
use crate::clock;
use crate::id::ChargeId;

/// An attempt whose client waits for somebody else's answer.
struct Waiting<'a> {
    running: &'a mut Running,
    client: &'a mut oneshot::Sender<Ending>,
    until: Instant,
}

#[async_trait]
impl Watcher for Waiting<'_> {
    type Found = Outcome<ChargeId>;
    type Error = Stop;

    async fn look(&mut self) -> Result<Outcome<ChargeId>, Stop> {
        self.running.claim().await
    }

    fn waits(&mut self, outcome: &Outcome<ChargeId>) -> bool {
        let running = matches!(outcome, Outcome::Refused(Refusal::InProgress { .. }));
        let waits = running && Instant::now() < self.until;
        self.running.waited |= waits;
        waits
    }

    async fn pause(&mut self) -> bool {
        tokio::select! {
            () = sleep(LOOK_AGAIN) => true,
            () = sleep_until(self.until) => true,
            () = self.client.closed() => false,
            () = self.running.shutdown.begun() => false,
        }
    }
}

impl Running {
    /// Claims the key. When somebody else works on it and the client is willing to
    /// wait, it is claimed again when that attempt ended.
    pub(super) async fn claim_or_wait(
        &mut self,
        client: &mut oneshot::Sender<Ending>,
    ) -> Result<Outcome<ChargeId>, Stop> {
        let Some(wait) = self.job.wait else {
            return self.claim().await;
        };
        let (account, key) = self.owner()?;
        let settled = self.driver.settled.clone();
        let mut waiting = Waiting {
            until: Instant::now() + wait,
            running: self,
            client,
        };
        settled.watch(&account, key.as_str(), &mut waiting).await
    }

    /// What a claim needs.
    fn asked(&self) -> Result<ClaimKey, Stop> {
        let (account, key) = self.owner()?;
        let Job {
            settings,
            fingerprint,
            room,
            intent,
            generation,
            ..
        } = &self.job;
        Ok(ClaimKey {
            account,
            key,
            fingerprint: *fingerprint,
            lease_ms: settings.lease_ms,
            retention_ms: settings.retention_ms,
            tombstone_ms: settings.tombstone_ms,
            design: settings.design,
            sweeps: settings.sweeps(),
            room: *room,
            intent: intent.clone(),
            generation: *generation,
        })
    }

    async fn claim(&mut self) -> Result<Outcome<ChargeId>, Stop> {
        let sent = clock::now();
        let claimed = self.driver.store.claim(self.asked()?).await?;
        self.claimed(sent, claimed)
    }

    /// The first half of the unsafe claim.
    pub(super) async fn look_up(&mut self) -> Result<Outcome<ChargeId>, Stop> {
        let sent = clock::now();
        let outcome = self.driver.store.look_up(&self.asked()?).await?;
        if outcome == Outcome::Absent {
            let (_, key) = self.owner()?;
            let key = key.client().to_owned();
            let found = Found::Nothing;
            self.tell_call(sent, What::Claimed { key, found });
            // Long enough that two requests meet in it without luck.
            sleep(BETWEEN).await;
            return Ok(outcome);
        }
        self.claimed(sent, Claimed::known(outcome))
    }

    /// The second half of the unsafe claim.
    pub(super) async fn insert(&mut self) -> Result<Outcome<ChargeId>, Stop> {
        let sent = clock::now();
        let claimed = self.driver.store.force(self.asked()?).await?;
        self.claimed(sent, claimed)
    }

    /// Takes note of what a claim came to.
    fn claimed(&mut self, sent: Ms, claimed: Claimed) -> Result<Outcome<ChargeId>, Stop> {
        if claimed.full {
            return Err(Stop::Full);
        }
        let (account, key) = self.owner()?;
        let settings = &self.job.settings;
        self.generation = claimed.generation;
        if claimed.takeover {
            self.driver.metrics.takeover();
        }
        let lease_ms = settings.design.lease.then_some(settings.lease_ms);
        let (word, found) = told::found(&claimed, lease_ms).ok_or(ProtocolError)?;
        self.word = word;
        self.tell_call(
            sent,
            What::Claimed {
                key: key.client().to_owned(),
                found,
            },
        );
        if let Outcome::Claimed(claim) = &claimed.outcome
            && settings.design.heartbeat
            && settings.design.lease
        {
            let lease = RenewLease {
                account,
                key,
                token: claim.token,
                lease_ms: settings.lease_ms,
            };
            self.heartbeat = Some(Heartbeat::start(self.driver.store.clone(), lease));
        }
        Ok(claimed.outcome)
    }
}
