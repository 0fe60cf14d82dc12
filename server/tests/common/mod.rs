//! A real server on a free port with a database of its own, and a client for it.
//!
//! `CHARGE_ONCE_TEST_STORE=postgres` runs the tests on PostgreSQL. A test whose name
//! ends with `on_sqlite` or `on_postgres` is about that one only, whatever is set;
//! `cargo xtask test` leaves it out of the run that is about the other.

// Each test file uses a part of this.
#![allow(dead_code, missing_docs, unreachable_pub)]

pub mod cluster;
pub mod database;
pub mod stream;

use std::time::Duration;

use clap::Parser;
use database::Database;
use reqwest::{Client, RequestBuilder, Response};
use serde_json::{Value, json};
use server::Server;
use server::config::Config;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

pub const ORDER: &str = r#"{"amount":4000,"currency":"usd"}"#;

pub struct Service {
    pub url: String,
    pub address: String,
    pub client: Client,
    server: Option<Server>,
    database: Database,
}

impl Service {
    pub async fn start() -> Self {
        Self::with(&[]).await
    }

    pub async fn with(args: &[&str]) -> Self {
        Self::on(Database::new(), args).await
    }

    /// Another server on the same database.
    pub async fn beside(&self, args: &[&str]) -> Self {
        Self::on(self.database.clone(), args).await
    }

    /// On a database of the test's choice.
    pub async fn on(database: Database, args: &[&str]) -> Self {
        let mut all = vec![
            "charge-once",
            "--listen",
            "127.0.0.1:0",
            "--database",
            database.url(),
            "--hold",
            "150ms",
        ];
        all.extend(args);
        let server = Server::start(Config::try_parse_from(all).unwrap())
            .await
            .unwrap();
        let address = server.address().to_string();
        Self {
            url: format!("http://{address}"),
            address,
            client: client(),
            server: Some(server),
            database,
        }
    }

    pub fn get(&self, path: &str) -> RequestBuilder {
        self.client.get(format!("{}{path}", self.url))
    }

    pub fn post(&self, path: &str) -> RequestBuilder {
        self.client.post(format!("{}{path}", self.url))
    }

    /// The same sandbox, reached through this server.
    pub fn reach(&self, sandbox: &Sandbox) -> Sandbox {
        Sandbox {
            url: self.url.clone(),
            address: self.address.clone(),
            ..sandbox.clone()
        }
    }

    /// One number out of `GET /metrics`; 0 while it is not there.
    pub async fn metric(&self, name: &str) -> u64 {
        let text = self.get("/metrics").send().await.unwrap();
        let text = text.text().await.unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.map_or(0, |value| value.trim().parse().unwrap())
    }

    pub async fn sandbox(&self) -> Sandbox {
        let made = self.post("/sandboxes").send().await.unwrap();
        assert_eq!(made.status(), 201);
        let made: Value = made.json().await.unwrap();
        Sandbox {
            url: self.url.clone(),
            address: self.address.clone(),
            client: self.client.clone(),
            token: made["token"].as_str().unwrap().to_owned(),
        }
    }

    pub async fn stop(mut self) {
        self.server.take().unwrap().stop().await;
    }
}

pub fn client() -> Client {
    Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(Duration::from_secs(20))
        .build()
        .unwrap()
}

#[derive(Clone)]
pub struct Sandbox {
    pub url: String,
    pub address: String,
    pub client: Client,
    pub token: String,
}

impl Sandbox {
    pub fn request(&self, method: &str, path: &str) -> RequestBuilder {
        self.client
            .request(method.parse().unwrap(), format!("{}{path}", self.url))
            .bearer_auth(&self.token)
    }

    pub async fn get(&self, path: &str) -> Value {
        let response = self.request("GET", path).send().await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        response.json().await.unwrap()
    }

    pub async fn lab(&self, method: &str, path: &str, body: Value) -> Value {
        let response = self.request(method, path).json(&body).send().await.unwrap();
        assert!(
            response.status().is_success(),
            "{path}: {}",
            response.text().await.unwrap()
        );
        response.json().await.unwrap()
    }

    pub async fn faults(&self, next: Value) {
        self.lab("POST", "/lab/faults", json!({ "next": next }))
            .await;
    }

    pub async fn settings(&self, change: Value) {
        self.lab("PATCH", "/lab/settings", change).await;
    }

    pub async fn advance(&self, ms: u64) {
        self.lab("POST", "/lab/clock", json!({ "advance_ms": ms }))
            .await;
    }

    /// How much money the processor took: one number for each charge.
    pub async fn taken(&self) -> Vec<u64> {
        let ledger = self.get("/lab/ledger").await;
        let charges = ledger["charges"].as_array().unwrap();
        charges
            .iter()
            .map(|charge| charge["amount"].as_u64().unwrap())
            .collect()
    }

    pub fn charge(&self, key: &str, body: &str) -> RequestBuilder {
        self.keyless(body).header("Idempotency-Key", key)
    }

    pub fn keyless(&self, body: &str) -> RequestBuilder {
        self.request("POST", "/charges")
            .header("Content-Type", "application/json")
            .body(body.to_owned())
    }

    /// The bytes of a charge request.
    pub fn raw(&self, key: &str, body: &str) -> String {
        format!(
            "POST /charges HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n\
             Idempotency-Key: {key}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.token,
            body.len()
        )
    }

    /// Sends bytes and reads all that comes back until the connection closes.
    pub async fn exchange(&self, bytes: &str) -> Vec<u8> {
        exchange(&self.address, bytes.as_bytes()).await
    }
}

pub async fn exchange(address: &str, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    let mut back = Vec::new();
    let read = stream.read_to_end(&mut back);
    // A reset is an end as well.
    let _ = tokio::time::timeout(Duration::from_secs(15), read)
        .await
        .expect("it stays open");
    back
}

/// Status, type and the whole body of a problem.
pub async fn problem(response: Response) -> (u16, String, Value) {
    let status = response.status().as_u16();
    assert_eq!(
        response.headers()["content-type"],
        "application/problem+json",
        "{status}"
    );
    let link = response.headers()["link"].to_str().unwrap().to_owned();
    assert!(link.ends_with("; rel=\"describedby\""), "{link}");
    let body: Value = response.json().await.unwrap();
    assert_eq!(body["status"], status);
    for member in ["type", "title", "detail"] {
        assert!(!body[member].as_str().unwrap().is_empty(), "{member}");
    }
    let slug = body["type"]
        .as_str()
        .unwrap()
        .rsplit('#')
        .next()
        .unwrap()
        .to_owned();
    (status, slug, body)
}

/// Waits until something holds. The limit only ends a test that fails.
pub async fn until<F: Future<Output = bool>>(what: &str, mut holds: impl FnMut() -> F) {
    for _ in 0..1200 {
        if holds().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("it never came to pass: {what}");
}
