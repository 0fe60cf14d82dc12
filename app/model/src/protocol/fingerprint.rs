//! What tells one request from another that came under the same key.

use sha2::{Digest, Sha256};
use std::fmt;

/// SHA-256 over method, path and canonical body, each with its length before it.
///
/// The lengths keep two different requests from running together into one text.
/// The body has to be in canonical JSON (RFC 8785) already, so that the order of
/// members and white space make no difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// Takes the fingerprint of a request.
    #[must_use]
    pub fn of(method: &str, path: &str, canonical_body: &[u8]) -> Self {
        let mut hash = Sha256::new();
        for part in [method.as_bytes(), path.as_bytes(), canonical_body] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        Self(hash.finalize().into())
    }

    /// A fingerprint that was stored as 32 bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes, to be stored.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Fingerprint {
    /// The 64 hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_run_together() {
        let a = Fingerprint::of("POST", "/charges", b"{}");
        assert_eq!(a, Fingerprint::of("POST", "/charges", b"{}"));
        assert_ne!(a, Fingerprint::of("POST", "/charges{", b"}"));
        assert_ne!(a, Fingerprint::of("POS", "T/charges", b"{}"));
        assert_ne!(a, Fingerprint::of("PUT", "/charges", b"{}"));
        assert_eq!(a.to_string().len(), 64);
        assert_eq!(Fingerprint::from_bytes(*a.as_bytes()), a);
    }
}
