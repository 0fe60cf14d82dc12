//! The `Idempotency-Key` header.
//!
//! The draft makes it a structured-field string, `"k-7f3"`; most clients send the
//! bare `k-7f3`. Both are the same key. In the bare form a comma, a semicolon or
//! a quotation mark would mean a list, parameters or a broken string, so keys that
//! hold one of them have to be quoted.

use axum::http::{HeaderMap, HeaderName};
use model::protocol::{IdempotencyKey, KeyError};
use sfv::{Item, Parser};

/// The name of the header.
pub const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Why the header holds no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// More than one header, equal or not.
    #[error("the header is there more than once")]
    Repeated,
    /// Neither a string of RFC 9651 nor a bare key.
    #[error("write one key, as \"k-7f3\" or k-7f3; no list, no parameters")]
    Form,
    /// The text is no key.
    #[error(transparent)]
    Key(#[from] KeyError),
}

/// Reads the key, if there is one.
///
/// # Errors
/// [`Malformed`] when the header is there, but it is not exactly one key.
pub fn read(headers: &HeaderMap) -> Result<Option<IdempotencyKey>, Malformed> {
    let mut values = headers.get_all(&IDEMPOTENCY_KEY).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(Malformed::Repeated);
    }
    let value = value.as_bytes();
    if value.starts_with(b"\"") {
        let item: Item = Parser::new(value).parse().map_err(|_| Malformed::Form)?;
        if !item.params.is_empty() {
            return Err(Malformed::Form);
        }
        let text = item.bare_item.as_string().ok_or(Malformed::Form)?;
        return Ok(Some(IdempotencyKey::new(text.as_str())?));
    }
    if value.iter().any(|byte| matches!(byte, b',' | b';' | b'"')) {
        return Err(Malformed::Form);
    }
    // Bytes outside ASCII are counted, but no text: let the key say what is wrong.
    Ok(Some(IdempotencyKey::new(&String::from_utf8_lossy(value))?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;
    use proptest::prelude::*;

    fn of(values: &[&[u8]]) -> Result<Option<String>, Malformed> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(IDEMPOTENCY_KEY, HeaderValue::from_bytes(value).unwrap());
        }
        read(&headers).map(|key| key.map(|key| key.as_str().to_owned()))
    }

    #[test]
    fn quoted_and_bare_are_the_same_key() {
        assert_eq!(of(&[]), Ok(None));
        for value in [&b"k-7f3"[..], b"\"k-7f3\"", b"  \"k-7f3\"  "] {
            if value.starts_with(b" ") {
                continue; // hyper trims before we see it
            }
            assert_eq!(of(&[value]), Ok(Some(String::from("k-7f3"))));
        }
        assert_eq!(of(&[br#""a,b;c""#]), Ok(Some(String::from("a,b;c"))));
        assert_eq!(
            of(&[br#""say \"x\"""#]),
            Err(KeyError::NotVisible(4).into())
        );
        assert_eq!(of(&[br#""\"x\\\"""#]), Ok(Some(String::from("\"x\\\""))));
        assert!(of(&["k".repeat(255).as_bytes()]).is_ok());
        assert!(of(&[format!("\"{}\"", "k".repeat(255)).as_bytes()]).is_ok());
    }

    #[test]
    fn anything_else_is_malformed() {
        let long = "k".repeat(256);
        for value in [
            &b""[..],
            b"\"\"",
            b"\"a b\"",
            b"a b",
            b"a\tb",
            b"\"a",
            b"a\"",
            b"\"a\" \"b\"",
            b"\"a\", \"b\"",
            b"\"a\";v=1",
            b"a,b",
            b"a, b",
            b"a;v=1",
            b"k\xc3\xa4se",
            b"\"k\xc3\xa4se\"",
            b"\xff",
            long.as_bytes(),
            format!("\"{long}\"").as_bytes(),
        ] {
            assert!(
                of(&[value]).is_err(),
                "{:?}",
                String::from_utf8_lossy(value)
            );
        }
        assert_eq!(of(&[b"a", b"a"]), Err(Malformed::Repeated));
        assert_eq!(of(&[b"a", b""]), Err(Malformed::Repeated));
    }

    proptest! {
        #[test]
        fn no_header_makes_it_panic_and_every_key_is_fit(bytes: Vec<u8>) {
            if let Ok(value) = HeaderValue::from_bytes(&bytes) {
                let mut headers = HeaderMap::new();
                headers.append(IDEMPOTENCY_KEY, value);
                if let Ok(Some(key)) = read(&headers) {
                    prop_assert!((1..=255).contains(&key.as_str().len()));
                    prop_assert!(key.as_str().bytes().all(|byte| byte.is_ascii_graphic()));
                }
            }
        }
    }
}
