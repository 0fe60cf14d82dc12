//! The words in braces that cases are written with.

use std::collections::HashMap;

use serde_json::{Map, Value};
use uuid::Uuid;

use super::check::Given;
use super::target::Target;

/// More than 64 KiB.
const BIG: usize = 70_000;

/// What stands for the words in one run of one case.
pub struct Words {
    path: String,
    body: Value,
    other: Value,
    /// Keys of one run of one case start with this.
    unique: String,
    remembered: HashMap<String, Value>,
}

impl Words {
    pub fn new(target: &Target) -> Self {
        Self {
            path: target.path.clone(),
            body: target.body.clone(),
            other: target.other_body.clone(),
            unique: Uuid::new_v4().simple().to_string(),
            remembered: HashMap::new(),
        }
    }

    /// Keeps the body of an answer, so that its members have names.
    pub fn remember(&mut self, name: &str, given: &Given) {
        self.remembered.insert(name.to_owned(), given.json());
    }

    /// Fills in the words of a text. What is no word stays: JSON has braces too.
    pub fn fill(&self, text: &str) -> Result<String, String> {
        let mut filled = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('{') {
            filled.push_str(&rest[..at]);
            let inner = &rest[at + 1..];
            match inner.find('}').map(|end| (end, self.word(&inner[..end]))) {
                Some((end, Some(word))) => {
                    filled.push_str(&word?);
                    rest = &inner[end + 1..];
                }
                _ => {
                    filled.push('{');
                    rest = inner;
                }
            }
        }
        filled.push_str(rest);
        Ok(filled)
    }

    fn word(&self, word: &str) -> Option<Result<String, String>> {
        let (name, with) = word.split_once(':').unwrap_or((word, ""));
        Some(match (name, with) {
            ("path", "") => Ok(self.path.clone()),
            ("k", "") => Ok(self.unique.clone()),
            ("k", length) => length
                .parse()
                .map(|length| format!("{:k<length$}", self.unique))
                .map_err(|_| format!("no length: {length}")),
            ("big", "") => Ok("x".repeat(BIG)),
            ("charge", "") => Ok(self.body.to_string()),
            ("charge", form) => self.form(form),
            _ => {
                let (saved, member) = word.split_once('.')?;
                let body = self.remembered.get(saved)?;
                match &body[member] {
                    Value::String(text) => Ok(text.clone()),
                    other => Ok(other.to_string()),
                }
            }
        })
    }

    /// The charge in another form: the same request, or another one.
    fn form(&self, form: &str) -> Result<String, String> {
        let members = self.body.as_object().ok_or("the body is no JSON object")?;
        let with = |name: &str, value: Value| {
            let mut more = members.clone();
            more.insert(name.to_owned(), value);
            Value::Object(more).to_string()
        };
        Ok(match form {
            "other" => self.other.to_string(),
            "extra" => with("conformance", Value::from(1)),
            "big" => with("conformance", "x".repeat(BIG).into()),
            "reordered" => written(members.iter().rev(), "", |value| value.to_string()),
            "spaced" => written(members.iter(), " \t\r\n ", |value| value.to_string()),
            "fraction" => written(members.iter(), "", |value| match value {
                Value::Number(number) if number.is_u64() => format!("{number}.0"),
                other => other.to_string(),
            }),
            "exponent" => written(members.iter(), "", |value| match value {
                Value::Number(number) if number.is_u64() => format!("{number}0.0E-1"),
                other => other.to_string(),
            }),
            "escaped" => written(members.iter(), "", |value| match value {
                Value::String(text) => escaped(text),
                other => other.to_string(),
            }),
            "twice" => {
                let once = self.body.to_string();
                let again = Map::clone(members);
                let (name, value) = again.iter().next().ok_or("the body is empty")?;
                format!(
                    "{},{}:{value}}}",
                    &once[..once.len() - 1],
                    Value::from(name.as_str())
                )
            }
            _ => return Err(format!("the charge has no form {form}")),
        })
    }
}

fn written<'a>(
    members: impl Iterator<Item = (&'a String, &'a Value)>,
    space: &str,
    value: impl Fn(&Value) -> String,
) -> String {
    let members: Vec<String> = members
        .map(|(name, it)| {
            let name = Value::from(name.as_str());
            format!("{space}{name}{space}:{space}{}{space}", value(it))
        })
        .collect();
    format!("{space}{{{}}}{space}", members.join(","))
}

/// A JSON string of escapes only.
fn escaped(text: &str) -> String {
    let units = text.encode_utf16().map(|unit| format!("\\u{unit:04x}"));
    format!("\"{}\"", units.collect::<String>())
}
