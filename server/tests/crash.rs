//! The real binary, killed with SIGKILL under load again and again, on either store;
//! two of them on one PostgreSQL; and PostgreSQL itself restarted under both. Nobody
//! pays twice, nobody's payment is lost, and no key stays stuck.
//!
//! `CRASH_SEED=<number>` gives the strikes and the clients the same draws again; the
//! scheduler's share of the interleaving is not repeated. `CRASH_LOG=info` shows what
//! the servers say, and `CRASH_BINARY=<path>` takes another build of them. The long forms run with `-- --ignored`.

// Helpers outside of test functions fail the test as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;
#[path = "crash/fleet.rs"]
mod fleet;
#[path = "crash/load.rs"]
mod load;
#[path = "crash/process.rs"]
mod process;
#[path = "crash/struck.rs"]
mod struck;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::Ordering::SeqCst;
use std::time::Instant;

use common::Sandbox;
use fleet::{On, Prey};
use futures::{StreamExt, stream};
use load::{Deed, Try, amount, attempt};
use model::protocol::{IdempotencyKey, ProcessorKey};
use serde_json::{Value, json};
use struck::strike_under_load;

/// What the clients were told in the end.
type Told = BTreeMap<Deed, Vec<u8>>;

/// The least that a run has to show, to have shown something.
struct Shows {
    /// Strikes between a charge and its record.
    orphans: bool,
}

async fn crash(on: On, prey: Prey, strikes: u32, shows: Shows) {
    let started = Instant::now();
    let mut struck = strike_under_load(on, prey, strikes, json!({}), true).await;
    let (load, seed, hits) = (struck.load.clone(), struck.seed, struck.hits);

    // What the strikes left behind: money taken and not yet saved, and keys claimed
    // for which nothing is taken yet.
    let left = load.reach(0).await.get("/lab/settlement").await["totals"].clone();

    // Nothing is stuck after one lease.
    struck.lease_over().await;
    let tried = struck.finish().await;
    let late = tried.len();
    let stuck: Vec<_> = tried
        .iter()
        .filter_map(|(_, end)| end.as_ref().err())
        .collect();
    assert!(stuck.is_empty(), "seed {seed}: stuck: {stuck:#?}");
    let mut told: Told = std::mem::take(&mut *load.told.lock().unwrap());
    for (deed, end) in tried {
        let known = told.insert(deed.clone(), end.unwrap());
        assert_eq!(known, None, "seed {seed}: {deed:?} was unfinished");
    }
    let payments = told
        .keys()
        .filter(|deed| matches!(deed, Deed::Pay(_)))
        .count();
    assert_eq!(payments as u64, load.begun.load(SeqCst), "seed {seed}");

    // What was said survives once more.
    let name = struck.fleet.name();
    struck.fleet.strike_all();
    let sandboxes = [load.reach(0).await, load.reach(1).await];
    let changed: Vec<_> = stream::iter(told.iter().enumerate())
        .map(|(at, (deed, told))| {
            let sandbox = &sandboxes[at % 2];
            async move {
                match attempt(sandbox, deed).await {
                    Try::Done(body, true) if body == *told => None,
                    Try::Done(body, replayed) => Some(format!(
                        "{deed:?}: told {}, then {} (replayed: {replayed})",
                        String::from_utf8_lossy(told),
                        String::from_utf8_lossy(&body)
                    )),
                    Try::Wrong(what) => Some(format!("{deed:?}: {what}")),
                    _ => Some(format!("{deed:?}: no answer, 409 or 503")),
                }
            }
        })
        .buffer_unordered(16)
        .filter_map(std::future::ready)
        .collect()
        .await;
    assert!(changed.is_empty(), "seed {seed}: {changed:#?}");

    judge(&sandboxes[0], &struck.account, &told, seed).await;
    println!(
        "{name}: {strikes} {} broke requests under load ({} in all), {payments} \
         payments, {payments} charges, {} refunds, {late} finished after the lease; left behind: \
         {} charged and not saved, {} claimed and not charged; {} times 409; {:.1} s",
        prey.plural(),
        load.broken.load(SeqCst),
        told.len() - payments,
        left["orphaned"],
        left["pending"],
        load.busy.load(SeqCst),
        started.elapsed().as_secs_f64()
    );
    // Else the test has shown nothing.
    assert_eq!(hits, strikes, "seed {seed}");
    assert!(
        !shows.orphans || left["orphaned"].as_u64() > Some(0),
        "seed {seed}: no strike fell between a charge and its record"
    );
}

/// Compares the processor's books with what the clients were told: each payment
/// has one entry, by its amount, its processor key and the id in the answer, and so
/// has each refund.
async fn judge(sandbox: &Sandbox, account: &str, told: &Told, seed: u64) {
    let ledger = sandbox.get("/lab/ledger").await;
    assert_eq!(ledger["declined"], json!([]), "seed {seed}");
    let mut keys = HashSet::new();
    let mut lines = |name: &str| -> Vec<Value> {
        let lines = ledger[name].as_array().unwrap().clone();
        for line in &lines {
            assert!(
                keys.insert(line["processor_key"].as_str().unwrap().to_owned()),
                "seed {seed}: two entries for one processor key: {line}"
            );
        }
        lines
    };
    let mut entries = HashMap::<(bool, String), Vec<Value>>::new();
    for charge in lines("charges") {
        let name = charge["amount"].to_string();
        entries.entry((false, name)).or_default().push(charge);
    }
    for refund in lines("refunds") {
        let name = refund["refund_of"].as_str().unwrap().to_owned();
        entries.entry((true, name)).or_default().push(refund);
    }
    for (deed, told) in told {
        let told: Value = serde_json::from_slice(told).unwrap();
        let (name, payment) = match deed {
            Deed::Pay(payment) => ((false, amount(*payment).to_string()), payment),
            Deed::Refund(payment, charge) => ((true, charge.clone()), payment),
        };
        let own = entries.remove(&name).unwrap_or_default();
        let [own] = own.as_slice() else {
            panic!("seed {seed}: {deed:?} has {} entries: {own:#?}", own.len());
        };
        let client_key = IdempotencyKey::new(&deed.key()).unwrap();
        let expected = ProcessorKey::derive(account, &client_key);
        assert_eq!(own["processor_key"], expected.as_str(), "seed {seed}");
        assert_eq!(own["id"], told["id"], "seed {seed}: {deed:?}");
        assert_eq!(own["amount"], amount(*payment), "seed {seed}: {deed:?}");
        if let Deed::Pay(_) = deed {
            assert_eq!(told["status"], "succeeded", "seed {seed}: {deed:?}");
        }
    }
    assert!(entries.is_empty(), "seed {seed}: nobody's: {entries:#?}");
    // Our own books say the same.
    let report = sandbox.get("/lab/settlement").await;
    assert_eq!(report["clean"], true, "seed {seed}");
    let payments = told
        .keys()
        .filter(|deed| matches!(deed, Deed::Pay(_)))
        .count();
    assert_eq!(report["totals"]["settled"], payments, "seed {seed}");
}

/// The same without the mechanism that prevents it: the test can see a duplicate.
async fn control(on: On) {
    let weak = json!({ "processor_keys": false, "sweeper": false });
    let struck = strike_under_load(on, Prey::Server, 8, weak, false).await;
    struck.lease_over().await;
    struck.finish().await;
    let taken = struck.load.reach(0).await.taken().await;
    let payments: HashSet<_> = taken.iter().collect();
    println!("{} charges for {} payments", taken.len(), payments.len());
    assert!(taken.len() > payments.len(), "seed {}", struck.seed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_kills_charge_nobody_twice_and_lose_nothing_on_sqlite() {
    crash(On::Sqlite, Prey::Server, 8, Shows { orphans: true }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_processor_keys_the_kills_charge_twice_on_sqlite() {
    control(On::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long: cargo xtask test --soak"]
async fn two_hundred_kills_charge_nobody_twice_and_lose_nothing_on_sqlite() {
    crash(On::Sqlite, Prey::Server, 200, Shows { orphans: true }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_kills_charge_nobody_twice_and_lose_nothing_on_postgres() {
    crash(On::Postgres(1), Prey::Server, 8, Shows { orphans: true }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_processor_keys_the_kills_charge_twice_on_postgres() {
    control(On::Postgres(2)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_kills_of_either_of_two_servers_on_postgres() {
    crash(On::Postgres(2), Prey::Server, 8, Shows { orphans: true }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_outlive_three_restarts_on_postgres() {
    crash(On::Postgres(2), Prey::Database, 3, Shows { orphans: false }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long: cargo xtask test --soak"]
async fn two_hundred_kills_charge_nobody_twice_and_lose_nothing_on_postgres() {
    crash(On::Postgres(1), Prey::Server, 200, Shows { orphans: true }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long: cargo xtask test --soak"]
async fn two_hundred_kills_of_either_of_two_servers_on_postgres() {
    crash(On::Postgres(2), Prey::Server, 200, Shows { orphans: true }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long: cargo xtask test --soak"]
async fn two_servers_outlive_thirty_restarts_on_postgres() {
    crash(On::Postgres(2), Prey::Database, 30, Shows { orphans: true }).await;
}
