//! Whether an answer is what a step expects.

use std::collections::HashMap;

use axum::body::Bytes;
use reqwest::header::HeaderMap;
use serde_json::Value;

use super::format::Step;

/// Headers that a replay has to repeat when the first answer had them.
pub const REPLAYED_HEADERS: [&str; 5] = [
    "location",
    "content-type",
    "content-language",
    "etag",
    "link",
];

/// What came back.
#[derive(Clone, Debug)]
pub enum Answer {
    /// An answer.
    Given(Given),
    /// The connection ended without one.
    Lost,
}

#[derive(Clone, Debug, Default)]
pub struct Given {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Given {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }
}

/// What a service does not say, so that it cannot be checked.
#[derive(Clone, Debug)]
pub struct Dialect {
    /// The header that marks a replay, if there is one.
    pub replayed: Option<String>,
    /// Its errors are problems of the contract's types.
    pub problems: bool,
}

/// Checks that were not made because the service does not say it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Unmade(pub usize);

impl Dialect {
    fn is_replay(&self, given: &Given) -> Option<bool> {
        let name = self.replayed.as_ref()?;
        Some(given.header(name) == Some("true"))
    }

    /// Checks one answer.
    pub fn check(
        &self,
        step: &Step,
        answer: &Answer,
        saved: &HashMap<String, Given>,
        unmade: &mut Unmade,
    ) -> Result<(), String> {
        let given = match answer {
            Answer::Lost if step.lost => return Ok(()),
            Answer::Lost => return Err(String::from("the connection ended without an answer")),
            Answer::Given(given) if step.lost => {
                return Err(format!("an answer came back: {}", given.status));
            }
            Answer::Given(given) => given,
        };
        let said = || format!("{} {}", given.status, String::from_utf8_lossy(&given.body));
        let mut wanted = step.statuses.clone();
        wanted.extend(step.status);
        if !wanted.contains(&given.status) {
            return Err(format!("expected {wanted:?}, got {}", said()));
        }
        if let Some(slug) = &step.problem {
            self.problem(given, slug, unmade)?;
        }
        if let Some(want) = step.replayed {
            match self.is_replay(given) {
                None => unmade.0 += 1,
                Some(is) if is == want => {}
                Some(is) => return Err(format!("replayed is {is}, expected {want}: {}", said())),
            }
        }
        for name in &step.has {
            given
                .header(name)
                .ok_or_else(|| format!("no header {name}: {}", said()))?;
        }
        for name in &step.lacks {
            if let Some(value) = given.headers.get(name) {
                return Err(format!("there is a header {name}: {value:?}"));
            }
        }
        for (name, pattern) in &step.header {
            let value = given.header(name).unwrap_or_default();
            if !matches(pattern, value) {
                return Err(format!("{name} is {value:?}, expected {pattern:?}"));
            }
        }
        for (name, [least, most]) in &step.seconds {
            let value = given.header(name).unwrap_or_default();
            let fits = value
                .parse()
                .is_ok_and(|it: u64| (*least..=*most).contains(&it));
            if !fits {
                return Err(format!("{name} is {value:?}, expected {least} to {most}"));
            }
        }
        for (member, want) in &step.json {
            let body = given.json();
            if body.get(member) != Some(want) {
                return Err(format!("{member} is not {want} in {body}"));
            }
        }
        self.compare(step, given, saved)
    }

    fn problem(&self, given: &Given, slug: &str, unmade: &mut Unmade) -> Result<(), String> {
        if !self.problems {
            unmade.0 += 1;
            return Ok(());
        }
        let kind = given.header("content-type").unwrap_or_default();
        if kind != "application/problem+json" {
            return Err(format!("an error of the type {kind:?}"));
        }
        let body = given.json();
        let ends = body["type"]
            .as_str()
            .and_then(|it| it.rsplit(['#', '/']).next());
        if ends != Some(slug) {
            return Err(format!("expected the problem {slug}, got {body}"));
        }
        if body["status"] != given.status {
            return Err(format!("the problem names another status: {body}"));
        }
        for member in ["title", "detail"] {
            if body[member].as_str().is_none_or(str::is_empty) {
                return Err(format!("the problem has no {member}: {body}"));
            }
        }
        let link = given.header("link").unwrap_or_default();
        if !matches("<*>; rel=\"describedby\"*", link) {
            return Err(format!("Link is {link:?}"));
        }
        Ok(())
    }

    fn compare(
        &self,
        step: &Step,
        given: &Given,
        saved: &HashMap<String, Given>,
    ) -> Result<(), String> {
        let find = |name: &str| {
            let found = saved.get(name);
            found.ok_or_else(|| format!("nothing was saved as {name}"))
        };
        if let Some(name) = &step.same_body_as {
            let first = find(name)?;
            if first.body != given.body {
                let text = |it: &Given| String::from_utf8_lossy(&it.body).into_owned();
                return Err(format!("{} is not {}", text(given), text(first)));
            }
        }
        if let Some(name) = &step.other_body_than
            && find(name)?.body == given.body
        {
            return Err(format!("the body is that of {name}"));
        }
        if let Some(name) = &step.same_headers_as {
            let first = find(name)?;
            for header in REPLAYED_HEADERS {
                if first.headers.get(header) != given.headers.get(header) {
                    return Err(format!(
                        "{header} is {:?}, and was {:?}",
                        given.header(header),
                        first.header(header)
                    ));
                }
            }
        }
        Ok(())
    }

    /// Checks answers that were asked for at once: each by itself, and how many of
    /// them did the work. Whoever got a final answer got the same one.
    pub fn check_all(
        &self,
        step: &Step,
        answers: &[Answer],
        saved: &HashMap<String, Given>,
        unmade: &mut Unmade,
    ) -> Result<(), String> {
        for answer in answers {
            self.check(step, answer, saved, unmade)?;
        }
        let Some(fresh) = step.fresh else {
            return Ok(());
        };
        let done: Vec<&Given> = answers
            .iter()
            .filter_map(|answer| match answer {
                Answer::Given(given) if given.status < 300 => Some(given),
                _ => None,
            })
            .collect();
        if done.windows(2).any(|two| two[0].body != two[1].body) {
            return Err(String::from("final answers differ"));
        }
        if self.replayed.is_none() {
            unmade.0 += 1;
            return Ok(());
        }
        let count = done
            .iter()
            .filter(|it| self.is_replay(it) == Some(false))
            .count();
        if count != fresh {
            return Err(format!("{count} answers are no replays, expected {fresh}"));
        }
        Ok(())
    }
}

/// Whether a text fits a pattern in which `*` stands for anything.
pub fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else {
        return rest.is_empty();
    };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}
