//! What a key does: one charge, one answer.

// Helpers outside of test functions fail the test as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::collections::HashMap;
use std::time::Duration;

use common::{ORDER, Service, problem, until};
use futures::future::join_all;
use serde_json::{Value, json};

#[tokio::test]
async fn a_replay_is_the_same_to_the_byte() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let body = r#"{"amount":4000,"currency":"usd","description":"a \"big\" thing, 5 €"}"#;
    let first = sandbox.charge("k-7f3", body).send().await.unwrap();
    assert_eq!(first.status(), 201);
    assert!(!first.headers().contains_key("idempotency-replayed"));
    let location = first.headers()["location"].clone();
    let first = first.bytes().await.unwrap();
    let made: Value = serde_json::from_slice(&first).unwrap();
    assert_eq!(
        location.to_str().unwrap(),
        format!("/charges/{}", made["id"].as_str().unwrap())
    );
    assert_eq!(
        (
            &made["amount"],
            &made["currency"],
            &made["status"],
            &made["description"]
        ),
        (
            &json!(4000),
            &json!("usd"),
            &json!("succeeded"),
            &json!("a \"big\" thing, 5 €")
        )
    );
    // Later, quoted, with other white space and order: still the same request.
    sandbox.advance(3_600_000).await;
    let reordered =
        r#" { "description" : "a \"big\" thing, 5 \u20ac", "currency":"usd", "amount": 4.0e3 } "#;
    for (key, body) in [("\"k-7f3\"", body), ("k-7f3", reordered)] {
        let again = sandbox.charge(key, body).send().await.unwrap();
        assert_eq!(again.status(), 201);
        assert_eq!(again.headers()["idempotency-replayed"], "true");
        assert_eq!(again.headers()["location"], location);
        assert_eq!(again.headers()["content-type"], "application/json");
        assert!(!again.headers().contains_key("set-cookie"));
        assert_eq!(again.bytes().await.unwrap(), first);
    }
    assert_eq!(sandbox.taken().await, [4000]);
    let read = sandbox
        .request("GET", location.to_str().unwrap())
        .send()
        .await
        .unwrap();
    assert_eq!(read.bytes().await.unwrap(), first);
}

#[tokio::test]
async fn another_request_under_the_key_is_refused_done_or_running() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    sandbox.faults(json!([{"fault":"slow","ms":1500}])).await;
    let slow = tokio::spawn(sandbox.charge("k", ORDER).send());
    until("the key is claimed", || async {
        !sandbox.get("/lab/keys").await["keys"]
            .as_array()
            .unwrap()
            .is_empty()
    })
    .await;
    for body in [
        r#"{"amount":4001,"currency":"usd"}"#,
        r#"{"amount":4000,"currency":"eur"}"#,
        r#"{"amount":4000,"currency":"usd","more":1}"#,
    ] {
        let other = sandbox.charge("k", body).send().await.unwrap();
        let (status, slug, _) = problem(other).await;
        assert_eq!(
            (status, slug.as_str()),
            (422, "idempotency-key-reused"),
            "{body}"
        );
    }
    assert_eq!(slow.await.unwrap().unwrap().status(), 201);
    let other = sandbox
        .charge("k", r#"{"amount":1,"currency":"usd"}"#)
        .send()
        .await
        .unwrap();
    assert_eq!(problem(other).await.1, "idempotency-key-reused");
    assert_eq!(sandbox.taken().await, [4000]);
}

#[tokio::test]
async fn twenty_at_once_are_one_charge() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let all = join_all((0..20).map(|_| sandbox.charge("k", ORDER).send())).await;
    let mut bodies = Vec::new();
    for response in all {
        let response = response.unwrap();
        match response.status().as_u16() {
            201 => bodies.push(response.bytes().await.unwrap()),
            409 => assert_eq!(problem(response).await.1, "idempotency-key-in-progress"),
            other => panic!("{other}"),
        }
    }
    assert!(!bodies.is_empty());
    assert!(bodies.iter().all(|body| *body == bodies[0]));
    assert_eq!(sandbox.taken().await, [4000]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_times_from_64_connections_is_one_charge() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let workers = (0..64).map(|worker| {
        let sandbox = sandbox.clone();
        tokio::spawn(async move {
            // A client of its own has a connection of its own.
            let sandbox = common::Sandbox {
                client: common::client(),
                ..sandbox
            };
            let mut seen: HashMap<u16, u32> = HashMap::new();
            let share = 1000 / 64 + u32::from(worker < 1000 % 64);
            for _ in 0..share {
                let response = sandbox.charge("hot", ORDER).send().await.unwrap();
                *seen.entry(response.status().as_u16()).or_default() += 1;
                response.bytes().await.unwrap();
            }
            seen
        })
    });
    let mut seen: HashMap<u16, u32> = HashMap::new();
    for worker in join_all(workers).await {
        for (status, count) in worker.unwrap() {
            *seen.entry(status).or_default() += count;
        }
    }
    assert_eq!(seen.values().sum::<u32>(), 1000);
    assert!(
        seen.keys().all(|status| matches!(status, 201 | 409)),
        "{seen:?}"
    );
    assert!(seen[&201] >= 1);
    assert_eq!(sandbox.taken().await, [4000]);
    println!("answers: {seen:?}");
}

#[tokio::test]
async fn a_running_key_answers_409_within_the_lease() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    sandbox.faults(json!([{"fault":"slow","ms":1200}])).await;
    let slow = tokio::spawn(sandbox.charge("k", ORDER).send());
    tokio::time::sleep(Duration::from_millis(300)).await;
    let early = sandbox.charge("k", ORDER).send().await.unwrap();
    let after: u64 = early.headers()["retry-after"]
        .to_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!((1..=30).contains(&after), "{after}");
    let (status, slug, _) = problem(early).await;
    assert_eq!(
        (status, slug.as_str()),
        (409, "idempotency-key-in-progress")
    );
    // The money is taken at once; only the answer is slow.
    assert_eq!(sandbox.taken().await, [4000]);
    let first = slow.await.unwrap().unwrap().bytes().await.unwrap();
    let again = sandbox.charge("k", ORDER).send().await.unwrap();
    assert_eq!(again.bytes().await.unwrap(), first);
}

#[tokio::test]
async fn malformed_keys_are_refused_before_anything_is_stored() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let long = "k".repeat(256);
    for key in [
        "",
        "\"\"",
        "a b",
        "\"a b\"",
        "\"a",
        "a\"",
        "\"a\", \"b\"",
        "a,b",
        "\"a\";v=1",
        "a;v=1",
        "käse",
        &long,
    ] {
        let response = sandbox.charge(key, ORDER).send().await.unwrap();
        let (status, slug, _) = problem(response).await;
        assert_eq!(
            (status, slug.as_str()),
            (400, "idempotency-key-malformed"),
            "{key:?}"
        );
    }
    let twice = sandbox
        .charge("a", ORDER)
        .header("Idempotency-Key", "a")
        .send()
        .await
        .unwrap();
    assert_eq!(problem(twice).await.1, "idempotency-key-malformed");
    assert!(sandbox.taken().await.is_empty());
    assert_eq!(sandbox.get("/lab/keys").await["keys"], json!([]));
    let longest = sandbox.charge(&long[1..], ORDER).send().await.unwrap();
    assert_eq!(longest.status(), 201);
}

#[tokio::test]
async fn without_a_key_the_policy_decides() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let (status, slug, _) = problem(sandbox.keyless(ORDER).send().await.unwrap()).await;
    assert_eq!((status, slug.as_str()), (400, "idempotency-key-missing"));
    assert!(sandbox.taken().await.is_empty());
    sandbox.settings(json!({"keyless":"allow"})).await;
    let mut ids = Vec::new();
    for _ in 0..2 {
        let response = sandbox.keyless(ORDER).send().await.unwrap();
        assert_eq!(response.status(), 201);
        assert!(!response.headers().contains_key("idempotency-replayed"));
        let body: Value = response.json().await.unwrap();
        ids.push(body["id"].as_str().unwrap().to_owned());
    }
    assert_ne!(ids[0], ids[1]);
    assert_eq!(sandbox.taken().await, [4000, 4000]);
    let list = sandbox.get("/charges").await;
    assert_eq!(list["data"].as_array().unwrap().len(), 2);
    // The deployment's own policy.
    let open = Service::with(&["--keyless", "allow"]).await;
    let sandbox = open.sandbox().await;
    assert_eq!(sandbox.keyless(ORDER).send().await.unwrap().status(), 201);
}

#[tokio::test]
async fn after_the_lease_a_retry_takes_over_and_charges_no_second_time() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    for (key, fault) in [
        ("before", "crash_before_charge"),
        ("after", "crash_after_charge"),
        ("save", "crash_before_save"),
    ] {
        sandbox.faults(json!([{ "fault": fault }])).await;
        let back = sandbox.exchange(&sandbox.raw(key, ORDER)).await;
        assert!(back.is_empty(), "{fault}: a dead process sends nothing");
        let early = sandbox.charge(key, ORDER).send().await.unwrap();
        assert_eq!(early.status(), 409, "{fault}: the lease stays behind");
        sandbox.advance(30_001).await;
        let retry = sandbox.charge(key, ORDER).send().await.unwrap();
        assert_eq!(retry.status(), 201, "{fault}");
        assert!(!retry.headers().contains_key("idempotency-replayed"));
        let retry = retry.bytes().await.unwrap();
        let again = sandbox.charge(key, ORDER).send().await.unwrap();
        assert_eq!(again.headers()["idempotency-replayed"], "true");
        assert_eq!(again.bytes().await.unwrap(), retry);
        let keys = sandbox.get("/lab/keys").await;
        assert_eq!(keys["keys"][0]["key"], key);
        assert_eq!(keys["keys"][0]["token"], 2, "{fault}: the token was raised");
    }
    assert_eq!(sandbox.taken().await, [4000, 4000, 4000]);
}

#[tokio::test]
async fn a_slow_owner_that_lives_is_not_taken_over() {
    let service = Service::with(&["--lease", "300ms"]).await;
    let sandbox = service.sandbox().await;
    sandbox.faults(json!([{"fault":"slow","ms":1500}])).await;
    let slow = tokio::spawn(sandbox.charge("k", ORDER).send());
    // Three times the lease has gone by, and the heartbeat has kept it.
    tokio::time::sleep(Duration::from_millis(1000)).await;
    assert_eq!(
        sandbox.charge("k", ORDER).send().await.unwrap().status(),
        409
    );
    assert_eq!(slow.await.unwrap().unwrap().status(), 201);
    let keys = sandbox.get("/lab/keys").await;
    assert_eq!(keys["keys"][0]["token"], 1);
    // Without the heartbeat it is taken over, and the late owner is fenced off.
    sandbox.settings(json!({"heartbeat":false})).await;
    sandbox.faults(json!([{"fault":"slow","ms":1500}])).await;
    let late = tokio::spawn(sandbox.charge("l", ORDER).send());
    tokio::time::sleep(Duration::from_millis(800)).await;
    let second = sandbox.charge("l", ORDER).send().await.unwrap();
    assert_eq!(second.status(), 201);
    assert!(!second.headers().contains_key("idempotency-replayed"));
    let second = second.bytes().await.unwrap();
    let late = late.await.unwrap().unwrap();
    assert_eq!(late.headers()["idempotency-replayed"], "true");
    assert_eq!(
        late.bytes().await.unwrap(),
        second,
        "both got the saved answer"
    );
    assert_eq!(sandbox.taken().await, [4000, 4000]);
}

#[tokio::test]
async fn an_expired_key_is_refused_and_charges_nothing() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    assert_eq!(
        sandbox.charge("k", ORDER).send().await.unwrap().status(),
        201
    );
    sandbox.advance(86_400_000 - 60_000).await;
    assert_eq!(
        sandbox.charge("k", ORDER).send().await.unwrap().status(),
        201
    );
    sandbox.advance(60_001).await;
    let (status, slug, _) = problem(sandbox.charge("k", ORDER).send().await.unwrap()).await;
    assert_eq!((status, slug.as_str()), (410, "idempotency-key-expired"));
    let other = sandbox
        .charge("k", r#"{"amount":1,"currency":"usd"}"#)
        .send()
        .await
        .unwrap();
    assert_eq!(problem(other).await.0, 422, "the fingerprint comes first");
    assert_eq!(sandbox.taken().await, [4000]);
    assert_eq!(
        sandbox.charge("new", ORDER).send().await.unwrap().status(),
        201
    );
}

#[tokio::test]
async fn sandboxes_never_see_one_another() {
    let service = Service::start().await;
    let (one, two) = (service.sandbox().await, service.sandbox().await);
    let first: Value = one
        .charge("k", ORDER)
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    let id = first["id"].as_str().unwrap();
    // The same key, another body: another request of somebody else.
    let other = two
        .charge("k", r#"{"amount":7,"currency":"eur"}"#)
        .send()
        .await
        .unwrap();
    assert_eq!(other.status(), 201);
    let read = two
        .request("GET", &format!("/charges/{id}"))
        .send()
        .await
        .unwrap();
    assert_eq!(problem(read).await.0, 404);
    let page = two
        .request("GET", &format!("/charges?after={id}"))
        .send()
        .await
        .unwrap();
    assert_eq!(problem(page).await.0, 400);
    assert_eq!(two.taken().await, [7]);
    assert_eq!(
        two.get("/lab/keys").await["keys"].as_array().unwrap().len(),
        1
    );
    two.advance(99_999_999_999).await;
    assert_eq!(one.charge("k", ORDER).send().await.unwrap().status(), 201);
    assert_eq!(
        two.request("POST", "/lab/reset")
            .send()
            .await
            .unwrap()
            .status(),
        204
    );
    assert_eq!(one.taken().await, [4000]);
    assert!(two.taken().await.is_empty());
    assert_eq!(two.get("/charges").await["data"], json!([]));
    assert_eq!(two.get("/lab/keys").await["keys"], json!([]));
}

#[tokio::test]
async fn charges_are_listed_newest_first_in_pages() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    for amount in 1..=5 {
        let body = format!(r#"{{"amount":{amount},"currency":"usd"}}"#);
        sandbox
            .charge(&format!("k{amount}"), &body)
            .send()
            .await
            .unwrap();
    }
    let amounts = |page: &Value| -> Vec<u64> {
        let data = page["data"].as_array().unwrap();
        data.iter()
            .map(|charge| charge["amount"].as_u64().unwrap())
            .collect()
    };
    let mut seen = Vec::new();
    let mut path = String::from("/charges?limit=2");
    loop {
        let page = sandbox.get(&path).await;
        seen.push(amounts(&page));
        match page["next"].as_str() {
            Some(next) => path = format!("/charges?limit=2&after={next}"),
            None => break,
        }
    }
    assert_eq!(seen, [vec![5, 4], vec![3, 2], vec![1]]);
    for bad in [
        "limit=0",
        "limit=101",
        "limit=x",
        "limit=-1",
        "after=ch_none",
    ] {
        let response = sandbox
            .request("GET", &format!("/charges?{bad}"))
            .send()
            .await
            .unwrap();
        assert_eq!(problem(response).await.1, "bad-request", "{bad}");
    }
}
