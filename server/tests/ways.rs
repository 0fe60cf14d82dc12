//! The other ways to make work safe, and the unsafe twin of each.

// Helpers outside of test functions fail the test as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{Sandbox, Service, problem, until};
use reqwest::{RequestBuilder, Response};
use serde_json::{Value, json};

async fn put(sandbox: &Sandbox, status: &str) -> Value {
    let request = sandbox.request("PUT", "/orders/o-1/status");
    let response = request
        .json(&json!({ "status": status }))
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), 200);
    response.json().await.unwrap()
}

#[tokio::test]
async fn a_status_that_is_set_twice_is_set_once() {
    let service = Service::start().await;
    for (rule, after) in [("set", "shipped"), ("step", "delivered")] {
        let sandbox = service.sandbox().await;
        sandbox.settings(json!({ "order_status": rule })).await;
        put(&sandbox, "paid").await;
        let first = put(&sandbox, "shipped").await;
        assert_eq!(
            (&first["status"], &first["parcels"]),
            (&json!("shipped"), &json!(1))
        );
        let retry = put(&sandbox, "shipped").await;
        assert_eq!(retry["status"], after, "{rule}");
        assert_eq!(retry == first, rule == "set");
    }
}

fn add(sandbox: &Sandbox, version: &str, amount: i64) -> RequestBuilder {
    let request = sandbox.request("PATCH", "/orders/o-1");
    let request = request.json(&json!({ "add": amount }));
    if version.is_empty() {
        return request;
    }
    request.header("If-Match", version)
}

async fn send(request: RequestBuilder) -> Response {
    request.send().await.unwrap()
}

#[tokio::test]
async fn a_retry_tells_my_change_from_a_conflict() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    put(&sandbox, "paid").await;
    let read = send(sandbox.request("GET", "/orders/o-1")).await;
    assert_eq!(read.headers()["etag"], "\"v1\"");
    assert_eq!(problem(send(add(&sandbox, "", 500)).await).await.0, 428);
    let mine = || add(&sandbox, "\"v1\"", 500).header("Idempotency-Key", "c-1");
    let first = send(mine()).await;
    assert_eq!(first.status(), 200);
    assert_eq!(first.headers()["etag"], "\"v2\"");
    assert!(!first.headers().contains_key("idempotency-replayed"));
    // The reply was lost, say: the same again is known as mine.
    let again = send(mine()).await;
    assert_eq!(again.status(), 200);
    assert_eq!(again.headers()["idempotency-replayed"], "true");
    // Even by one who read the new version in between.
    let refreshed = add(&sandbox, "\"v2\"", 500).header("Idempotency-Key", "c-1");
    assert_eq!(
        send(refreshed).await.headers()["idempotency-replayed"],
        "true"
    );
    // Somebody else's change for the old version is a conflict.
    let other = send(add(&sandbox, "\"v1\"", 500).header("Idempotency-Key", "c-2")).await;
    assert_eq!(other.headers()["etag"], "\"v2\"");
    assert_eq!(problem(other).await.1, "precondition-failed");
    let reused = send(add(&sandbox, "\"v2\"", 1).header("Idempotency-Key", "c-1")).await;
    assert_eq!(problem(reused).await.1, "idempotency-key-reused");
    let bad = send(add(&sandbox, "*", 1)).await;
    assert_eq!(problem(bad).await.1, "bad-request");
    assert_eq!(sandbox.get("/orders/o-1").await["total"], 500);
    // Ten at once for one version: one is applied.
    let all = (0..10).map(|_| send(add(&sandbox, "\"v2\"", 7)));
    let all = futures::future::join_all(all).await;
    let applied = all.iter().filter(|response| response.status() == 200);
    assert_eq!(applied.count(), 1);
    assert_eq!(sandbox.get("/orders/o-1").await["total"], 507);
    // The unsafe twin adds with each retry.
    sandbox.settings(json!({"order_patch":"blind"})).await;
    for _ in 0..2 {
        assert_eq!(send(mine()).await.status(), 200);
    }
    assert_eq!(sandbox.get("/orders/o-1").await["total"], 1507);
}

async fn publish(sandbox: &Sandbox, message: Value) {
    let response = sandbox
        .request("POST", "/queue")
        .json(&message)
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), 202);
}

async fn drained(sandbox: &Sandbox) -> u64 {
    until("all messages are acknowledged", || async {
        let queue = sandbox.get("/queue").await;
        let messages = queue["messages"].as_array().unwrap().clone();
        messages.iter().all(|message| message["done"] == true)
    })
    .await;
    sandbox.get("/orders/o-1").await["total"].as_u64().unwrap()
}

#[tokio::test]
async fn a_message_that_comes_often_takes_effect_once() {
    let service = Service::start().await;
    // Two consumers on one queue.
    let _second = service.beside(&[]).await;
    let lost = json!({"id":"m-1","order":"o-1","add":500,"lost_acks":2});
    let crash = json!({"id":"m-2","order":"o-1","add":30,"crash_after_effect":true});
    for (rule, total) in [
        ("same_transaction", 530),
        // The note outlives lost acknowledgements, but not the crash before it.
        ("separate", 560),
        ("blind", 1560),
    ] {
        let sandbox = service.sandbox().await;
        sandbox.settings(json!({ "consumer": rule })).await;
        publish(&sandbox, lost.clone()).await;
        publish(&sandbox, crash.clone()).await;
        assert_eq!(drained(&sandbox).await, total, "{rule}");
        let queue = sandbox.get("/queue").await;
        assert_eq!(queue["messages"][1]["deliveries"], 3);
        assert_eq!(queue["messages"][0]["deliveries"], 2);
        if rule == "same_transaction" {
            // The sender did not know whether it was sent, and sends it again.
            publish(&sandbox, lost.clone()).await;
            assert_eq!(drained(&sandbox).await, total);
        }
    }
    let sandbox = service.sandbox().await;
    for bad in [
        json!({"id":"a b","order":"o","add":1}),
        json!({"id":"m","order":"o","add":0}),
        json!({"id":"m","order":"o"}),
    ] {
        let response = send(sandbox.request("POST", "/queue").json(&bad)).await;
        assert_eq!(problem(response).await.1, "invalid-request");
    }
}
