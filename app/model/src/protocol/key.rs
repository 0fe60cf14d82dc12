//! The client's key, and the key that is derived from it for the card processor.

use sha2::{Digest, Sha256};
use std::fmt;

/// The longest key in bytes.
pub const LONGEST: usize = 255;

/// A client's idempotency key: 1 to 255 bytes of visible ASCII.
///
/// The length counts bytes, as the store does. The quoted and the bare form of
/// the header are the same key; taking the quotes off is the wire's business.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IdempotencyKey(String);

/// Why a text is no idempotency key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// No byte at all.
    #[error("the key is empty")]
    Empty,
    /// More than [`LONGEST`] bytes.
    #[error("the key has {0} bytes, at most {LONGEST} are allowed")]
    TooLong(usize),
    /// A space, a control character or something outside ASCII.
    #[error("the key may hold visible ASCII only; byte {0} is something else")]
    NotVisible(usize),
}

impl IdempotencyKey {
    /// Takes a key after unquoting.
    ///
    /// # Errors
    /// [`KeyError`] when it is empty, too long, or not visible ASCII.
    pub fn new(text: &str) -> Result<Self, KeyError> {
        if text.is_empty() {
            return Err(KeyError::Empty);
        }
        if text.len() > LONGEST {
            return Err(KeyError::TooLong(text.len()));
        }
        match text.bytes().position(|byte| !byte.is_ascii_graphic()) {
            Some(at) => Err(KeyError::NotVisible(at + 1)),
            None => Ok(Self(text.to_owned())),
        }
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The key that the card processor is handed.
///
/// It is derived from the account and the client's key, so that two accounts
/// whose clients chose the same key never meet at the processor, and so that a
/// takeover, which knows only what is stored, derives the same one again.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProcessorKey(String);

impl ProcessorKey {
    /// Derives the processor's key: SHA-256 over the two parts, each with its
    /// length before it, the first 16 bytes in hex after `pk_`.
    #[must_use]
    pub fn derive(account: &str, key: &IdempotencyKey) -> Self {
        let mut hash = Sha256::new();
        for part in [account, key.as_str()] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        let digest = hash.finalize();
        let mut text = String::from("pk_");
        for byte in digest.iter().take(16) {
            text.push_str(&format!("{byte:02x}"));
        }
        Self(text)
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_visible_ascii_counted_in_bytes() {
        assert_eq!(IdempotencyKey::new("k-7f3").unwrap().as_str(), "k-7f3");
        assert!(IdempotencyKey::new(&"k".repeat(255)).is_ok());
        assert_eq!(
            IdempotencyKey::new(&"k".repeat(256)),
            Err(KeyError::TooLong(256))
        );
        assert_eq!(IdempotencyKey::new(""), Err(KeyError::Empty));
        assert_eq!(IdempotencyKey::new("a b"), Err(KeyError::NotVisible(2)));
        assert_eq!(IdempotencyKey::new("a\tb"), Err(KeyError::NotVisible(2)));
        assert_eq!(IdempotencyKey::new("käse"), Err(KeyError::NotVisible(2)));
        assert_eq!(IdempotencyKey::new("a\u{7f}"), Err(KeyError::NotVisible(2)));
        // 128 two-byte characters are 256 bytes: too long before they are wrong.
        assert_eq!(
            IdempotencyKey::new(&"é".repeat(128)),
            Err(KeyError::TooLong(256))
        );
    }

    #[test]
    fn the_processor_key_depends_on_both_parts_and_their_border() {
        let key = |k: &str| IdempotencyKey::new(k).unwrap();
        let derived = ProcessorKey::derive("acct_1", &key("k"));
        assert_eq!(derived, ProcessorKey::derive("acct_1", &key("k")));
        assert_ne!(derived, ProcessorKey::derive("acct_2", &key("k")));
        assert_ne!(derived, ProcessorKey::derive("acct_1", &key("l")));
        assert_ne!(
            ProcessorKey::derive("ab", &key("c")),
            ProcessorKey::derive("a", &key("bc"))
        );
        assert!(!derived.as_str().contains("k-7f3"));
    }
}
