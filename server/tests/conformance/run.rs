//! Runs the steps of a case.

use std::collections::HashMap;
use std::time::Duration;

use futures::future::join_all;
use reqwest::Method;
use reqwest::header::HeaderValue;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::check::{Answer, Given, Unmade};
use super::format::{Action, Capability, Case, Step, Token};
use super::target::Target;
use super::words::Words;

/// The most often that a step is repeated.
const REPEATS: usize = 500;

/// What became of a case.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    Passed(Unmade),
    Failed(String),
    Skipped(Vec<Capability>),
}

/// Runs one case.
pub async fn run(target: &Target, case: &Case) -> Outcome {
    let missing: Vec<_> = case.needed().difference(&target.has).copied().collect();
    if !missing.is_empty() {
        return Outcome::Skipped(missing);
    }
    let mut running = match Running::start(target, case).await {
        Ok(running) => running,
        Err(error) => return Outcome::Failed(error),
    };
    let ran = running.steps(case).await;
    running.tidy().await;
    match ran {
        Ok(()) => Outcome::Passed(running.unmade),
        Err(error) => Outcome::Failed(error),
    }
}

struct Running<'a> {
    target: &'a Target,
    token: String,
    other: Option<String>,
    words: Words,
    saved: HashMap<String, Given>,
    background: HashMap<String, JoinHandle<Result<Answer, String>>>,
    unmade: Unmade,
    /// What the books held before.
    books: (usize, usize),
    /// Settings to be taken back in an account that others use as well.
    set: Vec<String>,
}

impl<'a> Running<'a> {
    async fn start(target: &'a Target, case: &Case) -> Result<Self, String> {
        let token = target.account().await?;
        let other = case.steps.iter().any(|step| step.token == Token::Other);
        let other = if other {
            Some(target.account().await?)
        } else {
            None
        };
        let books = if target.has.contains(&Capability::Ledger) {
            target.books(&token).await?
        } else {
            (0, 0)
        };
        Ok(Self {
            words: Words::new(target),
            target,
            token,
            other,
            saved: HashMap::new(),
            background: HashMap::new(),
            unmade: Unmade::default(),
            books,
            set: Vec::new(),
        })
    }

    async fn steps(&mut self, case: &Case) -> Result<(), String> {
        for (number, step) in (1..).zip(&case.steps) {
            let done = self.step(step).await;
            done.map_err(|error| format!("step {number}: {error}"))?;
        }
        if case.ledger.is_none() && case.refunds.is_none() {
            return Ok(());
        }
        if !self.target.has.contains(&Capability::Ledger) {
            self.unmade.0 += 1;
            return Ok(());
        }
        let (charges, refunds) = self.target.books(&self.token).await?;
        let now = (charges - self.books.0, refunds - self.books.1);
        for (what, want, is) in [
            ("charges", case.ledger, now.0),
            ("refunds", case.refunds, now.1),
        ] {
            if want.is_some_and(|want| want != is) {
                return Err(format!("the ledger holds {is} {what}, expected {want:?}"));
            }
        }
        Ok(())
    }

    async fn step(&mut self, step: &Step) -> Result<(), String> {
        let lab = |method, path, body| self.target.lab(method, path, &self.token, body);
        match step.action()? {
            Action::Faults => {
                let next = step.faults.iter().flatten().map(|fault| match fault {
                    Value::String(name) => json!({ "fault": name }),
                    other => other.clone(),
                });
                let next = json!({ "next": next.collect::<Vec<_>>() });
                lab(Method::POST, "/lab/faults", next).await.map(drop)
            }
            Action::Advance => {
                let advance = json!({ "advance_ms": step.advance_ms });
                lab(Method::POST, "/lab/clock", advance).await.map(drop)
            }
            Action::Set => {
                let set = step.set.clone().unwrap_or_default();
                self.set.extend(set.keys().cloned());
                let lab = self.target.lab(
                    Method::PATCH,
                    "/lab/settings",
                    &self.token,
                    Value::Object(set),
                );
                lab.await.map(drop)
            }
            Action::UntilCharged => self.until_charged(step.until_charged.unwrap_or(0)).await,
            Action::Pause => {
                let pause = step.pause_ms.unwrap_or(0);
                tokio::time::sleep(Duration::from_millis(pause)).await;
                Ok(())
            }
            Action::Join => {
                let name = step.join.as_deref().unwrap_or_default();
                let running = self.background.remove(name);
                let running = running.ok_or_else(|| format!("nothing runs as {name}"))?;
                let answer = running.await.map_err(|error| error.to_string())??;
                self.judge(step, &[answer])
            }
            Action::Request => self.request(step).await,
        }
    }

    async fn until_charged(&self, count: usize) -> Result<(), String> {
        for _ in 0..400 {
            let (charges, _) = self.target.books(&self.token).await?;
            if charges - self.books.0 >= count {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        Err(format!("the ledger never held {count} charges"))
    }

    async fn request(&mut self, step: &Step) -> Result<(), String> {
        if let Some(name) = &step.background {
            let running = tokio::spawn(self.prepared(step)?);
            self.background.insert(name.clone(), running);
            return Ok(());
        }
        if step.repeat {
            let mut last = Err(String::from("it was never sent"));
            for _ in 0..REPEATS {
                let answer = self.prepared(step)?.await?;
                last = self.judge(step, &[answer]);
                if last.is_ok() {
                    break;
                }
                if !step.rows.contains(&super::format::Row::Rate) {
                    // What is waited for is done in the background.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
            return last;
        }
        let count = step.at_once.unwrap_or(1);
        let all = (0..count)
            .map(|_| self.prepared(step))
            .collect::<Result<Vec<_>, _>>()?;
        let answers = join_all(all)
            .await
            .into_iter()
            .collect::<Result<Vec<_>, _>>()?;
        self.judge(step, &answers)
    }

    fn judge(&mut self, step: &Step, answers: &[Answer]) -> Result<(), String> {
        let mut filled = step.clone();
        for pattern in filled.header.values_mut() {
            *pattern = self.words.fill(pattern)?;
        }
        let dialect = &self.target.dialect;
        dialect.check_all(&filled, answers, &self.saved, &mut self.unmade)?;
        if let (Some(name), Some(Answer::Given(given))) = (&step.save, answers.last()) {
            self.words.remember(name, given);
            self.saved.insert(name.clone(), given.clone());
        }
        Ok(())
    }

    /// The request of a step, ready to be sent.
    fn prepared(
        &self,
        step: &Step,
    ) -> Result<impl Future<Output = Result<Answer, String>> + use<>, String> {
        let method = step.method.as_deref().unwrap_or("POST");
        let path = self.words.fill(step.path.as_deref().unwrap_or("{path}"))?;
        let token = match step.token {
            Token::Own => Some(self.token.as_str()),
            Token::Other => self.other.as_deref(),
            Token::Unknown => Some("tok_nobody"),
            Token::None => None,
        };
        let method: Method = method.parse().map_err(|_| format!("no method: {method}"))?;
        let mut request = self.target.request(method.clone(), &path, token);
        let mut keys = step.keys.clone().unwrap_or_default();
        keys.extend(step.raw_key.clone());
        keys.extend(step.key.as_ref().map(|key| format!("\"{key}\"")));
        for key in keys {
            let key = self.words.fill(&key)?;
            let value = HeaderValue::from_bytes(key.as_bytes());
            let value = value.map_err(|_| format!("cannot be sent: {key:?}"))?;
            request = request.header("Idempotency-Key", value);
        }
        for (name, value) in &step.headers {
            request = request.header(name, self.words.fill(value)?);
        }
        let usual = if method == Method::POST {
            "{charge}"
        } else {
            ""
        };
        let body = self.words.fill(step.body.as_deref().unwrap_or(usual))?;
        let kind = step.r#type.as_deref().unwrap_or("application/json");
        if !kind.is_empty() && !body.is_empty() || step.r#type.is_some() {
            request = request.header("Content-Type", kind);
        }
        if !body.is_empty() {
            request = request.body(body);
        }
        Ok(async move {
            let response = match request.send().await {
                Ok(response) => response,
                Err(error) if error.is_timeout() => return Err(String::from("no answer")),
                Err(_) => return Ok(Answer::Lost),
            };
            let (status, headers) = (response.status().as_u16(), response.headers().clone());
            let body = response.bytes().await.map_err(|error| error.to_string())?;
            Ok(Answer::Given(Given {
                status,
                headers,
                body,
            }))
        })
    }

    /// Leaves an account that others use as it was.
    async fn tidy(&mut self) {
        for (_, running) in self.background.drain() {
            running.abort();
        }
        if self.target.has.contains(&Capability::Sandboxes) {
            return;
        }
        let lab = |method, path, body| self.target.lab(method, path, &self.token, body);
        if self.target.has.contains(&Capability::Faults) {
            let _ = lab(Method::DELETE, "/lab/faults", Value::Null).await;
        }
        if !self.set.is_empty() {
            let back: serde_json::Map<_, _> = self
                .set
                .iter()
                .map(|name| (name.clone(), Value::Null))
                .collect();
            let _ = lab(Method::PATCH, "/lab/settings", Value::Object(back)).await;
        }
    }
}
