//! What the background does, driven by the clocks of sandboxes.

// Helpers outside of test functions fail the test as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{ORDER, Sandbox, Service, problem, until};
use serde_json::{Value, json};

const DAY: u64 = 86_400_000;

async fn keys(sandbox: &Sandbox) -> Vec<Value> {
    let keys = sandbox.get("/lab/keys").await;
    keys["keys"].as_array().unwrap().clone()
}

#[tokio::test]
async fn answers_become_tombstones_and_tombstones_go() {
    let service = Service::with(&["--upkeep", "30ms"]).await;
    let second = service.beside(&["--upkeep", "30ms"]).await;
    let (sandbox, other) = (service.sandbox().await, service.sandbox().await);
    // More than one batch.
    let sent = (0..1_100).map(|n| {
        let charge = sandbox.charge(&format!("k-{n}"), ORDER);
        async move { charge.send().await.unwrap().status() }
    });
    let sent: Vec<_> = futures::StreamExt::collect(futures::StreamExt::buffer_unordered(
        futures::stream::iter(sent),
        32,
    ))
    .await;
    assert!(sent.iter().all(|status| *status == 201));
    assert_eq!(
        other.charge("k-1", ORDER).send().await.unwrap().status(),
        201
    );
    sandbox.advance(DAY + 1_000).await;
    let deleted = async |what: &str| {
        let name = format!("charge_once_deleted_total{{what=\"{what}\"}}");
        service.metric(&name).await + second.metric(&name).await
    };
    until("all are buried", || async {
        deleted("answer").await >= 1_100
    })
    .await;
    assert_eq!(deleted("answer").await, 1_100, "each by one server");
    let buried = keys(&sandbox).await;
    assert!(buried.iter().all(|key| key["state"] == "tombstone"));
    assert!(buried[0]["charge"].is_null());
    let late = sandbox.charge("k-1", ORDER).send().await.unwrap();
    assert_eq!(problem(late).await.1, "idempotency-key-expired");
    sandbox.advance(30 * DAY).await;
    until("all are forgotten", || async {
        keys(&sandbox).await.is_empty()
    })
    .await;
    until("both say so", || async { deleted("key").await == 1_100 }).await;
    // Another sandbox's clock stands where it stood.
    let replay = other.charge("k-1", ORDER).send().await.unwrap();
    assert_eq!(replay.headers()["idempotency-replayed"], "true");
    // The charges themselves stay.
    assert_eq!(sandbox.taken().await.len(), 1_100);
}

/// Charges at a processor without keys, and dies at this point.
async fn stuck(service: &Service, fault: &str, order: &str) -> Sandbox {
    let sandbox = service.sandbox().await;
    sandbox.settings(json!({"processor_keys":false})).await;
    sandbox.faults(json!([{ "fault": fault }])).await;
    assert!(sandbox.charge("k", order).send().await.is_err());
    sandbox
}

#[tokio::test]
async fn until_the_sweeper_has_looked_a_stuck_key_answers_409() {
    let service = Service::with(&["--upkeep", "1h"]).await;
    let sandbox = stuck(&service, "crash_after_charge", ORDER).await;
    sandbox.advance(30_001).await;
    for _ in 0..3 {
        let retry = sandbox.charge("k", ORDER).send().await.unwrap();
        assert_eq!(retry.headers()["retry-after"], "1");
        assert_eq!(problem(retry).await.1, "idempotency-key-in-progress");
    }
    assert_eq!(sandbox.taken().await, [4000]);
    let report = sandbox.get("/lab/settlement").await;
    assert_eq!(report["totals"]["orphaned"], 1);
    assert_eq!(report["clean"], false);
}

#[tokio::test]
async fn the_sweeper_asks_the_books_and_completes_or_releases() {
    let service = Service::with(&["--upkeep", "30ms"]).await;
    // Two sweepers at once.
    let second = service.beside(&["--upkeep", "30ms"]).await;
    let order = r#"{"amount":4000,"currency":"usd","description":"a cup"}"#;
    let charged = stuck(&service, "crash_after_charge", order).await;
    let not_charged = stuck(&service, "crash_before_charge", order).await;
    // Nobody sweeps what may still be alive.
    tokio::time::sleep(std::time::Duration::from_millis(120)).await;
    assert_eq!(keys(&charged).await[0]["state"], "running");
    charged.advance(30_001).await;
    not_charged.advance(30_001).await;
    until("both are settled", || async {
        keys(&charged).await[0]["state"] == "done"
            && keys(&not_charged).await[0]["state"] == "released"
    })
    .await;
    let retry = charged.charge("k", order).send().await.unwrap();
    assert_eq!(retry.status(), 201);
    assert_eq!(retry.headers()["idempotency-replayed"], "true");
    let body: Value = retry.json().await.unwrap();
    assert_eq!(body["description"], "a cup");
    let retry = not_charged.charge("k", order).send().await.unwrap();
    assert_eq!(retry.status(), 201);
    assert!(!retry.headers().contains_key("idempotency-replayed"));
    for sandbox in [&charged, &not_charged] {
        assert_eq!(sandbox.taken().await, [4000]);
        assert_eq!(sandbox.get("/lab/settlement").await["clean"], true);
    }
    for how in ["completed", "released"] {
        let name = format!("charge_once_swept_total{{how=\"{how}\"}}");
        let swept = service.metric(&name).await + second.metric(&name).await;
        assert_eq!(swept, 1, "{how}");
    }
}
