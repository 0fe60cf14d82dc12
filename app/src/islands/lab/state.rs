//! What the lab knows: its sandbox, its settings, and everything that was sent.

use leptos::prelude::*;
use model::Ms;
use model::fault::Fault;
use model::retry::{Jitter, Policy};
use model::world::{ClientFact, Fact, LiveFact, merge};
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

/// A request as the browser sends it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) method: &'static str,
    pub(super) path: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Option<String>,
    /// How long the client waits for the answer.
    pub(super) timeout_ms: Option<Ms>,
}

/// A reply as the browser got it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Got {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: String,
}

impl Got {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }
}

/// How a request ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// It has not.
    Open,
    /// With a reply.
    Reply(Got),
    /// The client stopped waiting.
    TimedOut,
    /// The connection ended without a byte.
    Broke,
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

/// Everything, in signals.
#[derive(Clone, Copy)]
pub(super) struct Lab {
    pub(super) session: RwSignal<Option<Session>>,
    pub(super) problem: RwSignal<Option<String>>,
    /// A payment is on its way.
    pub(super) busy: RwSignal<bool>,
    /// What meets the attempts, in the order of their arrival.
    pub(super) faults: RwSignal<Vec<Fault>>,
    pub(super) key_use: RwSignal<KeyUse>,
    /// The sandbox lets requests without a key through.
    pub(super) keyless: RwSignal<bool>,
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
}

impl Lab {
    pub(super) fn new() -> Self {
        let policy = Policy::LESSON;
        Self {
            session: RwSignal::new(None),
            problem: RwSignal::new(None),
            busy: RwSignal::new(false),
            faults: RwSignal::new(vec![Fault::LoseReply]),
            key_use: RwSignal::new(KeyUse::Same),
            keyless: RwSignal::new(false),
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
        self.log.with(|log| {
            let attempt_of = |request: &str| {
                log.iter()
                    .rev()
                    .find(|it| it.request_id == request)
                    .and_then(|it| it.attempt)
            };
            self.client.with(|client| {
                self.server
                    .with(|server| merge(client, server, self.ahead_ms.get(), attempt_of))
            })
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
