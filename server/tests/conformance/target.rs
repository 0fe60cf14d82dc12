//! The service that is looked at: ours, or the one that the environment names.

use std::collections::BTreeSet;
use std::env;

use reqwest::header::{HeaderName, HeaderValue};
use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};

use super::check::Dialect;
use super::format::Capability;

/// A service under test.
#[derive(Clone, Debug)]
pub struct Target {
    pub client: Client,
    pub url: String,
    /// Where charges are made.
    pub path: String,
    /// A valid body, and another one.
    pub body: Value,
    pub other_body: Value,
    /// The header that carries a token, with `{token}` in its value.
    pub auth: (HeaderName, String),
    /// The one account, where there are no sandboxes.
    pub token: Option<String>,
    pub has: BTreeSet<Capability>,
    pub dialect: Dialect,
    /// Settings that each account starts with. To see that the suite can fail.
    pub weakened: Value,
}

impl Target {
    /// Our own service.
    pub fn ours(client: Client, url: &str) -> Self {
        Self {
            client,
            url: url.to_owned(),
            path: String::from("/charges"),
            body: json!({"amount": 4000, "currency": "usd"}),
            other_body: json!({"amount": 4100, "currency": "usd"}),
            auth: (
                reqwest::header::AUTHORIZATION,
                String::from("Bearer {token}"),
            ),
            token: None,
            has: Capability::ALL
                .into_iter()
                .filter(|it| *it != Capability::Rate)
                .collect(),
            dialect: Dialect {
                replayed: Some(String::from("idempotency-replayed")),
                problems: true,
            },
            weakened: json!({}),
        }
    }

    /// The service that the environment names, if it names one.
    pub fn named(client: Client) -> Option<Self> {
        let of = |name: &str| env::var(format!("CONFORMANCE_{name}")).ok();
        let body = |name: &str, usual: Value| {
            of(name).map_or(usual, |text| serde_json::from_str(&text).expect("JSON"))
        };
        let mut target = Self::ours(client, of("URL")?.trim_end_matches('/'));
        target.path = of("PATH").unwrap_or(target.path);
        target.body = body("BODY", target.body);
        target.other_body = body("OTHER_BODY", target.other_body);
        if let Some(auth) = of("AUTH") {
            let (name, value) = auth.split_once(':').expect("Name: value with {token}");
            target.auth = (
                name.trim().parse().expect("a name"),
                value.trim().to_owned(),
            );
        }
        target.token = of("TOKEN");
        let words = of("HAS").unwrap_or_default();
        target.has = words
            .split([',', ' '])
            .filter(|word| !word.is_empty())
            .map(|word| serde_json::from_value(json!(word)).expect("a capability"))
            .collect();
        if let Some(name) = of("REPLAYED") {
            target.dialect.replayed = (!name.is_empty()).then_some(name);
        }
        target.dialect.problems = target.has.contains(&Capability::Problems);
        Some(target)
    }

    pub fn request(&self, method: Method, path: &str, token: Option<&str>) -> RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", self.url));
        let Some(token) = token else { return request };
        let (name, value) = &self.auth;
        let value = HeaderValue::try_from(value.replace("{token}", token)).expect("a token");
        request.header(name, value)
    }

    /// An account for a case: its own where there are sandboxes, else the one there is.
    pub async fn account(&self) -> Result<String, String> {
        if !self.has.contains(&Capability::Sandboxes) {
            let missing = "set CONFORMANCE_TOKEN, or say that it has `sandboxes`";
            return self.token.clone().ok_or_else(|| String::from(missing));
        }
        let made = self.request(Method::POST, "/sandboxes", None).send().await;
        let made: Value = match made {
            Ok(made) => made.json().await.map_err(|error| error.to_string())?,
            Err(error) => return Err(error.to_string()),
        };
        let token = made["token"].as_str().map(str::to_owned);
        let token = token.ok_or_else(|| format!("no sandbox: {made}"))?;
        if self.weakened != json!({}) {
            let weakened = self.weakened.clone();
            self.lab(Method::PATCH, "/lab/settings", &token, weakened)
                .await?;
        }
        Ok(token)
    }

    /// Asks the lab for something.
    pub async fn lab(
        &self,
        method: Method,
        path: &str,
        token: &str,
        body: Value,
    ) -> Result<Value, String> {
        let mut request = self.request(method, path, Some(token));
        if !body.is_null() {
            request = request.json(&body);
        }
        let response = request.send().await.map_err(|error| error.to_string())?;
        let status = response.status();
        let text = response.text().await.map_err(|error| error.to_string())?;
        if !status.is_success() {
            return Err(format!("{path}: {status} {text}"));
        }
        Ok(serde_json::from_str(&text).unwrap_or(Value::Null))
    }

    /// How many charges and refunds the books of an account hold.
    pub async fn books(&self, token: &str) -> Result<(usize, usize), String> {
        let books = self
            .lab(Method::GET, "/lab/ledger", token, Value::Null)
            .await?;
        let count = |page: &str| books[page].as_array().map_or(0, Vec::len);
        Ok((count("charges"), count("refunds")))
    }
}
