//! The description against what the server answers.

// Helpers outside of test functions fail the test as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::collections::BTreeSet;

use common::{ORDER, Sandbox, Service};
use serde_json::{Value, json};

/// What was seen of the service: method, documented path, status.
struct Seen<'a> {
    sandbox: &'a Sandbox,
    seen: BTreeSet<(String, String, u16)>,
}

impl Seen<'_> {
    /// Sends a request of a documented path, with its parameter filled in.
    async fn send(&mut self, method: &str, path: &str, with: &str, body: Option<Value>) -> u16 {
        self.send_with(method, path, with, body, &[]).await
    }

    async fn send_with(
        &mut self,
        method: &str,
        path: &str,
        with: &str,
        body: Option<Value>,
        headers: &[(&str, &str)],
    ) -> u16 {
        let address = path.replace("{id}", with).replace("{pod}", with);
        let mut request = self.sandbox.request(method, &address);
        if let Some(body) = body {
            request = request.json(&body);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        if status >= 400 {
            let kind = &response.headers()["content-type"];
            assert_eq!(kind, "application/problem+json", "{method} {path}");
        }
        let seen = (method.to_lowercase(), path.to_owned(), status);
        self.seen.insert(seen);
        status
    }
}

#[tokio::test]
async fn every_documented_route_answers_as_documented() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let api = sandbox.get("/api/openapi.json").await;
    assert!(api["openapi"].as_str().unwrap().starts_with("3."));
    let mut documented = BTreeSet::new();
    for (path, item) in api["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            for status in operation["responses"].as_object().unwrap().keys() {
                documented.insert((method.clone(), path.clone(), status.parse().unwrap()));
            }
        }
    }

    let order: Value = serde_json::from_str(ORDER).unwrap();
    let made = sandbox.charge("first", ORDER).send().await.unwrap();
    let made: Value = made.json().await.unwrap();
    let id = made["id"].as_str().unwrap();
    let mut seen = Seen {
        sandbox: &sandbox,
        seen: BTreeSet::new(),
    };
    let key = |key: &'static str| [("Idempotency-Key", key)];

    for path in ["/healthz", "/readyz", "/metrics", "/api/openapi.json"] {
        seen.send("GET", path, "", None).await;
    }
    for path in [
        "/charges",
        "/queue",
        "/lab/faults",
        "/lab/settings",
        "/lab/ledger",
        "/lab/keys",
        "/lab/settlement",
        "/lab/trace",
    ] {
        assert_eq!(seen.send("GET", path, "", None).await, 200, "{path}");
    }
    seen.send("POST", "/sandboxes", "", None).await;
    seen.send("POST", "/lab/session", "", None).await;
    let charges = "/charges";
    for (name, body) in [
        ("ok", order.clone()),
        ("a b", order.clone()),
        ("first", json!({"amount":1,"currency":"usd"})),
    ] {
        seen.send_with("POST", charges, "", Some(body), &key(name))
            .await;
    }
    seen.send_with("POST", charges, "", None, &key("415")).await;
    for (fault, name, want) in [
        ("declined", "no", 402),
        ("processor_500", "bad", 502),
        ("processor_503", "busy", 503),
    ] {
        sandbox.faults(json!([{ "fault": fault }])).await;
        let status = seen
            .send_with("POST", charges, "", Some(order.clone()), &key(name))
            .await;
        assert_eq!(status, want);
    }
    sandbox
        .faults(json!([{"fault":"crash_before_charge"}]))
        .await;
    assert!(sandbox.charge("409", ORDER).send().await.is_err());
    let running = key("409");
    assert_eq!(
        seen.send_with("POST", charges, "", Some(order.clone()), &running)
            .await,
        409
    );
    seen.send("GET", "/charges/{id}", id, None).await;
    seen.send("GET", "/charges/{id}", "ch_none", None).await;
    let refunds = "/charges/{id}/refunds";
    for (name, of) in [("r-1", id), ("first", id), ("a b", id), ("r-2", "ch_none")] {
        seen.send_with("POST", refunds, of, None, &key(name)).await;
    }
    let status = "/orders/{id}/status";
    for body in [json!({"status":"paid"}), json!({"status":"lost"})] {
        seen.send("PUT", status, "o-1", Some(body)).await;
    }
    seen.send("GET", "/orders/{id}", "o-1", None).await;
    seen.send("GET", "/orders/{id}", "o-2", None).await;
    for version in ["\"v1\"", "\"v1\"", "v1"] {
        let headers = [("If-Match", version)];
        seen.send_with(
            "PATCH",
            "/orders/{id}",
            "o-1",
            Some(json!({"add":5})),
            &headers,
        )
        .await;
    }
    for body in [json!({"add":5}), json!({"add":0})] {
        seen.send("PATCH", "/orders/{id}", "o-1", Some(body)).await;
    }
    for body in [json!({"id":"m","order":"o-1","add":1}), json!({})] {
        seen.send("POST", "/queue", "", Some(body)).await;
    }
    for (method, path, good) in [
        ("POST", "/lab/faults", json!({"next":[]})),
        ("POST", "/lab/clock", json!({"advance_ms":1})),
        ("PATCH", "/lab/settings", json!({"pods":2})),
    ] {
        assert_eq!(seen.send(method, path, "", Some(good)).await, 200, "{path}");
        assert_eq!(
            seen.send(method, path, "", Some(json!([]))).await,
            422,
            "{path}"
        );
        assert_eq!(seen.send(method, path, "", None).await, 415, "{path}");
    }
    seen.send("POST", "/lab/pods/{pod}/restart", "2", None)
        .await;
    seen.send("POST", "/lab/pods/{pod}/restart", "9", None)
        .await;
    sandbox.advance(86_400_000).await;
    let old = key("first");
    assert_eq!(
        seen.send_with("POST", charges, "", Some(order.clone()), &old)
            .await,
        410
    );
    seen.send("DELETE", "/lab/faults", "", None).await;
    seen.send("POST", "/lab/reset", "", None).await;

    let undocumented: Vec<_> = seen.seen.difference(&documented).collect();
    assert!(undocumented.is_empty(), "{undocumented:?}");
    // Each method of each path was seen to succeed.
    for (method, path, _) in &documented {
        let good = seen
            .seen
            .iter()
            .any(|(m, p, status)| m == method && p == path && *status < 300);
        assert!(good, "{method} {path}");
    }
    // Other methods of these paths do not exist.
    for (path, item) in api["paths"].as_object().unwrap() {
        let address = path.replace("{id}", "x").replace("{pod}", "1");
        for method in ["get", "put", "post", "patch", "delete"] {
            if item.get(method).is_none() {
                let request = sandbox.request(&method.to_uppercase(), &address);
                let status = request.send().await.unwrap().status();
                assert!(
                    matches!(status.as_u16(), 404 | 405),
                    "{method} {path}: {status}"
                );
            }
        }
    }
    // Every reference leads somewhere.
    let text = api.to_string();
    for name in text.split("#/components/schemas/").skip(1) {
        let name = name.split('"').next().unwrap();
        assert!(api["components"]["schemas"].get(name).is_some(), "{name}");
    }
}

#[tokio::test]
async fn what_a_charge_looks_like_is_what_is_documented() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let api = sandbox.get("/api/openapi.json").await;
    let body = r#"{"amount":4000,"currency":"usd","description":"a cup"}"#;
    let charge = sandbox.charge("k", body).send().await.unwrap();
    let charge: Value = charge.json().await.unwrap();
    let refund = format!("/charges/{}/refunds", charge["id"].as_str().unwrap());
    let refund = sandbox
        .request("POST", &refund)
        .header("Idempotency-Key", "r");
    let refund: Value = refund.send().await.unwrap().json().await.unwrap();
    let request = sandbox.request("PUT", "/orders/o/status");
    let request = request.json(&json!({"status":"paid"}));
    let order: Value = request.send().await.unwrap().json().await.unwrap();
    let missing = sandbox.request("GET", "/charges/none");
    let problem: Value = missing.send().await.unwrap().json().await.unwrap();
    for (name, value) in [
        ("Charge", charge),
        ("Refund", refund),
        ("Order", order),
        ("Problem", problem),
    ] {
        let schema = &api["components"]["schemas"][name];
        let members = schema["properties"].as_object().unwrap();
        let given = value.as_object().unwrap();
        for member in given.keys() {
            assert!(members.contains_key(member), "{name}.{member}");
        }
        for member in schema["required"].as_array().unwrap() {
            assert!(
                given.contains_key(member.as_str().unwrap()),
                "{name}.{member}"
            );
        }
    }
}
