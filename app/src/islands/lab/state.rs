//! What the lab knows: its sandbox, its settings, and everything that was sent.

use super::leap::{Leap, leap};
use super::settings::Settings;
pub(super) use crate::islands::http::{Asked, End, Got};
use leptos::prelude::*;
use model::Ms;
use model::fault::Fault;
use model::retry::{Jitter, Policy};
use model::world::{ClientFact, Fact, LiveFact, What, merge};
use serde::Deserialize;

/// The sandbox that the lab plays in.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Session {
    pub(super) account: String,
    pub(super) token: String,
}

/// Which key the app sends with its attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyUse {
    Same,
    None,
    NewEachTime,
}

/// A request and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Exchange {
    /// Which attempt of the payment, if it is one.
    pub(super) attempt: Option<u32>,
    /// The request id that it carries.
    pub(super) request_id: String,
    pub(super) asked: Asked,
    pub(super) end: End,
    /// When it was sent and when it ended, in ms since the Unix epoch.
    pub(super) sent: Ms,
    pub(super) ended: Option<Ms>,
}

/// A key record as the service shows it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct KeyRecord {
    pub(super) key: String,
    pub(super) state: String,
    pub(super) token: u32,
    pub(super) lease_left_ms: Option<Ms>,
    pub(super) status: Option<u16>,
    pub(super) charge: Option<String>,
    pub(super) fingerprint: String,
}

/// A line of the processor's ledger as the service shows it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct LedgerRecord {
    pub(super) id: String,
    pub(super) amount: u64,
    pub(super) currency: model::money::Currency,
    pub(super) processor_key: Option<String>,
}

/// The settlement as the service shows it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Settlement {
    pub(super) clean: bool,
    pub(super) totals: SettlementTotals,
    pub(super) payments: Vec<SettlementLine>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct SettlementTotals {
    pub(super) intended: usize,
    pub(super) taken: usize,
    pub(super) declined: usize,
    pub(super) pending: usize,
    pub(super) duplicates: usize,
    pub(super) missing: usize,
    pub(super) orphaned: usize,
}

/// One payment of the settlement.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct SettlementLine {
    pub(super) intent: String,
    pub(super) amount: Option<u64>,
    pub(super) currency: Option<model::money::Currency>,
    pub(super) verdict: String,
    pub(super) told_status: Option<u16>,
    pub(super) taken: Vec<String>,
}

/// Everything, in signals.
#[derive(Clone, Copy)]
pub(super) struct Lab {
    pub(super) session: RwSignal<Option<Session>>,
    pub(super) problem: RwSignal<Option<String>>,
    /// A payment is on its way.
    pub(super) busy: RwSignal<bool>,
    /// The records are about to be read again.
    pub(super) stale: RwSignal<bool>,
    /// What meets the attempts, in the order of their arrival.
    pub(super) faults: RwSignal<Vec<Fault>>,
    pub(super) key_use: RwSignal<KeyUse>,
    /// What the sandbox is set to.
    pub(super) settings: RwSignal<Settings>,
    /// Changes of it that have not been answered.
    pub(super) changes: RwSignal<u32>,
    /// One of them is on its way.
    pub(super) changing: RwSignal<bool>,
    /// The pod that the next requests ask for, if they ask for one.
    pub(super) pod: RwSignal<Option<u32>>,
    /// The second account pays.
    pub(super) second: RwSignal<bool>,
    /// Both accounts have had their turn with the payment that is shown.
    pub(super) both: RwSignal<bool>,
    /// The first request of that payment was the second account's.
    pub(super) second_began: RwSignal<bool>,
    /// Taps of Pay whose attempts are not over.
    pub(super) running: RwSignal<u64>,
    /// How far the sandbox's clock was moved in all, once it is known.
    pub(super) sandbox_ahead_ms: RwSignal<Option<Ms>>,
    /// When this page moved it, and by how much.
    pub(super) leaps: RwSignal<Vec<Leap>>,
    pub(super) attempts: RwSignal<u32>,
    pub(super) timeout_ms: RwSignal<Ms>,
    pub(super) base_ms: RwSignal<Ms>,
    pub(super) jitter: RwSignal<Jitter>,
    /// In minor units.
    pub(super) amount: RwSignal<u64>,
    /// What the waits of the payment that is shown were drawn with.
    pub(super) seed: RwSignal<u64>,
    /// The payment that is shown: presses of Pay count up.
    pub(super) intent: RwSignal<u32>,
    /// The key of that payment.
    pub(super) key: RwSignal<String>,
    /// What the client has seen of it.
    pub(super) client: RwSignal<Vec<ClientFact>>,
    /// What the server has said since the page was opened.
    pub(super) server: RwSignal<Vec<LiveFact>>,
    /// How far the server's clock is ahead, in ms.
    pub(super) ahead_ms: RwSignal<i64>,
    /// Every request that this page has sent, the newest last.
    pub(super) log: RwSignal<Vec<Exchange>>,
    pub(super) keys: RwSignal<Vec<KeyRecord>>,
    pub(super) ledger: RwSignal<Vec<LedgerRecord>>,
    pub(super) settlement: RwSignal<Option<Settlement>>,
}

impl Lab {
    pub(super) fn new() -> Self {
        let policy = Policy::LESSON;
        Self {
            session: RwSignal::new(None),
            problem: RwSignal::new(None),
            busy: RwSignal::new(false),
            stale: RwSignal::new(false),
            faults: RwSignal::new(vec![Fault::LoseReply]),
            key_use: RwSignal::new(KeyUse::Same),
            settings: RwSignal::new(Settings::SAFE),
            changes: RwSignal::new(0),
            changing: RwSignal::new(false),
            pod: RwSignal::new(None),
            second: RwSignal::new(false),
            both: RwSignal::new(false),
            second_began: RwSignal::new(false),
            running: RwSignal::new(0),
            sandbox_ahead_ms: RwSignal::new(None),
            leaps: RwSignal::new(Vec::new()),
            attempts: RwSignal::new(policy.attempts),
            timeout_ms: RwSignal::new(policy.timeout_ms),
            base_ms: RwSignal::new(policy.base_ms),
            jitter: RwSignal::new(policy.jitter),
            amount: RwSignal::new(4000),
            seed: RwSignal::new(1),
            intent: RwSignal::new(0),
            key: RwSignal::new(String::new()),
            client: RwSignal::new(Vec::new()),
            server: RwSignal::new(Vec::new()),
            ahead_ms: RwSignal::new(0),
            log: RwSignal::new(Vec::new()),
            keys: RwSignal::new(Vec::new()),
            ledger: RwSignal::new(Vec::new()),
            settlement: RwSignal::new(None),
        }
    }

    /// The policy that the app retries by.
    pub(super) fn policy(&self) -> Policy {
        Policy {
            attempts: self.attempts.get(),
            base_ms: self.base_ms.get(),
            cap_ms: Policy::LESSON.cap_ms.max(self.base_ms.get()),
            jitter: self.jitter.get(),
            timeout_ms: self.timeout_ms.get(),
            ..Policy::LESSON
        }
    }

    /// What both witnesses say of the payment that is shown.
    pub(super) fn facts(&self) -> Vec<Fact> {
        let ahead_ms = self.ahead_ms.get();
        let mut known: Vec<(String, u32)> = self.log.with(|log| {
            let own = |it: &Exchange| Some((it.request_id.clone(), it.attempt?));
            log.iter().filter_map(own).collect()
        });
        let mut client = self.client.get();
        self.server.with(|server| {
            let mut key = self.key.get();
            // Nothing was paid on this page yet, or it was reloaded: what the
            // sandbox saw last is shown.
            if client.is_empty() {
                let asked = server.iter().rev().find_map(|it| it.asked.as_ref());
                key = asked.and_then(|it| it.key.clone()).unwrap_or_default();
            }
            guests(&key, ahead_ms, server, &mut known, &mut client);
            let mut facts = merge(&client, server, ahead_ms, |request| {
                let this = known.iter().find(|(id, _)| id == request);
                this.map(|(_, attempt)| *attempt)
            });
            let start = client.first().map_or(0, |first| first.at);
            self.leaps.with(|leaps| leap(&mut facts, start, leaps));
            facts
        })
    }

    /// The exchanges of the payment that is shown.
    pub(super) fn exchanges(&self) -> Vec<Exchange> {
        self.log.with(|log| {
            log.iter()
                .filter(|it| it.attempt.is_some())
                .cloned()
                .collect()
        })
    }
}

/// Adds the attempts that somebody else made at the payment that is shown, with its
/// key: from a shell, or from another tab. What such a client heard is not known;
/// it is taken to have heard what was written to it.
fn guests(
    key: &str,
    ahead_ms: i64,
    server: &[LiveFact],
    known: &mut Vec<(String, u32)>,
    client: &mut Vec<ClientFact>,
) {
    let start = client.first().map_or(0, |first| first.at);
    let own = known.len();
    for fact in server {
        let at = fact.at.saturating_add_signed(-ahead_ms);
        if at < start {
            continue;
        }
        let place = known.iter().position(|(id, _)| *id == fact.request);
        let what = match (place, &fact.asked, &fact.what) {
            (None, Some(asked), _) if asked.key.as_deref() == Some(key) => {
                let attempt = known.iter().map(|(_, it)| *it).max().unwrap_or(0) + 1;
                known.push((fact.request.clone(), attempt));
                What::Sent {
                    intent: 1,
                    key: asked.key.clone(),
                    amount: asked.amount,
                    currency: asked.currency,
                }
            }
            (Some(place), _, What::Replied(answered))
                if place >= own && !is_lost(server, &fact.request) =>
            {
                What::Received(answered.clone())
            }
            _ => continue,
        };
        let attempt = known.iter().find(|(id, _)| *id == fact.request);
        let attempt = attempt.map_or(0, |(_, attempt)| *attempt);
        client.push(ClientFact { at, attempt, what });
    }
    client.sort_by_key(|fact| fact.at);
}

fn is_lost(server: &[LiveFact], request: &str) -> bool {
    let lost = |it: &LiveFact| it.request == request && it.what == What::ReplyLost;
    server.iter().any(lost)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::money::Currency;
    use model::world::{Answered, Asked as Order, Frame};

    fn told(id: u64, request: &str, at: Ms, key: &str, what: What) -> LiveFact {
        let asked = matches!(what, What::Arrived).then(|| Order {
            key: Some(key.to_owned()),
            amount: 4000,
            currency: Currency::Usd,
        });
        LiveFact {
            id,
            request: request.to_owned(),
            at,
            call: None,
            asked,
            what,
        }
    }

    #[test]
    fn an_attempt_from_a_shell_joins_the_payment_whose_key_it_carries() {
        let sent = What::Sent {
            intent: 1,
            key: Some("k".to_owned()),
            amount: 4000,
            currency: Currency::Usd,
        };
        let mut client = vec![ClientFact {
            at: 1000,
            attempt: 1,
            what: sent,
        }];
        let paid = Answered {
            status: 201,
            charge: Some("ch_1".to_owned()),
            replayed: true,
            retry_after_s: None,
        };
        let server = [
            told(1, "mine", 1001, "k", What::Arrived),
            told(2, "shell", 1500, "k", What::Arrived),
            told(3, "shell", 1510, "k", What::Replied(paid)),
            told(4, "stranger", 1600, "other", What::Arrived),
        ];
        let mut known = vec![("mine".to_owned(), 1)];
        guests("k", 0, &server, &mut known, &mut client);
        assert_eq!(known, [("mine".to_owned(), 1), ("shell".to_owned(), 2)]);
        let facts = merge(&client, &server, 0, |request| {
            let this = known.iter().find(|(id, _)| id == request);
            this.map(|(_, attempt)| *attempt)
        });
        let frame = Frame::after(&facts);
        assert_eq!((frame.intended, frame.attempts), (1, 2));
        assert_eq!(frame.belief, model::world::Belief::Paid("ch_1".to_owned()));
    }
}
