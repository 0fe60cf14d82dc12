//! Names of things: accounts, charges, requests.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::clock;

/// Names an account, which is a sandbox: `acct_…`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AccountId(Arc<str>);

/// Names a charge: `ch_…`. The card processor gives the names.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ChargeId(Arc<str>);

/// Names one request: the client's own `X-Request-Id` where it sent a fit one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(Arc<str>);

impl AccountId {
    /// A new name.
    #[must_use]
    pub fn random() -> Self {
        Self(short("acct_").into())
    }
}

impl ChargeId {
    /// A new name.
    #[must_use]
    pub fn random() -> Self {
        Self(timed("ch_").into())
    }

    /// A new name for a refund: `re_…`. What is saved under a key names either.
    #[must_use]
    pub fn random_refund() -> Self {
        Self(timed("re_").into())
    }
}

impl RequestId {
    /// The longest that is taken from a client, in bytes.
    const LONGEST: usize = 64;

    /// A new name.
    #[must_use]
    pub fn random() -> Self {
        Self(short("req_").into())
    }

    /// Takes a client's own name: 1 to 64 of `A-Z a-z 0-9 _ -`.
    #[must_use]
    pub fn from_client(text: &[u8]) -> Option<Self> {
        let fit = (1..=Self::LONGEST).contains(&text.len())
            && text
                .iter()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
        let text = fit.then(|| std::str::from_utf8(text).ok()).flatten()?;
        Some(Self(text.into()))
    }
}

macro_rules! text {
    ($($name:ident),*) => {$(
        impl $name {
            /// The name as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.into())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}
text!(AccountId, ChargeId, RequestId);

/// Letters that people can read aloud: no `i`, `l`, `o` or `u`. In the order of their
/// bytes, so that texts are in the order of their numbers.
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Appends the lowest bits of a number, five to a letter.
fn write(text: &mut String, bits: u128, letters: u32) {
    for place in (0..letters).rev() {
        let letter = (bits >> (5 * place)) & 31;
        text.push(char::from(LETTERS[letter as usize]));
    }
}

/// A prefix and 80 random bits as 16 letters.
fn short(prefix: &str) -> String {
    let bits = Uuid::new_v4().as_u128();
    let mut text = String::with_capacity(prefix.len() + 16);
    text.push_str(prefix);
    // Around the fixed bits of the UUID: 48 above them, 62 below.
    write(&mut text, bits >> 80, 4);
    write(&mut text, bits, 12);
    text
}

/// A prefix, the time in ms as 9 letters, and 60 random bits as 12. Names that are made
/// one after the other are neighbours in an index: one page to write instead of many.
fn timed(prefix: &str) -> String {
    let mut text = String::with_capacity(prefix.len() + 21);
    text.push_str(prefix);
    write(&mut text, clock::now().into(), 9);
    write(&mut text, Uuid::new_v4().as_u128(), 12);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_do_not_repeat() {
        for (make, len) in [(short as fn(&str) -> String, 19), (timed, 24)] {
            let names: HashSet<_> = (0..10_000).map(|_| make("ch_")).collect();
            assert_eq!(names.len(), 10_000);
            assert!(names.iter().all(|name| name.len() == len));
        }
    }

    #[test]
    fn timed_names_are_in_the_order_of_time() {
        let text = |ms| {
            let mut text = String::new();
            write(&mut text, ms, 9);
            text
        };
        assert!(text(9) < text(10) && text(31) < text(32) && text(1023) < text(1024));
        let before = timed("ch_");
        std::thread::sleep(std::time::Duration::from_millis(2));
        assert!(before < timed("ch_"));
    }

    #[test]
    fn only_a_fit_request_id_is_taken() {
        let taken = |text: &str| RequestId::from_client(text.as_bytes()).is_some();
        assert!(taken("pay-1_A"));
        assert!(taken(&"a".repeat(64)));
        for bad in ["", "a b", "a\nb", "ä", "<i>", &"a".repeat(65)] {
            assert!(!taken(bad), "{bad:?}");
        }
    }
}
