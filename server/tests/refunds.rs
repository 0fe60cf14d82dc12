//! Refunds: the same protocol, and money that goes back once.

// Helpers outside of test functions fail the test as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{ORDER, Sandbox, Service, problem};
use futures::future::join_all;
use serde_json::{Value, json};

async fn charged(sandbox: &Sandbox, key: &str) -> String {
    let made = sandbox.charge(key, ORDER).send().await.unwrap();
    let made: Value = made.json().await.unwrap();
    format!("/charges/{}", made["id"].as_str().unwrap())
}

fn refund(sandbox: &Sandbox, charge: &str, key: &str) -> reqwest::RequestBuilder {
    sandbox
        .request("POST", &format!("{charge}/refunds"))
        .header("Idempotency-Key", key)
}

async fn given_back(sandbox: &Sandbox) -> usize {
    sandbox.get("/lab/ledger").await["refunds"]
        .as_array()
        .unwrap()
        .len()
}

#[tokio::test]
async fn a_refund_is_replayed_and_the_charge_shows_it() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let charge = charged(&sandbox, "c").await;
    let before = sandbox
        .charge("c", ORDER)
        .send()
        .await
        .unwrap()
        .bytes()
        .await
        .unwrap();
    let first = refund(&sandbox, &charge, "r").send().await.unwrap();
    assert_eq!(first.status(), 201);
    assert_eq!(first.headers()["location"], charge.as_str());
    let first = first.bytes().await.unwrap();
    let body: Value = serde_json::from_slice(&first).unwrap();
    assert!(body["id"].as_str().unwrap().starts_with("re_"));
    assert_eq!(
        (&body["amount"], &body["currency"]),
        (&json!(4000), &json!("usd"))
    );
    let again = refund(&sandbox, &charge, "r").send().await.unwrap();
    assert_eq!(again.headers()["idempotency-replayed"], "true");
    assert_eq!(again.bytes().await.unwrap(), first);
    assert_eq!(sandbox.get(&charge).await["status"], "refunded");
    // The replay of the charge still says what was then.
    let after = sandbox
        .charge("c", ORDER)
        .send()
        .await
        .unwrap()
        .bytes()
        .await
        .unwrap();
    assert_eq!(after, before);
    assert_eq!(
        (sandbox.taken().await, given_back(&sandbox).await),
        (vec![4000], 1)
    );
}

#[tokio::test]
async fn a_charge_is_given_back_once_whatever_the_key() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let charge = charged(&sandbox, "c").await;
    let all = join_all((0..8).map(|n| refund(&sandbox, &charge, &format!("r{n}")).send())).await;
    let mut ids = Vec::new();
    for response in all {
        let response = response.unwrap();
        assert_eq!(response.status(), 201);
        ids.push(response.json::<Value>().await.unwrap()["id"].clone());
    }
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    assert_eq!(given_back(&sandbox).await, 1);
}

#[tokio::test]
async fn a_key_belongs_to_one_endpoint_and_refunds_need_a_charge() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let charge = charged(&sandbox, "c").await;
    let other = charged(&sandbox, "d").await;
    let slug = async |request: reqwest::RequestBuilder| {
        let (status, slug, _) = problem(request.send().await.unwrap()).await;
        (status, slug)
    };
    let want = |status: u16, slug: &str| (status, slug.to_owned());
    assert_eq!(
        slug(refund(&sandbox, &charge, "c")).await,
        want(422, "idempotency-key-reused")
    );
    assert_eq!(
        refund(&sandbox, &charge, "r")
            .send()
            .await
            .unwrap()
            .status(),
        201
    );
    assert_eq!(
        slug(refund(&sandbox, &other, "r")).await,
        want(422, "idempotency-key-reused")
    );
    assert_eq!(
        slug(refund(&sandbox, "/charges/ch_no", "x")).await,
        want(404, "not-found")
    );
    let keyless = sandbox.request("POST", &format!("{other}/refunds"));
    assert_eq!(slug(keyless).await, want(400, "idempotency-key-missing"));
    let part = refund(&sandbox, &other, "p").json(&json!({"amount": 1}));
    assert_eq!(slug(part).await, want(422, "invalid-charge"));
    sandbox.faults(json!([{"fault":"declined"}])).await;
    let declined = sandbox.charge("no", ORDER).send().await.unwrap();
    let declined: Value = declined.json().await.unwrap();
    let declined = format!("/charges/{}", declined["charge"].as_str().unwrap());
    assert_eq!(
        slug(refund(&sandbox, &declined, "q")).await,
        want(422, "invalid-charge")
    );
    let stranger = service.sandbox().await;
    assert_eq!(
        slug(refund(&stranger, &charge, "r")).await,
        want(404, "not-found")
    );
    assert_eq!(given_back(&sandbox).await, 1);
}
