//! The real binary, killed with SIGKILL under load again and again on one SQLite
//! file: nobody pays twice, nobody's payment is lost, and no key stays stuck.
//!
//! `CRASH_SEED=<number>` gives the kills and the clients the same draws again; the
//! scheduler's share of the interleaving is not repeated. The long form runs with
//! `-- --ignored`.

// Helpers outside of test functions fail the test as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;
#[path = "crash/load.rs"]
mod load;
#[path = "crash/process.rs"]
mod process;

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::Ordering::SeqCst;
use std::time::Instant;

use common::Sandbox;
use futures::{StreamExt, stream};
use load::{Try, attempt, key, kill_under_load};
use model::protocol::{IdempotencyKey, ProcessorKey};
use process::Process;
use serde_json::{Value, json};

async fn crash(kills: u32) {
    let started = Instant::now();
    let killed = kill_under_load(kills, json!({})).await;
    let (load, seed, hits) = (killed.load.clone(), killed.seed, killed.hits);

    // What the kills left behind: money taken and not yet saved, and keys claimed
    // for which nothing is taken yet.
    let sandbox = load.reach().await;
    let left = sandbox.get("/lab/settlement").await["totals"].clone();

    // Nothing is stuck after one lease.
    killed.lease_over().await;
    let tried = killed.finish().await;
    let late = tried.len();
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
    killed.process.kill();
    let process = Process::start(&killed.folder.path().join("crash.db"));
    killed.tell.send_replace(Some(process.url.clone()));
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

    let charges = judge(&sandbox, &killed.account, &paid, seed).await;
    let broken = load.broken.load(SeqCst);
    println!(
        "{kills} kills under load ({hits} broke requests, {broken} requests in all), \
         {payments} payments, {charges} charges, {late} finished after the lease; left by \
         the kills: {} charged and not saved, {} claimed and not charged; {} times 409; \
         {:.1} s",
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
    // Our own books say the same.
    let report = sandbox.get("/lab/settlement").await;
    assert_eq!(report["clean"], true, "seed {seed}");
    assert_eq!(report["totals"]["settled"], paid.len(), "seed {seed}");
    charges.len()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_kills_under_load_charge_nobody_twice_and_lose_nothing() {
    crash(8).await;
}

/// The same without the mechanism that prevents it: the test can see a duplicate.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_processor_keys_the_kills_charge_twice() {
    let weak = json!({ "processor_keys": false, "sweeper": false });
    let killed = kill_under_load(8, weak).await;
    killed.lease_over().await;
    killed.finish().await;
    let taken = killed.load.reach().await.taken().await;
    let payments: HashSet<_> = taken.iter().collect();
    println!("{} charges for {} payments", taken.len(), payments.len());
    assert!(taken.len() > payments.len(), "seed {}", killed.seed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long: cargo xtask test --soak"]
async fn two_hundred_kills_under_load_charge_nobody_twice_and_lose_nothing() {
    crash(200).await;
}
