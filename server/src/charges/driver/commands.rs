//! What follows a claim: charging, saving, replying.

use model::Ms;
use model::fault::Fault;
use model::protocol::{Answer, Outcome, ProtocolError, Reply, Token};
use model::world::{Call, What};

use super::{Ending, Job, Running, Stop};
use crate::charges::order::Work;
use crate::charges::processor::{About, Verdict};
use crate::charges::store::{CompleteKey, Made, StoreError, Taken};
use crate::charges::told;
use crate::clock;
use crate::id::ChargeId;

impl Running {
    pub(super) async fn charge(
        &mut self,
        keyed: bool,
        token: Option<Token>,
    ) -> Result<Outcome<ChargeId>, Stop> {
        let Job {
            account,
            work,
            fault,
            scribe,
            ..
        } = &self.job;
        if *fault == Fault::CrashBeforeCharge {
            return Err(Stop::Crash);
        }
        let key = self.job.key.as_ref();
        let about = About {
            key: key
                .filter(|_| keyed)
                .and_then(|key| key.processor_key(account, self.generation)),
            reference: key.map_or_else(
                || scribe.request().to_string(),
                |key| key.reference(self.generation),
            ),
            intent: self.job.intent.clone(),
        };
        let keyed = about.key.is_some();
        let sent = clock::now();
        let spoken = self
            .driver
            .processor
            .charge(account, about, work, *fault)
            .await?;
        let at = clock::now();
        // The books are written, so the fact is told now, even though a slow
        // answer is still on its way: `back` is when it will be there.
        let back = at.saturating_add(Ms::try_from(spoken.delay.as_millis()).unwrap_or(0));
        let said = told::said(&spoken.verdict);
        scribe.call(at, Call { sent, back }, What::Charged { keyed, said });
        if *fault == Fault::CrashAfterCharge {
            return Err(Stop::Crash);
        }
        // A sleep of nothing lasts until the next tick of the timer, 1 ms.
        if !spoken.delay.is_zero() {
            tokio::time::sleep(spoken.delay).await;
        }
        let entry = match spoken.verdict {
            Verdict::Final(Taken { entry, .. }) => entry,
            Verdict::Trouble(trouble) => return Ok(Outcome::NotCharged(trouble)),
        };
        if *fault == Fault::CrashBeforeSave {
            return Err(Stop::Crash);
        }
        let made = self.job.work.made(&entry);
        if token.is_none() {
            // With a key this happens together with the key's record.
            self.driver
                .store
                .insert(account.clone(), made.clone())
                .await?;
        }
        self.made = Some(made);
        Ok(Outcome::Charged(Answer {
            paid: entry.paid,
            charge: entry.id,
        }))
    }

    pub(super) async fn complete(
        &mut self,
        token: Token,
        answer: Answer<ChargeId>,
    ) -> Result<Outcome<ChargeId>, Stop> {
        self.heartbeat = None;
        let (account, key) = self.owner()?;
        let made = self.made.clone().ok_or(ProtocolError)?;
        let (status, name, key_name) = (
            answer.status(),
            answer.charge.to_string(),
            key.client().to_owned(),
        );
        let sent = clock::now();
        let ask = CompleteKey {
            account,
            key,
            token,
            answer,
            made,
            fencing: self.job.settings.design.fencing,
        };
        let outcome = self.driver.store.complete(ask).await?;
        self.ring();
        let written = outcome == Outcome::Written;
        self.tell_call(
            sent,
            What::Saved {
                key: key_name,
                status,
                charge: name,
                written,
            },
        );
        Ok(outcome)
    }

    /// Finds what a reply speaks of.
    pub(super) async fn reply(&mut self, reply: Reply<ChargeId>) -> Result<Ending, Stop> {
        let waited = self.waited && !matches!(reply, Reply::Refused(_));
        let end = |reply, made| {
            Ok(Ending::Reply {
                reply,
                made,
                waited,
            })
        };
        let Reply::Final { answer, .. } = &reply else {
            return end(reply, None);
        };
        if let Some(made) = self.made.take_if(|made| *made.id() == answer.charge) {
            return end(reply, Some(made));
        }
        let (store, account) = (&self.driver.store, &self.job.account);
        let id = answer.charge.as_str();
        // The key belongs to this very request, so it saved the same kind of thing.
        let made = match self.job.work {
            Work::Charge(_) => store.charge(account, id).await?.map(Made::Charge),
            Work::Refund(_) => store.refund(account, id).await?.map(Made::Refund),
        };
        let made = made.ok_or(StoreError::Corrupt("charge"))?;
        end(reply, Some(made))
    }
}
