//! The unsafe forms: each mechanism switched off, and the harm that it guards from.

// Helpers outside of test functions fail the test as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{ORDER, Sandbox, Service, problem};
use serde_json::{Value, json};

/// Without keys at the processor nothing behind the service catches its mistakes.
fn bare(mut settings: Value) -> Value {
    settings["processor_keys"] = json!(false);
    settings["sweeper"] = json!(false);
    settings
}

async fn with(service: &Service, settings: Value) -> Sandbox {
    let sandbox = service.sandbox().await;
    sandbox.settings(settings).await;
    sandbox
}

async fn status(request: reqwest::RequestBuilder) -> u16 {
    request.send().await.unwrap().status().as_u16()
}

async fn duplicates(sandbox: &Sandbox) -> u64 {
    let report = sandbox.get("/lab/settlement").await;
    report["totals"]["duplicates"].as_u64().unwrap()
}

#[tokio::test]
async fn look_up_then_insert_charges_twice_at_once() {
    let service = Service::start().await;
    for (claim, taken) in [("unique_insert", 1), ("lookup_then_insert", 2)] {
        let sandbox = with(&service, bare(json!({ "claim": claim }))).await;
        let (one, two) = tokio::join!(
            status(sandbox.charge("k", ORDER)),
            status(sandbox.charge("k", ORDER))
        );
        assert!(one == 201 || two == 201, "{one} {two}");
        assert_eq!(sandbox.taken().await.len(), taken, "{claim}");
        assert_eq!(duplicates(&sandbox).await, taken as u64 - 1);
    }
    // A key at the processor is the second line: it hides the hole.
    let sandbox = with(&service, json!({"claim":"lookup_then_insert"})).await;
    tokio::join!(
        status(sandbox.charge("k", ORDER)),
        status(sandbox.charge("k", ORDER))
    );
    assert_eq!(sandbox.taken().await.len(), 1);
}

#[tokio::test]
async fn without_processor_keys_and_sweeper_a_takeover_charges_twice() {
    let service = Service::start().await;
    for (settings, taken) in [(json!({}), 1), (bare(json!({})), 2)] {
        let sandbox = with(&service, settings).await;
        sandbox
            .faults(json!([{"fault":"crash_after_charge"}]))
            .await;
        assert!(sandbox.charge("k", ORDER).send().await.is_err());
        sandbox.advance(30_001).await;
        assert_eq!(status(sandbox.charge("k", ORDER)).await, 201);
        assert_eq!(sandbox.taken().await.len(), taken);
        assert_eq!(duplicates(&sandbox).await, taken as u64 - 1);
    }
}

#[tokio::test]
async fn without_a_lease_a_crash_is_stuck_for_the_whole_retention() {
    let service = Service::start().await;
    for (lease, want) in [(true, 201), (false, 409)] {
        let sandbox = with(&service, json!({ "lease": lease })).await;
        sandbox.faults(json!([{"fault":"crash_before_save"}])).await;
        assert!(sandbox.charge("k", ORDER).send().await.is_err());
        sandbox.advance(23 * 3_600_000).await;
        assert_eq!(status(sandbox.charge("k", ORDER)).await, want);
    }
}

#[tokio::test]
async fn without_a_body_hash_another_amount_is_answered_with_the_first() {
    let service = Service::start().await;
    let other = r#"{"amount":99900,"currency":"usd"}"#;
    let safe = with(&service, json!({})).await;
    assert_eq!(status(safe.charge("k", ORDER)).await, 201);
    assert_eq!(status(safe.charge("k", other)).await, 422);
    let sandbox = with(&service, json!({"fingerprint":false})).await;
    assert_eq!(status(sandbox.charge("k", ORDER)).await, 201);
    let wrong = sandbox.charge("k", other).send().await.unwrap();
    assert_eq!(wrong.status(), 201);
    let wrong: Value = wrong.json().await.unwrap();
    assert_eq!(wrong["amount"], 4000, "asked for 99900");
    assert_eq!(sandbox.taken().await, [4000]);
}

#[tokio::test]
async fn without_an_account_scope_one_gets_the_answer_of_another() {
    let service = Service::start().await;
    for (scope, taken) in [(true, 2), (false, 1)] {
        let sandbox = with(&service, json!({ "account_scope": scope })).await;
        let mut ids = Vec::new();
        for (user, intent) in [("alice", "a-1"), ("bob", "b-1")] {
            let response = sandbox
                .charge("order-1", ORDER)
                .header("X-Lab-User", user)
                .header("X-Lab-Intent", intent)
                .send()
                .await
                .unwrap();
            assert_eq!(response.status(), 201);
            let body: Value = response.json().await.unwrap();
            ids.push(body["id"].as_str().unwrap().to_owned());
        }
        assert_eq!(ids[0] == ids[1], !scope);
        assert_eq!(sandbox.taken().await.len(), taken);
        let report = sandbox.get("/lab/settlement").await;
        assert_eq!(report["totals"]["missing"], u64::from(!scope), "{report}");
    }
}

#[tokio::test]
async fn an_expired_key_that_is_accepted_charges_again() {
    let service = Service::start().await;
    for (expired, want, taken) in [("refuse", 410, 1), ("accept", 201, 2)] {
        let settings = json!({"expired":expired,"retention_ms":60_000});
        let sandbox = with(&service, settings).await;
        assert_eq!(status(sandbox.charge("k", ORDER)).await, 201);
        sandbox.advance(60_001).await;
        assert_eq!(status(sandbox.charge("k", ORDER)).await, want);
        assert_eq!(sandbox.taken().await.len(), taken);
        assert_eq!(duplicates(&sandbox).await, taken as u64 - 1);
    }
}

#[tokio::test]
async fn keys_in_the_memory_of_pods_charge_twice() {
    let service = Service::start().await;
    for (store, taken) in [("shared", 1), ("pod_memory", 2)] {
        let sandbox = with(&service, bare(json!({"store":store,"pods":2}))).await;
        for pod in ["1", "2"] {
            let response = sandbox.charge("k", ORDER).send().await.unwrap();
            assert_eq!(response.headers()["x-lab-pod"], pod);
            assert_eq!(response.status(), 201);
        }
        assert_eq!(sandbox.taken().await.len(), taken, "{store}");
        // Each pod knows its own, until it restarts.
        let charge = || sandbox.charge("k", ORDER).header("X-Lab-Pod", "1");
        assert_eq!(status(charge()).await, 201);
        assert_eq!(sandbox.taken().await.len(), taken);
        let restart = sandbox.request("POST", "/lab/pods/1/restart");
        assert_eq!(status(restart).await, 204);
        assert_eq!(status(charge()).await, 201);
        let again = usize::from(store == "pod_memory");
        assert_eq!(sandbox.taken().await.len(), taken + again, "{store}");
    }
    let sandbox = with(&service, json!({"pods":2})).await;
    let restart = sandbox.request("POST", "/lab/pods/3/restart");
    let response = restart.send().await.unwrap();
    assert_eq!(problem(response).await.1, "invalid-request");
}

#[tokio::test]
async fn a_restart_ends_what_runs_on_its_pod_and_leaves_the_lease() {
    let service = Service::start().await;
    let sandbox = with(&service, json!({"pods":2})).await;
    sandbox.faults(json!([{"fault":"slow","ms":5000}])).await;
    let slow = tokio::spawn(sandbox.charge("k", ORDER).send());
    common::until("it runs", || async { !sandbox.taken().await.is_empty() }).await;
    let restart = sandbox.request("POST", "/lab/pods/1/restart");
    assert_eq!(status(restart).await, 204);
    assert!(slow.await.unwrap().is_err(), "no byte comes back");
    assert_eq!(status(sandbox.charge("k", ORDER)).await, 409);
    sandbox.advance(30_001).await;
    assert_eq!(status(sandbox.charge("k", ORDER)).await, 201);
    assert_eq!(sandbox.taken().await, [4000]);
}

#[tokio::test]
async fn without_fencing_a_late_owner_changes_an_answer_that_was_given() {
    let service = Service::start().await;
    for (fencing, changed) in [(true, false), (false, true)] {
        let settings = bare(json!({"fencing":fencing,"heartbeat":false,"lease_ms":200}));
        let sandbox = with(&service, settings).await;
        sandbox.faults(json!([{"fault":"slow","ms":900}])).await;
        let late = tokio::spawn(sandbox.charge("k", ORDER).send());
        tokio::time::sleep(std::time::Duration::from_millis(450)).await;
        let given = sandbox.charge("k", ORDER).send().await.unwrap();
        assert_eq!(given.status(), 201);
        let given = given.bytes().await.unwrap();
        late.await.unwrap().unwrap();
        let again = sandbox.charge("k", ORDER).send().await.unwrap();
        assert_eq!(again.bytes().await.unwrap() != given, changed);
    }
}

#[tokio::test]
async fn the_settlement_tells_duplicates_missing_and_orphaned_apart() {
    let service = Service::start().await;
    let sandbox = with(&service, json!({"keyless":"allow"})).await;
    assert_eq!(status(sandbox.charge("=good", ORDER)).await, 201);
    for _ in 0..2 {
        let press = sandbox.keyless(ORDER).header("X-Lab-Intent", "press-1");
        assert_eq!(status(press).await, 201);
    }
    sandbox
        .faults(
            json!([{"fault":"declined"},{"fault":"crash_after_charge"},{"fault":"processor_500"}]),
        )
        .await;
    assert_eq!(status(sandbox.charge("declined", ORDER)).await, 402);
    assert!(sandbox.charge("orphan", ORDER).send().await.is_err());
    assert_eq!(status(sandbox.charge("pending", ORDER)).await, 502);
    let report = sandbox.get("/lab/settlement").await;
    assert_eq!(
        report["totals"],
        json!({"intended":5,"taken":4,"settled":1,"declined":1,"pending":1,
               "duplicates":1,"missing":0,"orphaned":1})
    );
    let csv = sandbox
        .request("GET", "/lab/settlement")
        .header("Accept", "text/csv")
        .send()
        .await
        .unwrap();
    assert!(
        csv.headers()["content-type"]
            .to_str()
            .unwrap()
            .starts_with("text/csv")
    );
    let csv = csv.text().await.unwrap();
    assert_eq!(csv.lines().count(), 6, "{csv}");
    assert!(
        csv.contains("\"press-1\",4000,usd,duplicate,201,ch_"),
        "{csv}"
    );
    assert!(csv.contains("\"'=good\",4000,usd,settled"), "{csv}");
    let asked = sandbox.request("GET", "/lab/settlement?format=csv");
    assert_eq!(asked.send().await.unwrap().text().await.unwrap(), csv);
    // The retry finds what was taken.
    sandbox.advance(30_001).await;
    assert_eq!(status(sandbox.charge("orphan", ORDER)).await, 201);
    let report = sandbox.get("/lab/settlement").await;
    assert_eq!(report["totals"]["orphaned"], 0);
}
