//! Policies: how fast, how much, for how long, and what happens without a key.

// Helpers outside of test functions fail the test as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::time::Duration;

use common::{ORDER, Service, problem, until};
use serde_json::json;

#[tokio::test]
async fn a_sandbox_over_its_rate_gets_429_and_others_go_on() {
    let service = Service::with(&["--rate", "1"]).await;
    let (sandbox, other) = (service.sandbox().await, service.sandbox().await);
    let mut refused = None;
    for _ in 0..15 {
        let response = sandbox.charge("k", ORDER).send().await.unwrap();
        if response.status() == 429 {
            refused = Some(response);
            break;
        }
    }
    let refused = refused.unwrap();
    let seconds = refused.headers()["retry-after"].to_str().unwrap();
    assert!((1..=2).contains(&seconds.parse::<u64>().unwrap()));
    assert_eq!(problem(refused).await.1, "rate-limited");
    // Before the body and the key are looked at, but not before the token.
    let bad = sandbox.charge("a b", "{").send().await.unwrap();
    assert_eq!(problem(bad).await.1, "rate-limited");
    let lab = sandbox.request("GET", "/lab/keys").send().await.unwrap();
    assert_eq!(problem(lab).await.1, "rate-limited");
    let good = other.charge("k", ORDER).send().await.unwrap();
    assert_eq!(good.status(), 201);
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let later = sandbox.charge("k", ORDER).send().await.unwrap();
    assert_eq!(later.status(), 201);
}

#[tokio::test]
async fn a_full_sandbox_answers_known_keys_and_takes_no_new_ones() {
    let service = Service::with(&["--records", "3"]).await;
    let sandbox = service.sandbox().await;
    sandbox.settings(json!({"keyless":"allow"})).await;
    for key in ["a", "a", "a", "a", "b", "a", "c"] {
        let response = sandbox.charge(key, ORDER).send().await.unwrap();
        assert_eq!(response.status(), 201, "{key}");
    }
    let full = sandbox.charge("d", ORDER).send().await.unwrap();
    let (status, slug, _) = problem(full).await;
    assert_eq!((status, slug.as_str()), (403, "sandbox-full"));
    let full = sandbox.keyless(ORDER).send().await.unwrap();
    assert_eq!(problem(full).await.1, "sandbox-full");
    let known = sandbox.charge("b", ORDER).send().await.unwrap();
    assert_eq!(known.headers()["idempotency-replayed"], "true");
    assert_eq!(sandbox.taken().await, [4000; 3]);
    let reset = sandbox.request("POST", "/lab/reset").send().await.unwrap();
    assert_eq!(reset.status(), 204);
    let new = sandbox.charge("d", ORDER).send().await.unwrap();
    assert_eq!(new.status(), 201);
}

#[tokio::test]
async fn a_sandbox_that_nobody_uses_is_deleted_and_makes_room() {
    let args = ["--idle", "700ms", "--upkeep", "50ms", "--sandboxes", "2"];
    let service = Service::with(&args).await;
    let (used, idle) = (service.sandbox().await, service.sandbox().await);
    for key in ["a", "b"] {
        assert_eq!(idle.charge(key, ORDER).send().await.unwrap().status(), 201);
    }
    let third = service.post("/sandboxes").send().await.unwrap();
    assert_eq!(problem(third).await.0, 503, "there is no room");
    until("the idle one is gone", || async {
        used.get("/lab/keys").await;
        service
            .metric("charge_once_deleted_total{what=\"sandbox\"}")
            .await
            == 1
    })
    .await;
    let gone = idle.request("GET", "/charges").send().await.unwrap();
    assert_eq!(problem(gone).await.0, 401);
    assert_eq!(used.charge("k", ORDER).send().await.unwrap().status(), 201);
    service.sandbox().await;
}

#[tokio::test]
async fn a_grace_lets_through_until_its_end_and_says_so() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    sandbox.settings(json!({"keyless":"grace"})).await;
    let settings = sandbox.get("/lab/settings").await;
    assert!(settings["grace_until"].as_str().unwrap().ends_with('Z'));
    let response = sandbox.keyless(ORDER).send().await.unwrap();
    assert_eq!(response.status(), 201);
    let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
    assert!(header("deprecation").starts_with('@'));
    assert!(header("sunset").ends_with(" GMT"));
    assert!(header("link").contains("rel=\"sunset\""));
    // With a key there is nothing to announce.
    let keyed = sandbox.charge("k", ORDER).send().await.unwrap();
    assert!(!keyed.headers().contains_key("sunset"));
    sandbox.advance(91 * 86_400_000).await;
    let over = sandbox.keyless(ORDER).send().await.unwrap();
    assert!(!over.headers().contains_key("sunset"));
    assert_eq!(problem(over).await.1, "idempotency-key-missing");
    // The deployment's own.
    let graceful = Service::with(&["--keyless", "grace:2099-01-01T00:00:00Z"]).await;
    let sandbox = graceful.sandbox().await;
    let response = sandbox.keyless(ORDER).send().await.unwrap();
    assert_eq!(
        response.headers()["sunset"],
        "Thu, 01 Jan 2099 00:00:00 GMT"
    );
}

#[tokio::test]
async fn a_fingerprint_catches_the_double_tap_and_only_within_its_window() {
    let service = Service::with(&["--keyless", "fingerprint"]).await;
    let sandbox = service.sandbox().await;
    let first = sandbox.keyless(ORDER).send().await.unwrap();
    assert_eq!(first.status(), 201);
    let first = first.bytes().await.unwrap();
    let second = sandbox.keyless(ORDER).send().await.unwrap();
    assert_eq!(second.headers()["idempotency-replayed"], "true");
    assert_eq!(second.bytes().await.unwrap(), first);
    let other = sandbox
        .keyless(r#"{"amount":1,"currency":"usd"}"#)
        .send()
        .await
        .unwrap();
    assert_eq!(other.status(), 201);
    assert_eq!(sandbox.taken().await, [4000, 1]);
    // After the window it is another payment, to the processor as well.
    sandbox.advance(10_001).await;
    tokio::time::sleep(Duration::from_millis(1000)).await;
    let third = sandbox.keyless(ORDER).send().await.unwrap();
    assert_eq!(third.status(), 201);
    assert!(!third.headers().contains_key("idempotency-replayed"));
    assert_ne!(third.bytes().await.unwrap(), first);
    assert_eq!(sandbox.taken().await, [4000, 1, 4000]);
    // A client's own key of the same text is another key.
    let shown = sandbox.get("/lab/keys").await;
    let key = shown["keys"][0]["key"].as_str().unwrap().to_owned();
    let hex = key.strip_prefix("auto ").unwrap();
    let keyed = sandbox.charge(hex, ORDER).send().await.unwrap();
    assert!(!keyed.headers().contains_key("idempotency-replayed"));
    assert_eq!(sandbox.taken().await.len(), 4);
}

#[tokio::test]
async fn metrics_tell_created_from_replayed() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    for key in ["a", "a", "a", "b"] {
        sandbox.charge(key, ORDER).send().await.unwrap();
    }
    sandbox
        .charge("a", r#"{"amount":1,"currency":"usd"}"#)
        .send()
        .await
        .unwrap();
    sandbox.charge("a b", ORDER).send().await.unwrap();
    sandbox.faults(json!([{"fault":"processor_500"}])).await;
    sandbox.charge("c", ORDER).send().await.unwrap();
    for (outcome, count) in [
        ("created", 2),
        ("replayed", 2),
        ("mismatch", 1),
        ("refused", 1),
        ("released", 1),
    ] {
        let name = format!("charge_once_requests_total{{outcome=\"{outcome}\"}}");
        assert_eq!(service.metric(&name).await, count, "{outcome}");
    }
    assert_eq!(service.metric("charge_once_request_seconds_count").await, 7);
    assert_eq!(service.metric("charge_once_released_total").await, 1);
    let text = service.get("/metrics").send().await.unwrap();
    assert!(
        text.headers()["content-type"]
            .to_str()
            .unwrap()
            .starts_with("application/openmetrics-text")
    );
}

/// Each change is put on top of the others: none undoes one that it has not seen.
#[tokio::test(flavor = "multi_thread")]
async fn settings_that_are_changed_at_once_are_all_changed() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let changes = [
        json!({"keyless":"allow"}),
        json!({"lease_ms":5000}),
        json!({"retention_ms":60000}),
        json!({"pods":2}),
        json!({"fencing":false}),
        json!({"sweeper":true}),
    ];
    let before = sandbox.get("/lab/settings").await;
    for _ in 0..5 {
        let all = changes
            .iter()
            .map(|change| sandbox.settings(change.clone()));
        futures::future::join_all(all).await;
        let settings = sandbox.get("/lab/settings").await;
        for change in &changes {
            for (name, value) in change.as_object().unwrap() {
                assert_eq!(settings[name], *value, "{name}");
            }
        }
        for name in changes.iter().flat_map(|it| it.as_object().unwrap().keys()) {
            sandbox.settings(json!({ name: before[name] })).await;
        }
    }
}
