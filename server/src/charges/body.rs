//! JSON bodies: strict reading, and one canonical form.
//!
//! A member that is there twice has no agreed meaning, and an integer beyond 2^53
//! is not the same number everywhere: both would let two different requests have
//! one fingerprint, so both are refused (as RFC 7493, I-JSON, asks).

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// The largest integer that every JSON reader takes for itself.
const EXACT: u64 = (1 << 53) - 1;

/// Why a body is not JSON for us, in words for the client.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NotJson(String);

/// Reads a body.
///
/// # Errors
/// [`NotJson`] when it does not parse, repeats a member or holds an integer beyond 2^53.
pub fn parse(bytes: &[u8]) -> Result<Value, NotJson> {
    if bytes.is_empty() {
        return Err(NotJson(String::from("The body is empty.")));
    }
    match serde_json::from_slice::<Strict>(bytes) {
        Ok(strict) => Ok(strict.0),
        Err(error) => Err(NotJson(format!("The body does not parse: {error}."))),
    }
}

/// The canonical form of RFC 8785: members sorted, no white space, numbers in one form.
///
/// # Errors
/// [`NotJson`] when the value has no such form.
pub fn canonical(value: &Value) -> Result<Vec<u8>, NotJson> {
    serde_json_canonicalizer::to_vec(value)
        .map_err(|error| NotJson(format!("The body has no canonical form: {error}.")))
}

/// Whether a content type says JSON: `application/json` or `application/…+json`.
#[must_use]
pub fn is_json(content_type: Option<&[u8]>) -> bool {
    let Some(Ok(text)) = content_type.map(std::str::from_utf8) else {
        return false;
    };
    let essence = text
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    essence
        .strip_prefix("application/")
        .is_some_and(|sub| sub == "json" || (sub.len() > 5 && sub.ends_with("+json")))
}

struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader).map(Self)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        exact(value)?;
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        exact(value.unsigned_abs())?;
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        if value.fract() == 0.0 && value.abs() > EXACT as f64 {
            return Err(E::custom(
                "an integer beyond 2^53 is not the same number everywhere",
            ));
        }
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("a number is out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Strict(value)) = from.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(name) = from.next_key::<String>()? {
            if members.contains_key(&name) {
                return Err(A::Error::custom(format!(
                    "the member {name:?} is there twice"
                )));
            }
            let Strict(value) = from.next_value()?;
            members.insert(name, value);
        }
        Ok(Value::Object(members))
    }
}

fn exact<E: Error>(size: u64) -> Result<(), E> {
    if size > EXACT {
        return Err(E::custom(
            "an integer beyond 2^53 is not the same number everywhere",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn form(text: &str) -> String {
        String::from_utf8(canonical(&parse(text.as_bytes()).unwrap()).unwrap()).unwrap()
    }

    #[test]
    fn order_and_white_space_make_no_difference_but_values_do() {
        let one = form(r#"{"amount":4000,"currency":"usd"}"#);
        assert_eq!(one, form("{ \"currency\" : \"usd\",\n \"amount\":4.0e3 }"));
        assert_ne!(one, form(r#"{"amount":4001,"currency":"usd"}"#));
        assert_eq!(
            form(r#"{"b":[1,{"d":null,"c":true}],"a":"é"}"#),
            r#"{"a":"é","b":[1,{"c":true,"d":null}]}"#
        );
    }

    #[test]
    fn what_has_no_one_meaning_is_refused() {
        for text in [
            "",
            " ",
            "{",
            "{} {}",
            "nul",
            r#"{"a":1,"a":1}"#,
            r#"{"a":{"b":1,"\u0062":2}}"#,
            "9007199254740993",
            "-9007199254740993",
            "1e300",
            "1e999",
            "\"\\ud800\"",
            "\u{feff}{}",
        ] {
            assert!(parse(text.as_bytes()).is_err(), "{text:?}");
        }
        assert!(parse(b"\"\xff\"").is_err());
        assert!(parse("[".repeat(10_000).as_bytes()).is_err(), "depth");
        assert!(parse(b"9007199254740991").is_ok());
    }

    #[test]
    fn the_content_type_says_json() {
        for good in [
            "application/json",
            "Application/JSON; charset=utf-8",
            "application/x+json",
        ] {
            assert!(is_json(Some(good.as_bytes())), "{good}");
        }
        for bad in ["text/plain", "text/json", "application/+json", "json", ""] {
            assert!(!is_json(Some(bad.as_bytes())), "{bad}");
        }
        assert!(!is_json(None));
    }

    proptest! {
        #[test]
        fn no_body_makes_it_panic(bytes: Vec<u8>) {
            let _ = parse(&bytes);
        }

        #[test]
        fn the_canonical_form_is_its_own(text in r#"\{("[a-c]":[0-9]{1,5},?){0,3}\}"#) {
            if let Ok(value) = parse(text.as_bytes()) {
                let once = canonical(&value).unwrap();
                prop_assert_eq!(canonical(&parse(&once).unwrap()).unwrap(), once);
            }
        }
    }
}
