//! Clients that pay while the server is killed.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use futures::{StreamExt, stream};
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::watch;

use crate::common::{Sandbox, client};
use crate::process::{LEASE, Process};

/// Clients that pay at the same time.
const CLIENTS: u64 = 16;
/// How many tries a payment may need when one lease has passed since the last kill.
const TRIES: u32 = 1;
/// How long a server lives at least under load, and how much longer at most, in ms.
const LIFE: (u64, u64) = (100, 500);
/// Between two tries of a client.
const PAUSE: Duration = Duration::from_millis(30);

/// SplitMix64: enough to draw moments from a seed.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }
}

/// What one try of a payment came to.
pub(crate) enum Try {
    /// 201 with this body; whether it said that it is a replay.
    Paid(Vec<u8>, bool),
    /// 409: somebody else holds the key, or seems to.
    Busy,
    /// The request was sent, and no whole answer came.
    Broken,
    /// Nobody listened.
    Refused,
    /// What is never right.
    Wrong(String),
}

pub(crate) async fn attempt(sandbox: &Sandbox, payment: u64) -> Try {
    // The amount names the payment: the ledger can be read without any key.
    let body = format!(r#"{{"amount":{},"currency":"usd"}}"#, payment + 1);
    let response = match sandbox.charge(&key(payment), &body).send().await {
        Ok(response) => response,
        Err(error) if error.is_timeout() => return Try::Wrong("no answer came".into()),
        Err(error) if error.is_connect() => return Try::Refused,
        Err(_) => return Try::Broken,
    };
    let status = response.status().as_u16();
    let replayed = response.headers().contains_key("idempotency-replayed");
    match (status, response.bytes().await) {
        (_, Err(_)) => Try::Broken,
        (201, Ok(body)) => Try::Paid(body.to_vec(), replayed),
        (409, Ok(_)) => Try::Busy,
        (_, Ok(body)) => Try::Wrong(format!("{status} {}", String::from_utf8_lossy(&body))),
    }
}

pub(crate) fn key(payment: u64) -> String {
    format!("payment-{payment}")
}

/// What the clients share.
pub(crate) struct Load {
    sandbox: Sandbox,
    /// Where the server is, while there is one.
    address: watch::Receiver<Option<String>>,
    stop: AtomicBool,
    /// Payments begun.
    pub(crate) begun: AtomicU64,
    pub(crate) broken: AtomicU64,
    pub(crate) busy: AtomicU64,
    pub(crate) paid: Mutex<BTreeMap<u64, Vec<u8>>>,
    /// Payments whose client left after a broken connection.
    unfinished: Mutex<Vec<u64>>,
    wrong: Mutex<Vec<String>>,
}

impl Load {
    /// The sandbox at the server that is there now, or at the next one.
    pub(crate) async fn reach(&self) -> Sandbox {
        let mut address = self.address.clone();
        let url = address.wait_for(Option::is_some).await.unwrap().clone();
        Sandbox {
            url: url.unwrap(),
            ..self.sandbox.clone()
        }
    }

    async fn client(self: Arc<Self>, mut draw: Draw) {
        while !self.stop.load(SeqCst) {
            let payment = self.begun.fetch_add(1, SeqCst);
            if !self.pay(payment, &mut draw).await {
                self.unfinished.lock().unwrap().push(payment);
            }
        }
    }

    /// Tries until it is paid. One in two clients whose connection broke leaves.
    async fn pay(&self, payment: u64, draw: &mut Draw) -> bool {
        loop {
            match attempt(&self.reach().await, payment).await {
                Try::Paid(body, _) => {
                    self.paid.lock().unwrap().insert(payment, body);
                    return true;
                }
                Try::Broken => {
                    self.broken.fetch_add(1, SeqCst);
                    if draw.below(2) == 0 {
                        return false;
                    }
                }
                Try::Busy => {
                    self.busy.fetch_add(1, SeqCst);
                }
                Try::Refused => {}
                Try::Wrong(what) => {
                    self.wrong
                        .lock()
                        .unwrap()
                        .push(format!("{}: {what}", key(payment)));
                    return false;
                }
            }
            if self.stop.load(SeqCst) {
                return false;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
}

fn seed() -> u64 {
    std::env::var("CRASH_SEED").map_or_else(
        |_| {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
            u64::try_from(now.as_millis()).unwrap()
        },
        |seed| seed.parse().unwrap(),
    )
}

/// A sandbox after the kills, with a server that runs.
pub(crate) struct Killed {
    pub(crate) process: Process,
    pub(crate) folder: TempDir,
    pub(crate) tell: watch::Sender<Option<String>>,
    pub(crate) load: Arc<Load>,
    pub(crate) account: String,
    pub(crate) seed: u64,
    /// Kills that broke at least one request.
    pub(crate) hits: u32,
    last: Instant,
}

impl Killed {
    /// Waits until every lease is over that a kill left behind.
    pub(crate) async fn lease_over(&self) {
        let over = self.last + LEASE + Duration::from_millis(50);
        tokio::time::sleep_until(over.into()).await;
    }

    /// Pays what is unfinished.
    pub(crate) async fn finish(&self) -> Vec<(u64, Result<Vec<u8>, String>)> {
        let sandbox = self.load.reach().await;
        let unfinished = self.load.unfinished.lock().unwrap().clone();
        stream::iter(unfinished)
            .map(|payment| finish(&sandbox, payment))
            .buffer_unordered(16)
            .collect()
            .await
    }
}

/// Kills the server so often while all clients pay.
pub(crate) async fn kill_under_load(kills: u32, settings: Value) -> Killed {
    let seed = seed();
    println!("CRASH_SEED={seed}");
    let mut draw = Draw(seed);
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("crash.db");
    let mut process = Process::start(&database);

    let http = client();
    let made = http.post(format!("{}/sandboxes", process.url)).send().await;
    let made: Value = made.unwrap().json().await.unwrap();
    let account = made["account"].as_str().unwrap().to_owned();
    let (tell, address) = watch::channel(Some(process.url.clone()));
    let load = Arc::new(Load {
        sandbox: Sandbox {
            url: String::new(),
            address: String::new(),
            client: http,
            token: made["token"].as_str().unwrap().to_owned(),
        },
        address,
        stop: AtomicBool::new(false),
        begun: AtomicU64::new(0),
        broken: AtomicU64::new(0),
        busy: AtomicU64::new(0),
        paid: Mutex::default(),
        unfinished: Mutex::default(),
        wrong: Mutex::default(),
    });
    load.reach().await.settings(settings).await;
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| tokio::spawn(load.clone().client(Draw(draw.below(u64::MAX)))))
        .collect();

    // The kills. One that broke no request hit nothing.
    let mut hits = 0;
    for _ in 0..kills {
        let life = LIFE.0 + draw.below(LIFE.1);
        tokio::time::sleep(Duration::from_millis(life)).await;
        let before = load.broken.load(SeqCst);
        process.kill();
        tell.send_replace(None);
        process = Process::start(&database);
        hits += u32::from(load.broken.load(SeqCst) > before);
        tell.send_replace(Some(process.url.clone()));
    }
    let last = Instant::now();
    load.stop.store(true, SeqCst);
    for client in clients {
        client.await.unwrap();
    }
    let wrong = std::mem::take(&mut *load.wrong.lock().unwrap());
    assert!(wrong.is_empty(), "seed {seed}: {wrong:#?}");
    Killed {
        process,
        folder,
        tell,
        load,
        account,
        seed,
        hits,
        last,
    }
}

/// Pays what a kill left unfinished, in at most [`TRIES`] tries.
async fn finish(sandbox: &Sandbox, payment: u64) -> (u64, Result<Vec<u8>, String>) {
    let mut last = String::new();
    for _ in 0..TRIES {
        last = match attempt(sandbox, payment).await {
            Try::Paid(body, _) => return (payment, Ok(body)),
            Try::Busy => String::from("409"),
            Try::Broken | Try::Refused => String::from("no answer"),
            Try::Wrong(what) => what,
        };
    }
    (payment, Err(format!("{}: {last}", key(payment))))
}
