//! Bearer tokens. Only their hash is stored.

use std::fmt;

use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, COOKIE};
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// The cookie that the pages carry the token in.
pub(crate) const COOKIE_NAME: &str = "charge_once";

/// A token as a client holds it. It opens one sandbox.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Token(String);

impl Token {
    /// A new token: 122 random bits.
    pub(crate) fn random() -> Self {
        Self(format!("tok_{}", Uuid::new_v4().simple()))
    }

    /// The token of a request. A bearer token wins over a cookie, even an unknown one.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        if let Some(value) = headers.get(AUTHORIZATION) {
            let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
            return scheme
                .eq_ignore_ascii_case("bearer")
                .then(|| Self(token.trim().to_owned()));
        }
        Self::of_cookie(headers)
    }

    /// The token in the cookie.
    pub(crate) fn of_cookie(headers: &HeaderMap) -> Option<Self> {
        headers
            .get_all(COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .find(|(name, _)| *name == COOKIE_NAME)
            .map(|(_, token)| Self(token.to_owned()))
    }

    /// What is stored of it.
    pub(crate) fn hash(&self) -> [u8; 32] {
        Sha256::digest(&self.0).into()
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::{HeaderName, HeaderValue};

    fn of(headers: &[(HeaderName, &'static str)]) -> Option<String> {
        let map = headers
            .iter()
            .map(|(name, value)| (name.clone(), HeaderValue::from_static(value)))
            .collect();
        Token::of(&map).map(|token| token.0)
    }

    #[test]
    fn bearer_or_cookie() {
        assert_eq!(of(&[]), None);
        assert_eq!(
            of(&[(AUTHORIZATION, "Bearer tok_1")]).as_deref(),
            Some("tok_1")
        );
        assert_eq!(
            of(&[(AUTHORIZATION, "bearer tok_1")]).as_deref(),
            Some("tok_1")
        );
        assert_eq!(
            of(&[(COOKIE, "a=b; charge_once=tok_2")]).as_deref(),
            Some("tok_2")
        );
        assert_eq!(of(&[(COOKIE, "xcharge_once=tok_2")]), None);
        let both = [(COOKIE, "charge_once=tok_2"), (AUTHORIZATION, "Basic eDp5")];
        assert_eq!(of(&both), None);
    }
}
