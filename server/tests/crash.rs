//! The real binary, killed with SIGKILL under load again and again on one SQLite
//! file: nobody pays twice, nobody's payment is lost, and no key stays stuck.
//!
//! `CRASH_SEED=<number>` gives the kills and the clients the same draws again; the
//! scheduler's share of the interleaving is not repeated. The long form runs with
//! `-- --ignored`.

// Helpers outside of test functions fail the test as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::collections::{BTreeMap, HashSet};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use common::{Sandbox, client};
use futures::{StreamExt, stream};
use model::protocol::{IdempotencyKey, ProcessorKey};
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::watch;

/// Clients that pay at the same time.
const CLIENTS: u64 = 16;
/// The lease of a key. No key may be stuck when it is over.
const LEASE: Duration = Duration::from_millis(400);
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

/// A server process. It ends with this value, also when the test fails.
struct Process {
    child: Child,
    url: String,
}

impl Process {
    fn start(database: &Path) -> Self {
        let database = format!("sqlite://{}", database.display());
        let lease = format!("{}ms", LEASE.as_millis());
        let child = Command::new(env!("CARGO_BIN_EXE_charge-once"))
            .args(["--listen", "127.0.0.1:0", "--database", &database])
            .args(["--lease", &lease, "--rate", "1000000"])
            .args(["--records", "100000000"])
            .env("RUST_LOG", "error")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut process = Self {
            child,
            url: String::new(),
        };
        let mut line = String::new();
        BufReader::new(process.child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let url = line.trim().strip_prefix("Charge Once is at ");
        url.expect("it starts again on the same database")
            .trim_end_matches('/')
            .clone_into(&mut process.url);
        process
    }

    /// SIGKILL, to this process and no other.
    fn kill(mut self) {
        assert_eq!(
            self.child.try_wait().unwrap(),
            None,
            "it ended by itself before it was killed"
        );
        self.child.kill().unwrap();
        assert_eq!(self.child.wait().unwrap().code(), None, "by a signal");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What one try of a payment came to.
enum Try {
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

async fn attempt(sandbox: &Sandbox, payment: u64) -> Try {
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

fn key(payment: u64) -> String {
    format!("payment-{payment}")
}

/// What the clients share.
struct Load {
    sandbox: Sandbox,
    /// Where the server is, while there is one.
    address: watch::Receiver<Option<String>>,
    stop: AtomicBool,
    /// Payments begun.
    begun: AtomicU64,
    broken: AtomicU64,
    busy: AtomicU64,
    paid: Mutex<BTreeMap<u64, Vec<u8>>>,
    /// Payments whose client left after a broken connection.
    unfinished: Mutex<Vec<u64>>,
    wrong: Mutex<Vec<String>>,
}

impl Load {
    /// The sandbox at the server that is there now, or at the next one.
    async fn reach(&self) -> Sandbox {
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

async fn crash(kills: u32) {
    let (started, seed) = (Instant::now(), seed());
    println!("CRASH_SEED={seed}");
    let mut draw = Draw(seed);
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("crash.db");
    let mut process = Process::start(&database);

    let http = client();
    let made = http.post(format!("{}/sandboxes", process.url)).send().await;
    let made: Value = made.unwrap().json().await.unwrap();
    let account = made["account"].as_str().unwrap();
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
    let last_kill = Instant::now();
    load.stop.store(true, SeqCst);
    for client in clients {
        client.await.unwrap();
    }
    let wrong = std::mem::take(&mut *load.wrong.lock().unwrap());
    assert!(wrong.is_empty(), "seed {seed}: {wrong:#?}");

    // What the kills left behind: money taken and not yet saved, and keys claimed
    // for which nothing is taken yet.
    let sandbox = load.reach().await;
    let left = sandbox.get("/lab/settlement").await["totals"].clone();

    // Nothing is stuck after one lease.
    let lease_over = last_kill + LEASE + Duration::from_millis(50);
    tokio::time::sleep_until(lease_over.into()).await;
    let unfinished = load.unfinished.lock().unwrap().clone();
    let tried: Vec<_> = stream::iter(unfinished.iter().copied())
        .map(|payment| finish(&sandbox, payment))
        .buffer_unordered(16)
        .collect()
        .await;
    let stuck: Vec<_> = tried
        .iter()
        .filter_map(|(_, end)| end.as_ref().err())
        .collect();
    assert!(stuck.is_empty(), "seed {seed}: stuck: {stuck:#?}");
    let mut paid = std::mem::take(&mut *load.paid.lock().unwrap());
    for (payment, end) in tried {
        let known = paid.insert(payment, end.unwrap());
        assert_eq!(known, None, "seed {seed}: {payment} was unfinished");
    }
    let payments = load.begun.load(SeqCst);
    assert_eq!(paid.len() as u64, payments, "seed {seed}");

    // One kill more: what was said has to survive that too.
    process.kill();
    let process = Process::start(&database);
    tell.send_replace(Some(process.url.clone()));
    let sandbox = load.reach().await;
    let changed: Vec<_> = stream::iter(&paid)
        .map(|(payment, told)| {
            let sandbox = &sandbox;
            async move {
                match attempt(sandbox, *payment).await {
                    Try::Paid(body, true) if body == *told => None,
                    Try::Paid(body, replayed) => Some(format!(
                        "{payment}: told {}, then {} (replayed: {replayed})",
                        String::from_utf8_lossy(told),
                        String::from_utf8_lossy(&body)
                    )),
                    Try::Wrong(what) => Some(format!("{payment}: {what}")),
                    _ => Some(format!("{payment}: no answer, or 409")),
                }
            }
        })
        .buffer_unordered(16)
        .filter_map(std::future::ready)
        .collect()
        .await;
    assert!(changed.is_empty(), "seed {seed}: {changed:#?}");

    let charges = judge(&sandbox, account, &paid, seed).await;
    let broken = load.broken.load(SeqCst);
    println!(
        "{kills} kills under load ({hits} broke requests, {broken} requests in all), \
         {payments} payments, {charges} charges, {} finished after the lease; left by \
         the kills: {} charged and not saved, {} claimed and not charged; {} times 409; \
         {:.1} s",
        unfinished.len(),
        left["orphaned"],
        left["pending"],
        load.busy.load(SeqCst),
        started.elapsed().as_secs_f64()
    );
    // Else the test has shown nothing.
    assert!(hits * 4 >= kills * 3, "seed {seed}: {hits} of {kills} hit");
    assert!(
        left["orphaned"].as_u64() > Some(0),
        "seed {seed}: no kill fell between a charge and its record"
    );
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

/// Compares the processor's books with what the clients were told: each payment
/// has one entry, by its amount, its processor key and the id in the answer.
async fn judge(
    sandbox: &Sandbox,
    account: &str,
    paid: &BTreeMap<u64, Vec<u8>>,
    seed: u64,
) -> usize {
    let ledger = sandbox.get("/lab/ledger").await;
    for empty in ["declined", "refunds"] {
        assert_eq!(ledger[empty].as_array().unwrap().len(), 0, "seed {seed}");
    }
    let charges = ledger["charges"].as_array().unwrap();
    let mut entries = BTreeMap::<u64, Vec<&Value>>::new();
    let mut keys = HashSet::new();
    for charge in charges {
        let payment = charge["amount"].as_u64().unwrap() - 1;
        entries.entry(payment).or_default().push(charge);
        assert!(
            keys.insert(charge["processor_key"].as_str().unwrap()),
            "seed {seed}: two entries for one processor key: {charge}"
        );
    }
    for (payment, told) in paid {
        let told: Value = serde_json::from_slice(told).unwrap();
        let own = entries.remove(payment).unwrap_or_default();
        let [own] = own.as_slice() else {
            panic!("seed {seed}: {payment} has {} charges: {own:#?}", own.len());
        };
        let client_key = IdempotencyKey::new(&key(*payment)).unwrap();
        let expected = ProcessorKey::derive(account, &client_key);
        assert_eq!(own["processor_key"], expected.as_str(), "seed {seed}");
        assert_eq!(own["id"], told["id"], "seed {seed}: {payment}");
        assert_eq!(own["amount"], told["amount"], "seed {seed}: {payment}");
        assert_eq!(told["status"], "succeeded", "seed {seed}: {payment}");
    }
    assert!(entries.is_empty(), "seed {seed}: nobody's: {entries:#?}");
    assert_eq!(charges.len(), paid.len(), "seed {seed}");
    charges.len()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_kills_under_load_charge_nobody_twice_and_lose_nothing() {
    crash(8).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long: cargo xtask test --soak"]
async fn two_hundred_kills_under_load_charge_nobody_twice_and_lose_nothing() {
    crash(200).await;
}
