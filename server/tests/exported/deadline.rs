//! POST with retries. Written by Charge Once's retry studio.
//!
//! 4 attempts in all: the first call and 3 retries.
//! Waits without jitter: w = min(500, 500 × 2^(retry − 1)) ms.
//! Each attempt waits 30000 ms for its reply.
//! No attempt starts more than 400 ms after the first: a wait that would last longer is not
//! begun.
//! Retry-After is ignored.
//! Tried again: no reply, and 408, 409, 429, 500, 502, 503, 504. All attempts carry one
//! Idempotency-Key.
//!
//! `send(&client, url, body)` gives back the last reply, whatever its status, or the last
//! network error. Cargo.toml: tokio 1 (time), reqwest 0.13, uuid 1 (v4).

use std::time::Duration;
use std::time::Instant;

const ATTEMPTS: u32 = 4; // the first call counts: 3 retries
const BASE_MS: f64 = 500.0;
const FACTOR: f64 = 2.0;
const CAP_MS: f64 = 500.0;
const TIMEOUT: Duration = Duration::from_millis(30000);
const DEADLINE_MS: f64 = 400.0;
const RETRIED: &[u16] = &[408, 409, 429, 500, 502, 503, 504];

/// The answer to one attempt.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: reqwest::header::HeaderMap,
    pub body: Vec<u8>,
}

/// Posts a body under a new key.
pub async fn send(
    client: &reqwest::Client,
    url: &str,
    body: &str,
) -> Result<Reply, reqwest::Error> {
    send_with_key(client, url, body, &uuid::Uuid::new_v4().to_string()).await
}

/// Posts a body under this key.
pub async fn send_with_key(
    client: &reqwest::Client,
    url: &str,
    body: &str,
    key: &str,
) -> Result<Reply, reqwest::Error> {
    let started = Instant::now();
    let mut nominal = BASE_MS.min(CAP_MS);
    let mut attempt = 1;
    loop {
        // An error is no reply: nobody knows whether the work was done.
        let outcome = once(client, url, body, key).await;
        let settled = matches!(&outcome, Ok(reply) if !RETRIED.contains(&reply.status));
        if settled || attempt >= ATTEMPTS {
            return outcome;
        }

        let wait = nominal;
        if started.elapsed().as_secs_f64() * 1000.0 + wait > DEADLINE_MS {
            return outcome;
        }
        tokio::time::sleep(Duration::from_secs_f64(wait / 1000.0)).await;
        nominal = (nominal * FACTOR).min(CAP_MS);
        attempt += 1;
    }
}

/// One attempt; its time-out covers the body as well.
async fn once(
    client: &reqwest::Client,
    url: &str,
    body: &str,
    key: &str,
) -> Result<Reply, reqwest::Error> {
    let response = client
        .post(url)
        .timeout(TIMEOUT)
        .header("Content-Type", "application/json")
        .header("Idempotency-Key", key)
        .body(body.to_owned())
        .send()
        .await?;
    Ok(Reply {
        status: response.status().as_u16(),
        headers: response.headers().clone(),
        body: response.bytes().await?.to_vec(),
    })
}
