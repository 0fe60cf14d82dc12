//! Bad input: whatever comes over the wire, there is an answer that is no fault of
//! the server's, and what was refused left nothing behind.
//!
//! The default run takes some thousands of cases; `-- --ignored a_million` takes a
//! million.

// Helpers outside of test functions fail the test as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
// The shared helpers of all test files.
#![allow(dead_code, unreachable_pub)]

mod common;
#[path = "fuzz/generate.rs"]
mod generate;
#[path = "fuzz/wire.rs"]
mod wire;

use std::collections::BTreeMap;
use std::time::Instant;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use common::{Sandbox, Service, exchange};
use futures::future::join_all;
use generate::Request;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use serde_json::Value;
use server::charges::order::Order;
use server::charges::{body, key_header, prefer};
use wire::Connection;

/// Requests that are under way on one connection at once.
const PIPELINE: usize = 16;
/// A sandbox shows 200 keys: before that a new one is taken.
const KEYS: u64 = 150;

fn runner(cases: u32) -> TestRunner {
    let seed = std::env::var("FUZZ_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    TestRunner::new(Config {
        cases,
        rng_seed: seed.map_or(RngSeed::Random, RngSeed::Fixed),
        failure_persistence: None,
        ..Config::default()
    })
}

/// The parsers by themselves: they take any bytes, and what they let through is fit.
fn parsers(cases: u32) {
    let header = |name: HeaderName, value: &[u8]| {
        let mut headers = HeaderMap::new();
        headers.append(name, HeaderValue::from_bytes(value).unwrap());
        headers
    };
    let key = |value: Vec<u8>| {
        let headers = header(key_header::IDEMPOTENCY_KEY, &value);
        if let Ok(Some(key)) = key_header::read(&headers) {
            let key = key.as_str();
            prop_assert!((1..=255).contains(&key.len()));
            prop_assert!(key.bytes().all(|byte| byte.is_ascii_graphic()));
            // Quoted, it is the same key.
            let quoted = key.replace('\\', "\\\\").replace('"', "\\\"");
            let quoted = header(
                key_header::IDEMPOTENCY_KEY,
                format!("\"{quoted}\"").as_bytes(),
            );
            let again = key_header::read(&quoted).unwrap().unwrap();
            prop_assert_eq!(again.as_str(), key);
        }
        Ok(())
    };
    runner(cases).run(&generate::header_value(), key).unwrap();
    let wait = |value: Vec<u8>| {
        if let Some(wait) = prefer::wait(&header(prefer::PREFER, &value)) {
            prop_assert!(!wait.is_zero() && wait <= prefer::MOST);
        }
        let _ = body::is_json(Some(&value));
        Ok(())
    };
    runner(cases).run(&generate::header_value(), wait).unwrap();
    let charge = |bytes: Vec<u8>| {
        let Ok(value) = body::parse(&bytes) else {
            return Ok(());
        };
        let form = body::canonical(&value).unwrap();
        // The canonical form is JSON, of the same value, and its own canonical form.
        let again = body::parse(&form);
        prop_assert!(again.is_ok(), "{}", String::from_utf8_lossy(&form));
        prop_assert_eq!(&body::canonical(&again.unwrap()).unwrap(), &form);
        if let Ok(order) = Order::read(&value) {
            prop_assert!((1..=99_999_999).contains(&order.amount.minor()));
            let text = order.description.unwrap_or_default();
            prop_assert!(text.chars().count() <= 500);
        }
        Ok(())
    };
    runner(cases).run(&generate::body(), charge).unwrap();
}

/// What became of the requests of one sandbox.
#[derive(Default)]
struct Tally {
    requests: u64,
    charged: u64,
    refunded: u64,
    declined: u64,
    statuses: BTreeMap<u16, u64>,
}

impl Tally {
    fn note(&mut self, request: &Request, answer: &wire::Answer) {
        self.requests += 1;
        *self.statuses.entry(answer.status).or_default() += 1;
        let paying = request.method == "POST" && request.path.starts_with("/charges");
        if paying && answer.status == 201 && !answer.replayed {
            match request.path.contains("/refunds") {
                true => self.refunded += 1,
                false => self.charged += 1,
            }
        }
    }

    /// The books and the keys hold what was answered with 201, and nothing else.
    async fn compare(&self, sandbox: &Sandbox) {
        let ledger = sandbox.get("/lab/ledger").await;
        let count = |value: &Value| value.as_array().unwrap().len() as u64;
        assert_eq!(count(&ledger["charges"]), self.charged, "charges");
        assert_eq!(count(&ledger["declined"]), 0, "declined");
        // Each charge is given back once, whatever the key.
        assert!(count(&ledger["refunds"]) <= self.refunded, "refunds");
        let keys = sandbox.get("/lab/keys").await;
        assert_eq!(count(&keys["keys"]), self.charged + self.refunded, "keys");
        for key in keys["keys"].as_array().unwrap() {
            assert_eq!(key["state"], "done", "{key}");
        }
    }
}

/// Requests over one connection, a sandbox after the other.
async fn requests(service: &Service, count: u64) -> BTreeMap<u16, u64> {
    let mut runner = runner(1);
    let strategy = generate::request();
    let mut all: BTreeMap<u16, u64> = BTreeMap::new();
    let mut done = 0;
    while done < count {
        let sandbox = service.sandbox().await;
        let mut tally = Tally::default();
        let mut charge = String::from("ch_none");
        let mut connection = Connection::open(&service.address).await;
        while tally.charged + tally.refunded + (PIPELINE as u64) < KEYS && done < count {
            let all = (0..PIPELINE).map(|_| strategy.new_tree(&mut runner).unwrap().current());
            let (batch, alone): (Vec<_>, Vec<_>) = all.partition(|it| it.is_http(&charge));
            // What is no HTTP ends its connection, and replies to what came before it on
            // the same one may not get out any more.
            for request in alone {
                let bytes = request.bytes(&sandbox.token, &charge);
                let mut connection = Connection::open(&service.address).await;
                connection.send(bytes);
                let answer = connection.answer().await.expect("an answer");
                assert_eq!((answer.status, answer.body.len()), (400, 0), "{request:?}");
                tally.note(&request, &answer);
                done += 1;
            }
            let mut next = 0;
            while next < batch.len() {
                let bytes: Vec<Vec<u8>> = batch[next..]
                    .iter()
                    .map(|request| request.bytes(&sandbox.token, &charge))
                    .collect();
                connection.send(bytes.concat());
                let mut closed = false;
                let mut before = String::new();
                for (request, bytes) in batch[next..].iter().zip(&bytes) {
                    let answer = connection.answer().await;
                    let said = || String::from_utf8_lossy(bytes).into_owned();
                    let Some(answer) = answer else {
                        let end = connection.epitaph().await;
                        panic!("no answer ({end}) to {}, after {before}", said());
                    };
                    let text = String::from_utf8_lossy(&answer.body);
                    assert!(answer.status < 500, "{} {text}\n{}", answer.status, said());
                    tally.note(request, &answer);
                    before = format!("{} {text} to {}", answer.status, said());
                    next += 1;
                    if answer.status == 201
                        && let Ok(body) = serde_json::from_slice::<Value>(&answer.body)
                        && body["id"].as_str().is_some_and(|id| id.starts_with("ch_"))
                    {
                        body["id"].as_str().unwrap().clone_into(&mut charge);
                    }
                    closed = answer.closes;
                    if closed {
                        break;
                    }
                }
                if closed {
                    connection = Connection::open(&service.address).await;
                }
            }
            done += batch.len() as u64;
        }
        tally.compare(&sandbox).await;
        for (status, count) in tally.statuses {
            *all.entry(status).or_default() += count;
        }
    }
    all
}

async fn many_requests(count: u64) {
    // `FUZZ_LOG=server=debug` shows what the server has to say.
    if let Ok(filter) = std::env::var("FUZZ_LOG") {
        let _ = tracing_subscriber::fmt().with_env_filter(filter).try_init();
    }
    let args = [
        "--rate",
        "1000000",
        "--sandbox-rate",
        "1000000",
        "--records",
        "1000000",
    ];
    let service = Service::with(&args).await;
    let started = Instant::now();
    let shares = (0..4).map(|_| requests(&service, count.div_ceil(4)));
    let mut all: BTreeMap<u16, u64> = BTreeMap::new();
    for statuses in join_all(shares).await {
        for (status, count) in statuses {
            *all.entry(status).or_default() += count;
        }
    }
    let sent: u64 = all.values().sum();
    println!("{sent} requests in {:.1?}: {all:?}", started.elapsed());
    assert!(sent >= count);
    // It is no use if nothing ever gets through, or everything does.
    for status in [200, 201, 400, 401, 404, 405, 415, 422] {
        assert!(all.contains_key(&status), "no {status}: {all:?}");
    }
    let healthy = service.get("/healthz").send().await.unwrap();
    assert_eq!(healthy.status(), 200);
}

/// Bytes of which nobody knows what they are.
async fn raw_bytes(count: u32) {
    let args = ["--rate", "1000000", "--sandbox-rate", "1000000"];
    let service = Service::with(&args).await;
    let mut runner = runner(1);
    let strategy = (
        generate::request(),
        prop::collection::vec(generate::damage(), 1..3),
    );
    let started = Instant::now();
    let mut sandbox = service.sandbox().await;
    let mut statuses: BTreeMap<String, u64> = BTreeMap::new();
    for number in 0..count {
        let (request, damage) = strategy.new_tree(&mut runner).unwrap().current();
        let mut bytes = match number % 2 {
            0 => request.bytes(&sandbox.token, "ch_none"),
            _ => sandbox
                .raw(&format!("key-{number}"), common::ORDER)
                .into_bytes(),
        };
        damage.iter().for_each(|damage| damage.to(&mut bytes));
        let back = half_closed(&service.address, &bytes).await;
        let back = String::from_utf8_lossy(&back);
        // A body can hold a whole request of its own: all heads are looked at.
        for head in back.split("HTTP/1.1 ").skip(1) {
            let status = head.get(..3).unwrap_or_default().to_owned();
            let sent = String::from_utf8_lossy(&bytes);
            assert!(!status.starts_with('5'), "{head}\n{sent:?}");
            *statuses.entry(status).or_default() += 1;
        }
        if number % 100 == 99 || number + 1 == count {
            settled(&sandbox).await;
            sandbox = service.sandbox().await;
        }
    }
    println!(
        "{count} times bytes in {:.1?}: {statuses:?}",
        started.elapsed()
    );
    let healthy = service.get("/healthz").send().await.unwrap();
    assert_eq!(healthy.status(), 200);
}

/// Sends bytes, says that no more come, and reads what comes back.
async fn half_closed(address: &str, bytes: &[u8]) -> Vec<u8> {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let _ = stream.write_all(bytes).await;
    let _ = stream.shutdown().await;
    let mut back = Vec::new();
    let read = stream.read_to_end(&mut back);
    let _ = tokio::time::timeout(std::time::Duration::from_secs(30), read)
        .await
        .expect("the connection ends");
    back
}

/// Whoever hung up does not stop the work: every key comes to its end, and has its
/// entry in the books.
async fn settled(sandbox: &Sandbox) {
    common::until("every key is done", || async {
        let keys = sandbox.get("/lab/keys").await;
        let keys = keys["keys"].as_array().unwrap().clone();
        keys.iter().all(|key| key["state"] == "done")
    })
    .await;
    let keys = sandbox.get("/lab/keys").await;
    let ledger = sandbox.get("/lab/ledger").await;
    let count = |value: &Value| value.as_array().unwrap().len();
    assert_eq!(count(&keys["keys"]), count(&ledger["charges"]));
}

#[test]
fn parsers_take_anything() {
    parsers(2_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_of_any_kind_are_answered_and_refusals_leave_nothing() {
    many_requests(4_000).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_of_any_kind_do_no_harm() {
    raw_bytes(400).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "minutes: the soak"]
async fn a_million_cases() {
    let started = Instant::now();
    tokio::task::spawn_blocking(|| parsers(180_000))
        .await
        .unwrap();
    println!("540000 cases of the parsers in {:.1?}", started.elapsed());
    raw_bytes(20_000).await;
    many_requests(440_000).await;
}

/// What is found would be found: a refusal that leaves something behind.
#[tokio::test]
#[should_panic(expected = "keys")]
async fn what_is_left_behind_is_noticed() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let mut tally = Tally::default();
    sandbox
        .faults(serde_json::json!([{"fault":"processor_500"}]))
        .await;
    let bytes = sandbox.raw("k", common::ORDER);
    let bytes = bytes.replace("Host: x\r\n", "Host: x\r\nConnection: close\r\n");
    let back = exchange(&service.address, bytes.as_bytes()).await;
    assert!(back.starts_with(b"HTTP/1.1 502"));
    tally.requests += 1;
    tally.compare(&sandbox).await;
}
