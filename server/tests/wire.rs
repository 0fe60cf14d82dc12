//! Errors on the wire, order of precedence, and connections that stay right.

// Helpers outside of test functions fail the test as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::time::Duration;

use common::{ORDER, Service, exchange, problem};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

#[tokio::test]
async fn unknown_routes_and_methods_are_problems() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    for path in [
        "/charges/x/y/z",
        "/lab/nothing",
        "/sandboxes/1",
        "/healthz/x",
        "/nothing",
    ] {
        for method in ["GET", "POST", "PUT", "DELETE"] {
            let response = sandbox.request(method, path).send().await.unwrap();
            let (status, slug, _) = problem(response).await;
            assert_eq!(
                (status, slug.as_str()),
                (404, "not-found"),
                "{method} {path}"
            );
        }
    }
    for (method, path, allow) in [
        ("DELETE", "/charges", ["POST", "GET"].as_slice()),
        ("PUT", "/charges/ch_1", &["GET"]),
        ("GET", "/sandboxes", &["POST"]),
        ("POST", "/lab/keys", &["GET"]),
        ("PUT", "/lab/faults", &["GET", "POST", "DELETE"]),
        ("POST", "/healthz", &["GET"]),
    ] {
        let response = sandbox.request(method, path).send().await.unwrap();
        let allowed = response.headers()["allow"].to_str().unwrap().to_owned();
        let (status, slug, _) = problem(response).await;
        assert_eq!(
            (status, slug.as_str()),
            (405, "method-not-allowed"),
            "{method} {path}"
        );
        for method in allow {
            assert!(
                allowed.split(',').any(|one| one.trim() == *method),
                "{path}: {allowed}"
            );
        }
    }
    let missing = sandbox
        .request("GET", "/charges/ch_nothing")
        .send()
        .await
        .unwrap();
    assert_eq!(problem(missing).await.0, 404);
}

#[tokio::test]
async fn bodies_that_are_no_valid_charge_are_refused_and_store_nothing() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let long = format!(
        r#"{{"amount":1,"currency":"usd","description":"{}"}}"#,
        "x".repeat(501)
    );
    for (body, status, slug, word) in [
        ("", 400, "not-json", "empty"),
        ("{", 400, "not-json", "parse"),
        (
            r#"{"amount":1,"amount":1,"currency":"usd"}"#,
            400,
            "not-json",
            "twice",
        ),
        (
            r#"{"amount":"4000","currency":"usd"}"#,
            422,
            "invalid-charge",
            "`amount`",
        ),
        (
            r#"{"amount":40.5,"currency":"usd"}"#,
            422,
            "invalid-charge",
            "`amount`",
        ),
        (
            r#"{"amount":0,"currency":"usd"}"#,
            422,
            "invalid-charge",
            "`amount`",
        ),
        (
            r#"{"amount":100000000,"currency":"usd"}"#,
            422,
            "invalid-charge",
            "`amount`",
        ),
        (
            r#"{"amount":1,"currency":"xyz"}"#,
            422,
            "invalid-charge",
            "`currency`",
        ),
        ("[1]", 422, "invalid-charge", "object"),
        (&long, 422, "invalid-charge", "`description`"),
    ] {
        let response = sandbox.charge("k", body).send().await.unwrap();
        let (got, kind, text) = problem(response).await;
        assert_eq!((got, kind.as_str()), (status, slug), "{body}");
        assert!(text["detail"].as_str().unwrap().contains(word), "{text}");
    }
    for kind in ["text/plain", "application/x-www-form-urlencoded"] {
        let response = sandbox
            .request("POST", "/charges")
            .header("Idempotency-Key", "k")
            .header("Content-Type", kind)
            .body(ORDER)
            .send()
            .await
            .unwrap();
        assert_eq!(problem(response).await.0, 415, "{kind}");
    }
    assert_eq!(sandbox.get("/lab/keys").await["keys"], json!([]));
    // Nothing is stored, so the same key may still be used.
    assert_eq!(
        sandbox.charge("k", ORDER).send().await.unwrap().status(),
        201
    );
}

#[tokio::test]
async fn the_order_of_precedence_holds() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let big = "x".repeat(70_000);
    let send = |token: Option<&str>, kind: &'static str, key: &'static str, body: String| {
        let mut request = service
            .post("/charges")
            .header("Content-Type", kind)
            .body(body);
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        if !key.is_empty() {
            request = request.header("Idempotency-Key", key);
        }
        request.send()
    };
    let token = Some(sandbox.token.as_str());
    let (json, text) = ("application/json", "text/plain");
    let bad = || String::from("{}");
    for (response, want) in [
        (send(None, text, "a b", big.clone()).await, "unauthorized"),
        (
            send(Some("tok_no"), json, "k", ORDER.into()).await,
            "unauthorized",
        ),
        (send(token, text, "a b", big).await, "body-too-large"),
        (
            send(token, text, "a b", String::from("{")).await,
            "unsupported-media-type",
        ),
        (
            send(token, json, "a b", String::from("{")).await,
            "not-json",
        ),
        (
            send(token, json, "a b", bad()).await,
            "idempotency-key-malformed",
        ),
        (
            send(token, json, "", bad()).await,
            "idempotency-key-missing",
        ),
        (send(token, json, "k", bad()).await, "invalid-charge"),
    ] {
        assert_eq!(problem(response.unwrap()).await.1, want);
    }
    let response = service.post("/charges").send().await.unwrap();
    assert_eq!(response.headers()["www-authenticate"], "Bearer");
    assert!(sandbox.taken().await.is_empty());
}

/// Reads one response with a Content-Length from a stream.
async fn response(stream: &mut TcpStream) -> (String, String) {
    let mut bytes = Vec::new();
    loop {
        let mut chunk = [0; 4096];
        let count = tokio::time::timeout(Duration::from_secs(5), stream.read(&mut chunk))
            .await
            .expect("an answer")
            .unwrap();
        assert_ne!(count, 0, "closed after {}", String::from_utf8_lossy(&bytes));
        bytes.extend_from_slice(&chunk[..count]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length: usize = head
                .lines()
                .find_map(|line| {
                    line.to_ascii_lowercase()
                        .strip_prefix("content-length: ")
                        .map(str::to_owned)
                })
                .map_or(0, |length| length.parse().unwrap());
            if body.len() >= length {
                assert_eq!(body.len(), length, "more than one answer");
                return (head.to_owned(), body.to_owned());
            }
        }
    }
}

#[tokio::test]
async fn a_refusal_leaves_the_connection_right_for_the_next_request() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let mut stream = TcpStream::connect(&service.address).await.unwrap();
    let big = "x".repeat(200_000);
    let nobody = sandbox
        .raw("k", ORDER)
        .replace(&sandbox.token, "tok_nobody");
    for (request, status) in [
        (sandbox.raw("k", &big), "413"),
        (nobody, "401"),
        (sandbox.raw("a b", ORDER), "400"),
        (sandbox.raw("k", "{"), "400"),
        (sandbox.raw("k", ORDER), "201"),
        (sandbox.raw("k", &big), "413"),
        (sandbox.raw("k", ORDER), "201"),
    ] {
        stream.write_all(request.as_bytes()).await.unwrap();
        let (head, _) = response(&mut stream).await;
        assert!(head.starts_with(&format!("HTTP/1.1 {status}")), "{head}");
        assert!(
            !head.to_ascii_lowercase().contains("connection: close"),
            "{head}"
        );
    }
    assert_eq!(sandbox.taken().await, [4000]);
}

#[tokio::test]
async fn what_is_far_too_large_is_refused_and_the_connection_closed() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let head = sandbox.raw("k", ORDER);
    let head = head.replace("Content-Length: 32", "Content-Length: 999999999");
    let (head, _) = head.split_once("\r\n\r\n").unwrap();
    // No byte of the body is sent, and none is waited for.
    let back = exchange(&service.address, format!("{head}\r\n\r\n").as_bytes()).await;
    let back = String::from_utf8(back).unwrap().to_ascii_lowercase();
    assert!(back.starts_with("http/1.1 413"), "{back}");
    assert!(back.contains("connection: close"), "{back}");
    // Whoever asks first is told before sending anything.
    let asks = head.replace("999999999", "70000") + "\r\nExpect: 100-continue\r\n\r\n";
    let back = String::from_utf8(exchange(&service.address, asks.as_bytes()).await).unwrap();
    assert!(back.starts_with("HTTP/1.1 413"), "{back}");
    assert!(sandbox.taken().await.is_empty());
}

#[tokio::test]
async fn request_ids_are_taken_when_fit_and_always_sent_back() {
    let service = Service::start().await;
    let id = |value: Option<&'static str>| {
        let mut request = service.get("/healthz");
        if let Some(value) = value {
            request = request.header("X-Request-Id", value);
        }
        async move {
            let response = request.send().await.unwrap();
            response.headers()["x-request-id"]
                .to_str()
                .unwrap()
                .to_owned()
        }
    };
    assert_eq!(id(Some("pay-1_A")).await, "pay-1_A");
    for bad in ["a b", "<script>", "", "a.b"] {
        let made = id(Some(bad)).await;
        assert!(made.starts_with("req_"), "{made}");
    }
    assert_ne!(id(None).await, id(None).await);
}

#[tokio::test]
async fn every_response_carries_the_security_headers() {
    let service = Service::start().await;
    for path in ["/healthz", "/charges", "/nothing", "/", "/favicon.svg"] {
        let response = service
            .get(path)
            .header("Accept", "text/html")
            .send()
            .await
            .unwrap();
        let headers = response.headers();
        assert_eq!(headers["x-content-type-options"], "nosniff", "{path}");
        assert_eq!(
            headers["cross-origin-opener-policy"], "same-origin",
            "{path}"
        );
        assert_eq!(
            headers["cross-origin-resource-policy"], "same-origin",
            "{path}"
        );
        assert!(headers.contains_key("referrer-policy"), "{path}");
        assert!(headers.contains_key("permissions-policy"), "{path}");
        let policy = headers["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'"), "{path}: {policy}");
        assert!(
            policy.contains("frame-ancestors 'none'"),
            "{path}: {policy}"
        );
    }
    let ready = service.get("/readyz").send().await.unwrap();
    assert_eq!(
        (
            ready.status().as_u16(),
            ready.text().await.unwrap().as_str()
        ),
        (200, "ok")
    );
}

#[tokio::test]
async fn another_site_cannot_use_the_cookie() {
    let service = Service::start().await;
    let session = service.post("/lab/session").send().await.unwrap();
    assert_eq!(session.status(), 201);
    let cookie = session.headers()["set-cookie"].to_str().unwrap().to_owned();
    for part in ["charge_once=tok_", "HttpOnly", "SameSite=Lax", "Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let pair = cookie.split(';').next().unwrap().to_owned();
    let made: Value = session.json().await.unwrap();
    // The same visitor comes back.
    let again = service
        .post("/lab/session")
        .header("Cookie", &pair)
        .send()
        .await
        .unwrap();
    assert_eq!(again.status(), 200);
    assert!(!again.headers().contains_key("set-cookie"));
    assert_eq!(again.json::<Value>().await.unwrap(), made);
    // An unknown cookie gets a new sandbox.
    let new = service
        .post("/lab/session")
        .header("Cookie", "charge_once=x")
        .send()
        .await
        .unwrap();
    assert_eq!(new.status(), 201);
    assert_ne!(
        new.json::<Value>().await.unwrap()["account"],
        made["account"]
    );
    // The cookie opens the API for our own pages, and for nobody else's.
    let charge = |site: &'static str| {
        service
            .post("/charges")
            .header("Cookie", &pair)
            .header("Sec-Fetch-Site", site)
            .header("Idempotency-Key", "k")
            .header("Content-Type", "application/json")
            .body(ORDER)
            .send()
    };
    assert_eq!(charge("same-origin").await.unwrap().status(), 201);
    let (status, slug, _) = problem(charge("cross-site").await.unwrap()).await;
    assert_eq!((status, slug.as_str()), (403, "cross-site"));
}

#[tokio::test]
async fn sandboxes_are_limited_by_address_and_in_all() {
    let service = Service::with(&["--sandbox-rate", "2"]).await;
    service.sandbox().await;
    service.sandbox().await;
    let third = service.post("/sandboxes").send().await.unwrap();
    let after: u64 = third.headers()["retry-after"]
        .to_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!((1..=60).contains(&after));
    assert_eq!(problem(third).await.0, 429);
    let service = Service::with(&["--sandboxes", "1"]).await;
    service.sandbox().await;
    assert_eq!(
        problem(service.post("/sandboxes").send().await.unwrap())
            .await
            .0,
        503
    );
}

#[tokio::test]
async fn garbage_does_not_stop_the_server() {
    let service = Service::start().await;
    for bytes in [
        &b"\x00\x01\x02\xff\xfe\r\n\r\n"[..],
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /charges HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"GET /%ff%fe/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        b"GET /charges/%ff HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    ] {
        let back = exchange(&service.address, bytes).await;
        let back = String::from_utf8_lossy(&back).into_owned();
        assert!(!back.contains("HTTP/1.1 5"), "{back}");
    }
    assert_eq!(service.get("/healthz").send().await.unwrap().status(), 200);
}
