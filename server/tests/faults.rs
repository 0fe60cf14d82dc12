//! Faults: what goes wrong, and what is true afterwards.

// Helpers outside of test functions fail the test as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::time::{Duration, Instant};

use common::{ORDER, Service, problem, until};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

#[tokio::test]
async fn a_lost_reply_sends_no_byte_and_the_retry_replays() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    sandbox.faults(json!([{"fault":"lose_reply"}])).await;
    let start = Instant::now();
    let back = sandbox.exchange(&sandbox.raw("k", ORDER)).await;
    assert!(back.is_empty(), "{}", String::from_utf8_lossy(&back));
    assert!(
        start.elapsed() >= Duration::from_millis(150),
        "it is held before it closes"
    );
    assert_eq!(sandbox.taken().await, [4000], "the work was done");
    let retry = sandbox.charge("k", ORDER).send().await.unwrap();
    assert_eq!(retry.status(), 201);
    assert_eq!(retry.headers()["idempotency-replayed"], "true");
    assert_eq!(sandbox.taken().await, [4000]);
}

#[tokio::test]
async fn without_a_key_a_lost_reply_charges_twice() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    sandbox.settings(json!({"keyless":"allow"})).await;
    sandbox.faults(json!([{"fault":"lose_reply"}])).await;
    assert!(sandbox.keyless(ORDER).send().await.is_err());
    assert_eq!(sandbox.keyless(ORDER).send().await.unwrap().status(), 201);
    assert_eq!(sandbox.taken().await, [4000, 4000]);
}

#[tokio::test]
async fn a_lost_request_does_nothing() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    sandbox.faults(json!([{"fault":"lose_request"}])).await;
    let back = sandbox.exchange(&sandbox.raw("k", ORDER)).await;
    assert!(back.is_empty());
    assert!(sandbox.taken().await.is_empty());
    assert_eq!(sandbox.get("/lab/keys").await["keys"], json!([]));
    let retry = sandbox.charge("k", ORDER).send().await.unwrap();
    assert_eq!(retry.status(), 201);
    assert!(!retry.headers().contains_key("idempotency-replayed"));
    assert_eq!(sandbox.taken().await, [4000]);
}

#[tokio::test]
async fn work_outlives_a_client_that_hangs_up() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    sandbox.faults(json!([{"fault":"slow","ms":600}])).await;
    let mut stream = TcpStream::connect(&sandbox.address).await.unwrap();
    stream
        .write_all(sandbox.raw("k", ORDER).as_bytes())
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    drop(stream);
    until("the answer is saved", || async {
        sandbox.get("/lab/keys").await["keys"][0]["state"] == "done"
    })
    .await;
    let retry = sandbox.charge("k", ORDER).send().await.unwrap();
    assert_eq!(retry.status(), 201);
    assert_eq!(retry.headers()["idempotency-replayed"], "true");
    assert_eq!(sandbox.taken().await, [4000]);
}

#[tokio::test]
async fn a_declined_card_is_final_and_replayed() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    sandbox.faults(json!([{"fault":"declined"}])).await;
    let first = sandbox.charge("k", ORDER).send().await.unwrap();
    assert_eq!(first.status(), 402);
    let first = first.bytes().await.unwrap();
    let again = sandbox.charge("k", ORDER).send().await.unwrap();
    assert_eq!(again.headers()["idempotency-replayed"], "true");
    let link = again.headers()["link"].clone();
    assert!(link.to_str().unwrap().contains("card-declined"));
    assert_eq!(again.status(), 402);
    assert_eq!(again.bytes().await.unwrap(), first);
    assert!(sandbox.taken().await.is_empty());
    let body: Value = serde_json::from_slice(&first).unwrap();
    let id = body["charge"].as_str().unwrap();
    assert_eq!(
        sandbox.get(&format!("/charges/{id}")).await["status"],
        "declined"
    );
}

#[tokio::test]
async fn a_processor_in_trouble_is_not_final() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    for (fault, status, slug, after) in [
        ("processor_500", 502, "processor-failed", None),
        ("processor_503", 503, "processor-busy", None),
        ("processor_429", 503, "processor-busy", Some("1")),
    ] {
        sandbox.faults(json!([{ "fault": fault }])).await;
        let first = sandbox.charge(fault, ORDER).send().await.unwrap();
        let retry_after = first
            .headers()
            .get("retry-after")
            .map(|v| v.to_str().unwrap().to_owned());
        assert_eq!(retry_after.as_deref(), after, "{fault}");
        let (got, kind, _) = problem(first).await;
        assert_eq!((got, kind.as_str()), (status, slug), "{fault}");
        let keys = sandbox.get("/lab/keys").await;
        assert_eq!(keys["keys"][0]["state"], "released", "{fault}");
        // At once, without waiting for a lease.
        let retry = sandbox.charge(fault, ORDER).send().await.unwrap();
        assert_eq!(retry.status(), 201, "{fault}");
        assert!(!retry.headers().contains_key("idempotency-replayed"));
    }
    assert_eq!(sandbox.taken().await, [4000, 4000, 4000]);
}

#[tokio::test]
async fn without_processor_keys_a_takeover_charges_twice() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    sandbox
        .settings(json!({"processor_keys":false,"sweeper":false}))
        .await;
    sandbox
        .faults(json!([{"fault":"crash_after_charge"}]))
        .await;
    assert!(sandbox.charge("k", ORDER).send().await.is_err());
    sandbox.advance(30_001).await;
    assert_eq!(
        sandbox.charge("k", ORDER).send().await.unwrap().status(),
        201
    );
    assert_eq!(
        sandbox.taken().await,
        [4000, 4000],
        "what the processor's key guards"
    );
}

#[tokio::test]
async fn each_attempt_takes_one_fault_in_order() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let next = json!([{"fault":"none"},{"fault":"declined"},{"fault":"slow","ms":10}]);
    sandbox.faults(next.clone()).await;
    assert_eq!(sandbox.get("/lab/faults").await["next"], next);
    assert_eq!(
        sandbox.charge("a", ORDER).send().await.unwrap().status(),
        201
    );
    // Even a request that is refused at the door takes its fault.
    assert_eq!(sandbox.charge("b", "{").send().await.unwrap().status(), 400);
    assert_eq!(
        sandbox.charge("c", ORDER).send().await.unwrap().status(),
        201
    );
    assert_eq!(sandbox.get("/lab/faults").await["next"], json!([]));
    sandbox.faults(json!([{"fault":"declined"}])).await;
    let cleared = sandbox
        .request("DELETE", "/lab/faults")
        .send()
        .await
        .unwrap();
    assert_eq!(cleared.status(), 204);
    assert_eq!(
        sandbox.charge("d", ORDER).send().await.unwrap().status(),
        201
    );
}

#[tokio::test]
async fn what_the_lab_does_not_know_is_refused() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    for (method, path, body, slug) in [
        (
            "POST",
            "/lab/faults",
            json!({"next":[{"fault":"lightning"}]}),
            "invalid-request",
        ),
        (
            "POST",
            "/lab/faults",
            json!({"next":[{"fault":"slow"}]}),
            "invalid-request",
        ),
        (
            "POST",
            "/lab/faults",
            json!({"next":[{"fault":"slow","ms":60001}]}),
            "invalid-request",
        ),
        (
            "POST",
            "/lab/faults",
            json!({"next":vec![json!({"fault":"none"}); 101]}),
            "invalid-request",
        ),
        (
            "POST",
            "/lab/clock",
            json!({"advance_ms":-1}),
            "invalid-request",
        ),
        (
            "PATCH",
            "/lab/settings",
            json!({"keyless":"never"}),
            "invalid-request",
        ),
        (
            "PATCH",
            "/lab/settings",
            json!({"pods":0}),
            "invalid-request",
        ),
        (
            "PATCH",
            "/lab/settings",
            json!({"colour":"red"}),
            "invalid-request",
        ),
        ("PATCH", "/lab/settings", json!([]), "invalid-request"),
    ] {
        let response = sandbox
            .request(method, path)
            .json(&body)
            .send()
            .await
            .unwrap();
        let (status, kind, _) = problem(response).await;
        assert_eq!((status, kind.as_str()), (422, slug), "{path} {body}");
    }
    assert_eq!(sandbox.get("/lab/faults").await["next"], json!([]));
    let settings = sandbox.get("/lab/settings").await;
    assert_eq!(settings["keyless"], "require");
    assert_eq!(settings["lease_ms"], 30_000);
    assert_eq!(settings["processor_keys"], true);
}
