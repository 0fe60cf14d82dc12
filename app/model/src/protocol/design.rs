//! The settings that make the design safe, each of which can be weakened.

use serde::{Deserialize, Serialize};

/// How a new key gets into the store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimRule {
    /// One insert under a unique constraint; whoever loses reads what is there.
    #[default]
    UniqueInsert,
    /// Look first, insert later: two requests can both find nothing.
    LookupThenInsert,
}

/// What an expired key means when it comes back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExpiredRule {
    /// Refuse it with 410 and ask for a new key.
    #[default]
    Refuse,
    /// Treat it as new: a late retry charges again without a word.
    Accept,
}

/// What happens to a request without a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Keyless {
    /// Refuse it: 400.
    #[default]
    Require,
    /// Let it through; each request is a charge of its own.
    Allow,
    /// Let it through for now, and say when that ends.
    Grace,
    /// Make a temporary key of the request's fingerprint, for a short window.
    Fingerprint,
}

/// Which mechanisms are switched on. The default is the correct design.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct Design {
    /// How a new key gets into the store.
    pub claim: ClaimRule,
    /// A claim ends by itself when its owner is gone, and a retry takes over.
    pub lease: bool,
    /// A living owner renews its lease, so that slow is not mistaken for dead.
    pub heartbeat: bool,
    /// Each takeover raises a token, and a late owner's writes fail.
    pub fencing: bool,
    /// The card processor takes a key of its own and charges once for it.
    pub processor_keys: bool,
    /// The same key with another body is refused.
    pub fingerprint: bool,
    /// Keys are unique together with the account.
    pub account_scope: bool,
    /// What an expired key means.
    pub expired: ExpiredRule,
}

impl Default for Design {
    fn default() -> Self {
        Self {
            claim: ClaimRule::UniqueInsert,
            lease: true,
            heartbeat: true,
            fencing: true,
            processor_keys: true,
            fingerprint: true,
            account_scope: true,
            expired: ExpiredRule::Refuse,
        }
    }
}
