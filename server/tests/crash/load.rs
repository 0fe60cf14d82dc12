//! Clients that pay, and take money back, while servers and databases die.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;
use tokio::sync::watch;

use crate::common::Sandbox;
use crate::fleet::Addresses;

/// Between two tries of a client.
const PAUSE: Duration = Duration::from_millis(30);

/// SplitMix64: enough to draw moments from a seed.
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }
}

/// `CRASH_SEED`, or the time.
pub(crate) fn seed() -> u64 {
    std::env::var("CRASH_SEED").map_or_else(
        |_| {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
            u64::try_from(now.as_millis()).unwrap()
        },
        |seed| seed.parse().unwrap(),
    )
}

/// What a client wants done once.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Deed {
    /// The payment with this number.
    Pay(u64),
    /// The refund of that payment, whose charge has this id.
    Refund(u64, String),
}

impl Deed {
    pub(crate) fn key(&self) -> String {
        match self {
            Self::Pay(payment) => format!("payment-{payment}"),
            Self::Refund(payment, _) => format!("refund-{payment}"),
        }
    }
}

/// The amount names the payment: the ledger can be read without any key.
pub(crate) const fn amount(payment: u64) -> u64 {
    payment + 1
}

/// What one try came to.
pub(crate) enum Try {
    /// 201 with this body; whether it said that it is a replay.
    Done(Vec<u8>, bool),
    /// 409: somebody else holds the key, or seems to.
    Busy,
    /// 503: the server is there, and its database is not.
    Away,
    /// The request was sent, and no whole answer came.
    Broken,
    /// Nobody listened.
    Refused,
    /// What is never right.
    Wrong(String),
}

pub(crate) async fn attempt(sandbox: &Sandbox, deed: &Deed) -> Try {
    let request = match deed {
        Deed::Pay(payment) => {
            let amount = amount(*payment);
            let body = format!(r#"{{"amount":{amount},"currency":"usd"}}"#);
            sandbox.charge(&deed.key(), &body)
        }
        Deed::Refund(_, charge) => sandbox
            .request("POST", &format!("/charges/{charge}/refunds"))
            .header("Idempotency-Key", deed.key()),
    };
    let response = match request.send().await {
        Ok(response) => response,
        Err(error) if error.is_timeout() => return Try::Wrong("no answer came".into()),
        Err(error) if error.is_connect() => return Try::Refused,
        Err(_) => return Try::Broken,
    };
    let status = response.status().as_u16();
    let replayed = response.headers().contains_key("idempotency-replayed");
    match (status, response.bytes().await) {
        (_, Err(_)) => Try::Broken,
        (201, Ok(body)) => Try::Done(body.to_vec(), replayed),
        (409, Ok(_)) => Try::Busy,
        (503, Ok(_)) => Try::Away,
        (_, Ok(body)) => Try::Wrong(format!("{status} {}", String::from_utf8_lossy(&body))),
    }
}

/// What the clients share.
pub(crate) struct Load {
    sandbox: Sandbox,
    addresses: watch::Receiver<Addresses>,
    pub(crate) stop: AtomicBool,
    /// Some payments are given back, and some are paid by two clients with one key.
    mixed: bool,
    /// Payments begun.
    pub(crate) begun: AtomicU64,
    /// Requests without an answer, or with the one that there is none now.
    pub(crate) broken: AtomicU64,
    pub(crate) busy: AtomicU64,
    /// What the clients were told.
    pub(crate) told: Mutex<BTreeMap<Deed, Vec<u8>>>,
    /// What clients left after they got no answer.
    pub(crate) unfinished: Mutex<Vec<Deed>>,
    pub(crate) wrong: Mutex<Vec<String>>,
}

impl Load {
    pub(crate) fn new(
        sandbox: Sandbox,
        addresses: watch::Receiver<Addresses>,
        mixed: bool,
    ) -> Self {
        Self {
            sandbox,
            addresses,
            stop: AtomicBool::new(false),
            mixed,
            begun: AtomicU64::new(0),
            broken: AtomicU64::new(0),
            busy: AtomicU64::new(0),
            told: Mutex::default(),
            unfinished: Mutex::default(),
            wrong: Mutex::default(),
        }
    }

    /// The sandbox at a server that is there now, or at the next one. `draw` says
    /// which, where there are several.
    pub(crate) async fn reach(&self, draw: u64) -> Sandbox {
        let mut addresses = self.addresses.clone();
        let there = |addresses: &Addresses| addresses.iter().any(Option::is_some);
        let addresses = addresses.wait_for(there).await.unwrap();
        let there: Vec<_> = addresses.iter().flatten().collect();
        let at = usize::try_from(draw).unwrap() % there.len();
        Sandbox {
            url: there[at].clone(),
            ..self.sandbox.clone()
        }
    }

    /// Pays again and again.
    pub(crate) async fn client(self: Arc<Self>, mut draw: Draw) {
        while !self.stop.load(SeqCst) {
            let payment = self.begun.fetch_add(1, SeqCst);
            let pay = Deed::Pay(payment);
            let mut other = Draw(draw.below(u64::MAX));
            let paid = if self.mixed && payment.is_multiple_of(4) {
                // Two clients share a key: say, one page in two tabs.
                let both = (
                    self.bring_about(&pay, &mut draw),
                    self.bring_about(&pay, &mut other),
                );
                let (one, two) = futures::join!(both.0, both.1);
                one.or(two)
            } else {
                self.bring_about(&pay, &mut draw).await
            };
            let Some(paid) = paid else {
                self.unfinished.lock().unwrap().push(pay);
                continue;
            };
            if self.mixed && payment.is_multiple_of(3) {
                let paid: Value = serde_json::from_slice(&paid).unwrap();
                let charge = paid["id"].as_str().unwrap().to_owned();
                let refund = Deed::Refund(payment, charge);
                if self.bring_about(&refund, &mut draw).await.is_none() {
                    self.unfinished.lock().unwrap().push(refund);
                }
            }
        }
    }

    /// Tries until it is done. One in two clients who got no answer leave.
    async fn bring_about(&self, deed: &Deed, draw: &mut Draw) -> Option<Vec<u8>> {
        loop {
            match attempt(&self.reach(draw.below(64)).await, deed).await {
                Try::Done(body, _) => {
                    let before = self.told.lock().unwrap().insert(deed.clone(), body.clone());
                    if before.is_some_and(|before| before != body) {
                        return self.wrong(deed, "two were told different things");
                    }
                    return Some(body);
                }
                Try::Broken | Try::Away => {
                    self.broken.fetch_add(1, SeqCst);
                    if draw.below(2) == 0 {
                        return None;
                    }
                }
                Try::Busy => {
                    self.busy.fetch_add(1, SeqCst);
                }
                Try::Refused => {}
                Try::Wrong(what) => return self.wrong(deed, &what),
            }
            if self.stop.load(SeqCst) {
                return None;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    fn wrong(&self, deed: &Deed, what: &str) -> Option<Vec<u8>> {
        let what = format!("{}: {what}", deed.key());
        self.wrong.lock().unwrap().push(what);
        None
    }
}
