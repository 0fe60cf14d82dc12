//! A key together with what it is unique in.

use model::protocol::{Fingerprint, IdempotencyKey, ProcessorKey};

use crate::id::AccountId;

/// The scope of keys that the server made out of a fingerprint.
const TEMPORARY: &str = "auto";
/// The scope of keys in the memory of one pod.
const POD: &str = "pod=";

/// A client's key within its scope.
///
/// As text it is the key itself or, with a scope, `scope key`. A key holds no
/// space, so no client can send what belongs to another scope.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ScopedKey {
    text: String,
    /// Where the client's key begins.
    at: usize,
}

impl ScopedKey {
    /// A key of a client. The user and the pod are the lab's.
    #[must_use]
    pub fn new(key: &IdempotencyKey, user: Option<&str>, pod: Option<u32>) -> Self {
        let user = user.map(|user| format!("user={user}"));
        let pod = pod.map(|pod| format!("{POD}{pod}"));
        Self::join(&[pod, user], key.as_str())
    }

    /// A temporary key for a request that came without one.
    #[must_use]
    pub fn temporary(of: &Fingerprint, user: Option<&str>, pod: Option<u32>) -> Self {
        let user = user.map(|user| format!("user={user}"));
        let pod = pod.map(|pod| format!("{POD}{pod}"));
        Self::join(&[pod, user, Some(TEMPORARY.to_owned())], &of.to_string())
    }

    /// A key as it was stored.
    #[must_use]
    pub fn of_stored(text: String) -> Self {
        let at = text.find(' ').map_or(0, |space| space + 1);
        Self { text, at }
    }

    fn join(scope: &[Option<String>], key: &str) -> Self {
        let scope: Vec<_> = scope.iter().flatten().map(String::as_str).collect();
        if scope.is_empty() {
            return Self::of_stored(key.to_owned());
        }
        Self::of_stored(format!("{} {key}", scope.join(";")))
    }

    /// As it is stored.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The client's own key.
    #[must_use]
    pub fn client(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// What it is unique in besides the account. The pod is left out: which of our
    /// servers took a payment makes no difference to what is paid.
    fn scope(&self) -> Option<String> {
        let scope = self.text.get(..self.at.checked_sub(1)?)?;
        let parts: Vec<_> = scope
            .split(';')
            .filter(|part| !part.starts_with(POD))
            .collect();
        (!parts.is_empty()).then(|| parts.join(";"))
    }

    /// What the processor is told that the payment is for. `generation` counts how
    /// often an expired key was taken for a new one.
    #[must_use]
    pub fn reference(&self, generation: u32) -> String {
        let mut reference = match self.scope() {
            Some(scope) => format!("{scope} {}", self.client()),
            None => self.client().to_owned(),
        };
        if generation > 0 {
            reference.push_str(&format!(" again={generation}"));
        }
        reference
    }

    /// The key that the processor is handed.
    #[must_use]
    pub fn processor_key(&self, account: &AccountId, generation: u32) -> Option<ProcessorKey> {
        let key = IdempotencyKey::new(self.client()).ok()?;
        let scope = match (self.scope(), generation) {
            (None, 0) => account.to_string(),
            (scope, generation) => {
                format!("{account} {} {generation}", scope.unwrap_or_default())
            }
        };
        Some(ProcessorKey::derive(&scope, &key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_keeps_keys_apart_and_a_pod_does_not() {
        let account = AccountId::from(String::from("acct_1"));
        let key = IdempotencyKey::new("k;x=1").unwrap();
        let plain = ScopedKey::new(&key, None, None);
        assert_eq!((plain.as_str(), plain.client()), ("k;x=1", "k;x=1"));
        let bob = ScopedKey::new(&key, Some("bob"), Some(2));
        assert_eq!(
            (bob.as_str(), bob.client()),
            ("pod=2;user=bob k;x=1", "k;x=1")
        );
        assert_eq!(bob, ScopedKey::of_stored(bob.as_str().to_owned()));
        assert_eq!(bob.reference(0), "user=bob k;x=1");
        assert_eq!(bob.reference(1), "user=bob k;x=1 again=1");
        let processor = |key: &ScopedKey, generation| key.processor_key(&account, generation);
        assert_ne!(processor(&bob, 0), processor(&plain, 0));
        assert_ne!(processor(&plain, 0), processor(&plain, 1));
        let pod = ScopedKey::new(&key, None, Some(1));
        assert_eq!(processor(&pod, 0), processor(&plain, 0));
        let temporary = ScopedKey::temporary(&Fingerprint::of("POST", "/", b""), None, None);
        assert!(temporary.as_str().starts_with("auto "));
    }
}
