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
    api: &'a Value,
    seen: BTreeSet<(String, String, u16)>,
}

impl<'a> Seen<'a> {
    fn new(sandbox: &'a Sandbox, api: &'a Value) -> Self {
        Self {
            sandbox,
            api,
            seen: BTreeSet::new(),
        }
    }

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
        let mut request = self.sandbox.request(method, &address(path, with));
        if let Some(body) = body {
            request = request.json(&body);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.note(method, path, request).await
    }

    /// Sends a request, and compares its answer with what is documented.
    async fn note(&mut self, method: &str, path: &str, request: reqwest::RequestBuilder) -> u16 {
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        let kind = response.headers().get("content-type");
        let kind = kind.map_or("", |kind| kind.to_str().unwrap()).to_owned();
        if status >= 400 {
            assert_eq!(kind, "application/problem+json", "{method} {path}");
        }
        let seen = (method.to_lowercase(), path.to_owned(), status);
        let documented = &self.api["paths"][path][&seen.0]["responses"][status.to_string()];
        let schema = &documented["content"][&kind]["schema"];
        if kind.contains("json") && path != "/api/openapi.json" {
            assert!(schema.is_object(), "{method} {path} {status} has no schema");
            let body: Value = response.json().await.unwrap();
            let fits = fits(self.api, schema, &body);
            assert_eq!(fits, Ok(()), "{method} {path} {status}: {body}");
        }
        self.seen.insert(seen);
        status
    }
}

fn address(path: &str, with: &str) -> String {
    path.replace("{id}", with).replace("{pod}", with)
}

/// Every method, path and status of the description.
fn documented(api: &Value) -> BTreeSet<(String, String, u16)> {
    let mut documented = BTreeSet::new();
    for (path, item) in api["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            for status in operation["responses"].as_object().unwrap().keys() {
                documented.insert((method.clone(), path.clone(), status.parse().unwrap()));
            }
        }
    }
    documented
}

/// Whether a value is what a schema says: every member is described and of its type,
/// and every member that is required is there.
fn fits(api: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.rsplit('/').next().unwrap_or_default();
        let fits = fits(api, &api["components"]["schemas"][name], value);
        return fits.map_err(|error| format!("{name}: {error}"));
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        one => one.as_str().into_iter().collect(),
    };
    let is = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    if !types.contains(&is) {
        return Err(format!("{value} is not {types:?}"));
    }
    for value in value.as_array().into_iter().flatten() {
        fits(api, &schema["items"], value)?;
    }
    let Some(members) = value.as_object() else {
        return Ok(());
    };
    for (name, value) in members {
        let member = &schema["properties"][name];
        if member.is_null() {
            return Err(format!("{name} is not described"));
        }
        fits(api, member, value).map_err(|error| format!("{name}: {error}"))?;
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        let name = name.as_str().unwrap_or_default();
        if !members.contains_key(name) {
            return Err(format!("{name} is missing"));
        }
    }
    Ok(())
}

#[tokio::test]
async fn every_documented_route_answers_as_documented() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let api = sandbox.get("/api/openapi.json").await;
    assert!(api["openapi"].as_str().unwrap().starts_with("3."));
    let documented = documented(&api);

    let order: Value = serde_json::from_str(ORDER).unwrap();
    let made = sandbox.charge("first", ORDER).send().await.unwrap();
    let made: Value = made.json().await.unwrap();
    let id = made["id"].as_str().unwrap();
    let mut seen = Seen::new(&sandbox, &api);
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

/// The routes that are documented with a status.
fn with_status(api: &Value, status: u16) -> Vec<(String, String)> {
    documented(api)
        .into_iter()
        .filter(|(_, _, documented)| *documented == status)
        .map(|(method, path, _)| (method.to_uppercase(), path))
        .collect()
}

/// A charge, so that paths with an id lead somewhere.
async fn charge(sandbox: &Sandbox) -> String {
    let made = sandbox.charge("first", ORDER).send().await.unwrap();
    let made: Value = made.json().await.unwrap();
    made["id"].as_str().unwrap().to_owned()
}

fn parameter(path: &str, id: &str) -> String {
    let with = if path.contains("{pod}") { "1" } else { id };
    address(path, with)
}

#[tokio::test]
async fn whoever_has_no_token_or_comes_from_another_site_is_refused_as_documented() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let api = sandbox.get("/api/openapi.json").await;
    let id = charge(&sandbox).await;
    let mut seen = Seen::new(&sandbox, &api);
    let tokenless = with_status(&api, 401);
    assert!(tokenless.len() > 20, "{tokenless:?}");
    for (method, path) in tokenless {
        let url = format!("{}{}", sandbox.url, parameter(&path, &id));
        let request = sandbox.client.request(method.parse().unwrap(), url);
        assert_eq!(
            seen.note(&method, &path, request).await,
            401,
            "{method} {path}"
        );
    }
    let foreign = with_status(&api, 403);
    assert!(foreign.len() > 12, "{foreign:?}");
    for (method, path) in foreign {
        let request = sandbox.request(&method, &parameter(&path, &id));
        let request = request.header("Sec-Fetch-Site", "cross-site");
        assert_eq!(
            seen.note(&method, &path, request).await,
            403,
            "{method} {path}"
        );
    }
    // Reading from another site changes nothing, and is not refused for it.
    let read = sandbox
        .request("GET", "/charges")
        .header("Sec-Fetch-Site", "cross-site");
    assert_eq!(read.send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn bodies_that_are_too_large_or_too_slow_are_refused_as_documented() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let api = sandbox.get("/api/openapi.json").await;
    let id = charge(&sandbox).await;
    let mut seen = Seen::new(&sandbox, &api);
    let reading = with_status(&api, 413);
    assert!(reading.len() >= 8, "{reading:?}");
    assert_eq!(reading, with_status(&api, 408));
    for (method, path) in &reading {
        let request = sandbox
            .request(method, &parameter(path, &id))
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", "k")
            .body(" ".repeat(70_000));
        assert_eq!(
            seen.note(method, path, request).await,
            413,
            "{method} {path}"
        );
    }
    // All of them wait for the server's patience to end at once.
    let (sandbox, api, id) = (&sandbox, &api, &id);
    let slow = reading.iter().map(|(method, path)| async move {
        let request = sandbox.raw("k", ORDER);
        let line = format!("{method} {} HTTP/1.1", parameter(path, id));
        let request = request.replace("POST /charges HTTP/1.1", &line);
        let half = &request[..request.len() - 5];
        let back = common::exchange(&sandbox.address, half.as_bytes()).await;
        let back = String::from_utf8(back).unwrap();
        assert!(back.starts_with("HTTP/1.1 408"), "{method} {path}: {back}");
        let (_, body) = back.split_once("\r\n\r\n").unwrap();
        let body: Value = serde_json::from_str(body).unwrap();
        let problem = json!({"$ref": "#/components/schemas/Problem"});
        assert_eq!(fits(api, &problem, &body), Ok(()));
    });
    futures::future::join_all(slow).await;
}

#[tokio::test]
async fn whoever_sends_too_much_is_refused_as_documented() {
    let service = Service::with(&["--rate", "1", "--sandbox-rate", "3"]).await;
    let api: Value = service
        .get("/api/openapi.json")
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    let sandbox = service.sandbox().await;
    let id = charge(&sandbox).await;
    let mut seen = Seen::new(&sandbox, &api);
    let limited = with_status(&api, 429);
    assert!(limited.len() > 22, "{limited:?}");
    for (method, path) in limited {
        // One more is let through each second: it is sent until it meets the limit.
        for tries in 0.. {
            assert!(tries < 100, "{method} {path} is never refused");
            let request = sandbox.request(&method, &parameter(&path, &id));
            let request = request.header("Idempotency-Key", "k");
            let response = request.send().await.unwrap();
            if response.status() == 429 {
                assert!(response.headers().contains_key("retry-after"));
                break;
            }
        }
        let request = sandbox.request(&method, &parameter(&path, &id));
        seen.note(&method, &path, request).await;
    }
    let many = seen
        .seen
        .iter()
        .filter(|(.., status)| *status == 429)
        .count();
    assert!(many > 15, "{:?}", seen.seen);
}

#[test]
fn a_value_that_is_not_as_described_is_noticed() {
    let api = json!({"components": {"schemas": {
        "Inner": {"type": "object", "required": ["id"], "properties": {
            "id": {"type": "string"}, "more": {"type": ["integer", "null"]}}},
        "Outer": {"type": "object", "required": ["all"], "properties": {
            "all": {"type": "array", "items": {"$ref": "#/components/schemas/Inner"}}}},
    }}});
    let outer = json!({"$ref": "#/components/schemas/Outer"});
    for good in [
        json!({"all": []}),
        json!({"all": [{"id": "a"}, {"id": "b", "more": 1}, {"id": "c", "more": null}]}),
    ] {
        assert_eq!(fits(&api, &outer, &good), Ok(()));
    }
    for bad in [
        json!([]),
        json!({}),
        json!({"all": {}}),
        json!({"all": [{"id": 1}]}),
        json!({"all": [{}]}),
        json!({"all": [{"id": "a", "more": "x"}]}),
        json!({"all": [{"id": "a", "less": 1}]}),
        json!({"all": [], "none": []}),
    ] {
        assert!(fits(&api, &outer, &bad).is_err(), "{bad}");
    }
}
