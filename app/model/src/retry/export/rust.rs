//! Rust.

/// On reqwest.
pub(super) const BY_HAND: &str = r#"
{{HEADER}}
//!
//! `send(&client, url, body)` gives back the last reply, whatever its status, or the last
//! network error. Cargo.toml: {{CRATES}}

use std::time::Duration;
%deadline|use std::time::Instant;
%after|use std::time::SystemTime;

const ATTEMPTS: u32 = {{ATTEMPTS}}; // the first call counts: {{RETRIES_WORD}}
const BASE_MS: f64 = {{BASE}};
%!decorrelated|const FACTOR: f64 = {{FACTOR}};
const CAP_MS: f64 = {{CAP}};
%share|const SHARE: f64 = {{SHARE}};
const TIMEOUT: Duration = Duration::from_millis({{TIMEOUT}});
%deadline|const DEADLINE_MS: f64 = {{DEADLINE}};
%after|const RETRY_AFTER_MOST_MS: f64 = {{AFTER}};
const RETRIED: &[u16] = &[{{STATUSES}}];

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
%deadline|    let started = Instant::now();
%!decorrelated|    let mut nominal = BASE_MS.min(CAP_MS);
%decorrelated|    let mut previous = BASE_MS.min(CAP_MS);
    let mut attempt = 1;
    loop {
        // An error is no reply: nobody knows whether the work was done.
        let outcome = once(client, url, body, key).await;
        let settled = matches!(&outcome, Ok(reply) if !RETRIED.contains(&reply.status));
        if settled || attempt >= ATTEMPTS {
            return outcome;
        }

%none|        let wait = nominal;
%full|        let wait = nominal * rand::random::<f64>();
%equal|        let wait = nominal / 2.0 + nominal / 2.0 * rand::random::<f64>();
%share|        let wait = nominal * (1.0 - SHARE + 2.0 * SHARE * rand::random::<f64>());
%decorrelated|        previous = (BASE_MS + (3.0 * previous - BASE_MS) * rand::random::<f64>()).min(CAP_MS);
%decorrelated|        let wait = previous;
%after|        let asked = outcome.as_ref().map_or(0.0, |reply| retry_after_ms(&reply.headers));
%after|        if asked > RETRY_AFTER_MOST_MS {
%after|            return outcome;
%after|        }
%after|        let wait = wait.max(asked);
%deadline|        if started.elapsed().as_secs_f64() * 1000.0 + wait > DEADLINE_MS {
%deadline|            return outcome;
%deadline|        }
        tokio::time::sleep(Duration::from_secs_f64(wait / 1000.0)).await;
%!decorrelated|        nominal = (nominal * FACTOR).min(CAP_MS);
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
%after|
%after|/// Whole seconds or an HTTP-date; anything else counts as not sent.
%after|fn retry_after_ms(headers: &reqwest::header::HeaderMap) -> f64 {
%after|    let value = headers.get("Retry-After").and_then(|value| value.to_str().ok());
%after|    let value = value.unwrap_or_default().trim();
%after|    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
%after|        return value.parse::<f64>().map_or(0.0, |seconds| seconds * 1000.0);
%after|    }
%after|    httpdate::parse_http_date(value)
%after|        .ok()
%after|        .and_then(|at| at.duration_since(SystemTime::now()).ok())
%after|        .map_or(0.0, |left| left.as_secs_f64() * 1000.0)
%after|}
"#;

/// backon.
pub(super) const LIBRARY: &str = r#"
{{HEADER}}
//!
//! By backon 1, which counts retries. Its own jitter only makes waits longer, so it gives the
//! nominal waits, and `adjust` draws from them.
//!
//! `send(&client, url, body)` gives back the last reply, whatever its status, or the last
//! network error. Cargo.toml: {{CRATES_LIB}}

use backon::{ExponentialBuilder, Retryable};
use std::time::Duration;
%deadline|use std::time::Instant;
%after|use std::time::SystemTime;

%share|const SHARE: f64 = {{SHARE}};
const TIMEOUT: Duration = Duration::from_millis({{TIMEOUT}});
%deadline|const DEADLINE: Duration = Duration::from_millis({{DEADLINE_WHOLE}});
%after|const RETRY_AFTER_MOST: Duration = Duration::from_millis({{AFTER_WHOLE}});
const RETRIED: &[u16] = &[{{STATUSES}}];

/// The nominal waits.
fn nominal() -> ExponentialBuilder {
    ExponentialBuilder::default()
        .with_min_delay(Duration::from_millis({{BASE_WHOLE}}))
%!decorrelated|        .with_factor({{FACTOR}})
%decorrelated|        .with_factor(1.0) // the wait before decides, not the number of the retry
        .with_max_delay(Duration::from_millis({{CAP_WHOLE}}))
        .with_max_times({{RETRIES}}) // retries: {{ATTEMPTS}} attempts
}

/// The answer to one attempt.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: reqwest::header::HeaderMap,
    pub body: Vec<u8>,
}

/// Why another attempt is made.
enum Failure {
    NoReply(reqwest::Error),
    Status(Reply),
}

/// Posts a body under a new key.
pub async fn send(
    client: &reqwest::Client,
    url: &str,
    body: &str,
) -> Result<Reply, reqwest::Error> {
    let key = uuid::Uuid::new_v4().to_string();
%deadline|    let started = Instant::now();
%decorrelated|    let mut previous = Duration::from_millis({{BASE_WHOLE}});
    let outcome = (|| once(client, url, body, &key))
        .retry(nominal())
%!after|        .adjust(|_, wait| {
%after|        .adjust(|failure, wait| {
            let nominal = wait?; // none is left after the last attempt
%none|            let wait = nominal;
%full|            let wait = nominal.mul_f64(rand::random());
%equal|            let wait = nominal.mul_f64(0.5 + 0.5 * rand::random::<f64>());
%share|            let wait = nominal.mul_f64(1.0 - SHARE + 2.0 * SHARE * rand::random::<f64>());
%decorrelated|            let wide = (3 * previous).saturating_sub(nominal);
%decorrelated|            previous = (nominal + wide.mul_f64(rand::random())).min(Duration::from_millis({{CAP_WHOLE}}));
%decorrelated|            let wait = previous;
%after|            let asked = match failure {
%after|                Failure::Status(reply) => retry_after(&reply.headers),
%after|                Failure::NoReply(_) => Duration::ZERO,
%after|            };
%after|            if asked > RETRY_AFTER_MOST {
%after|                return None; // ends the retries
%after|            }
%after|            let wait = wait.max(asked);
%deadline|            if started.elapsed() + wait > DEADLINE {
%deadline|                return None;
%deadline|            }
            Some(wait)
        })
        .await;
    match outcome {
        Ok(reply) | Err(Failure::Status(reply)) => Ok(reply),
        Err(Failure::NoReply(error)) => Err(error),
    }
}

/// One attempt; its time-out covers the body as well.
async fn once(
    client: &reqwest::Client,
    url: &str,
    body: &str,
    key: &str,
) -> Result<Reply, Failure> {
    let attempt = async {
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
    };
    match attempt.await {
        Ok(reply) if RETRIED.contains(&reply.status) => Err(Failure::Status(reply)),
        Ok(reply) => Ok(reply),
        Err(error) => Err(Failure::NoReply(error)),
    }
}
%after|
%after|/// Whole seconds or an HTTP-date; anything else counts as not sent.
%after|fn retry_after(headers: &reqwest::header::HeaderMap) -> Duration {
%after|    let value = headers.get("Retry-After").and_then(|value| value.to_str().ok());
%after|    let value = value.unwrap_or_default().trim();
%after|    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
%after|        return Duration::from_secs(value.parse().unwrap_or(u64::MAX));
%after|    }
%after|    httpdate::parse_http_date(value)
%after|        .ok()
%after|        .and_then(|at| at.duration_since(SystemTime::now()).ok())
%after|        .unwrap_or_default()
%after|}
"#;
