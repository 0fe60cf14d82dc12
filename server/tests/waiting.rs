//! `Prefer: wait`: a retry that waits for the first attempt's answer.

// Helpers outside of test functions fail the test as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::time::{Duration, Instant};

use common::{ORDER, Sandbox, Service, problem, until};
use serde_json::json;

/// Starts a slow charge and returns when its key is claimed.
async fn slow(sandbox: &Sandbox, ms: u64) -> tokio::task::JoinHandle<reqwest::Response> {
    sandbox.faults(json!([{"fault":"slow","ms":ms}])).await;
    let sent = sandbox.charge("k", ORDER).send();
    let sent = tokio::spawn(async { sent.await.unwrap() });
    until("the key is claimed", || async {
        sandbox.get("/lab/keys").await["keys"][0]["state"] == "running"
    })
    .await;
    sent
}

fn retry(sandbox: &Sandbox, prefer: &str) -> reqwest::RequestBuilder {
    sandbox.charge("k", ORDER).header("Prefer", prefer)
}

#[tokio::test]
async fn a_retry_that_waits_gets_the_first_ones_answer_at_once() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let first = slow(&sandbox, 600).await;
    let retries = (0..5).map(|_| retry(&sandbox, "respond-async, wait=8").send());
    let retries = futures::future::join_all(retries).await;
    let answered = Instant::now();
    let first = first.await.unwrap();
    // Woken, not at the next look a second later.
    assert!(answered.elapsed() < Duration::from_millis(400));
    assert_eq!(first.status(), 201);
    assert!(!first.headers().contains_key("preference-applied"));
    let body = first.bytes().await.unwrap();
    for retry in retries {
        let retry = retry.unwrap();
        assert_eq!(retry.status(), 201);
        assert_eq!(retry.headers()["preference-applied"], "wait");
        assert_eq!(retry.headers()["idempotency-replayed"], "true");
        assert_eq!(retry.bytes().await.unwrap(), body);
    }
    // Nothing is left to wait for.
    let late = retry(&sandbox, "wait=8").send().await.unwrap();
    assert_eq!(late.headers()["idempotency-replayed"], "true");
    assert!(!late.headers().contains_key("preference-applied"));
    assert_eq!(sandbox.taken().await, [4000]);
}

#[tokio::test]
async fn when_the_time_is_up_the_answer_is_409() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let first = slow(&sandbox, 2500).await;
    let start = Instant::now();
    let late = retry(&sandbox, "wait=1").send().await.unwrap();
    assert!(start.elapsed() >= Duration::from_secs(1));
    assert!(start.elapsed() < Duration::from_secs(2));
    assert!(!late.headers().contains_key("preference-applied"));
    assert!(late.headers().contains_key("retry-after"));
    assert_eq!(problem(late).await.1, "idempotency-key-in-progress");
    // Another body is refused without waiting.
    let start = Instant::now();
    let other = sandbox
        .charge("k", r#"{"amount":1,"currency":"usd"}"#)
        .header("Prefer", "wait=9")
        .send()
        .await
        .unwrap();
    assert_eq!(problem(other).await.1, "idempotency-key-reused");
    assert!(start.elapsed() < Duration::from_secs(1));
    assert_eq!(first.await.unwrap().status(), 201);
    assert_eq!(sandbox.taken().await, [4000]);
}

#[tokio::test]
async fn who_waits_for_a_dead_owner_takes_over_when_the_lease_is_over() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    sandbox.settings(json!({"lease_ms":600})).await;
    sandbox
        .faults(json!([{"fault":"crash_after_charge"}]))
        .await;
    assert!(sandbox.charge("k", ORDER).send().await.is_err());
    let retry = retry(&sandbox, "wait=5").send().await.unwrap();
    assert_eq!(retry.status(), 201);
    assert_eq!(retry.headers()["preference-applied"], "wait");
    assert_eq!(sandbox.taken().await, [4000]);
}
