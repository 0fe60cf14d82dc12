//! Designs that lack something, and what breaks in each: found, not written down.

use super::super::state::{Budget, KeyUse, Rules};
use super::property::{Properties, Property};
use super::search::{Search, TooLarge, Verdict};
use crate::protocol::{ClaimRule, Design};

/// A design, or a client, that lacks something, so that a property breaks.
///
/// These are the smallest of their kind: what breaks in any other combination of
/// the same mechanisms breaks in one of these as well (asserted in the tests).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Weakened {
    /// The client sends no key.
    NoKey,
    /// The client makes a new key for each attempt.
    NewKeyEachTime,
    /// The card processor takes no key of its own.
    NoProcessorKey,
    /// The same, and keys are looked up before they are inserted.
    NoProcessorKeyLookupFirst,
    /// The processor takes no key, and a slow owner does not renew its lease.
    NoProcessorKeyNoHeartbeat,
    /// Keys are looked up before they are inserted.
    LookupFirst,
    /// A slow owner does not renew its lease, and its late writes are taken.
    NoHeartbeatNoFencing,
    /// A claim never ends by itself.
    NoLease,
    /// The same key with another body is not refused.
    NoBodyHash,
    /// Keys of different accounts meet.
    NoAccountScope,
}

impl Weakened {
    /// All of them, by the property that breaks.
    pub const ALL: [Self; 10] = [
        Self::NoKey,
        Self::NewKeyEachTime,
        Self::NoProcessorKey,
        Self::NoProcessorKeyLookupFirst,
        Self::NoProcessorKeyNoHeartbeat,
        Self::NoLease,
        Self::LookupFirst,
        Self::NoHeartbeatNoFencing,
        Self::NoBodyHash,
        Self::NoAccountScope,
    ];

    /// Its name in addresses.
    #[must_use]
    pub const fn slug(self) -> &'static str {
        match self {
            Self::NoKey => "no-key",
            Self::NewKeyEachTime => "new-key-each-time",
            Self::NoProcessorKey => "no-processor-key",
            Self::NoProcessorKeyLookupFirst => "no-processor-key-lookup-first",
            Self::NoProcessorKeyNoHeartbeat => "no-processor-key-no-heartbeat",
            Self::LookupFirst => "lookup-first",
            Self::NoHeartbeatNoFencing => "no-heartbeat-no-fencing",
            Self::NoLease => "no-lease",
            Self::NoBodyHash => "no-body-hash",
            Self::NoAccountScope => "no-account-scope",
        }
    }

    /// The one of that name.
    #[must_use]
    pub fn from_slug(slug: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.slug() == slug)
    }

    /// The world that it is looked at in: one client that pays once, in two attempts;
    /// two clients where one has to meet another's key.
    #[must_use]
    pub fn rules(self) -> Rules {
        let mut rules = Rules::one_client(2);
        let Design {
            claim,
            lease,
            heartbeat,
            fencing,
            processor_keys,
            fingerprint,
            account_scope,
            ..
        } = &mut rules.design;
        match self {
            Self::NoKey => rules.key_use = KeyUse::Without,
            Self::NewKeyEachTime => rules.key_use = KeyUse::NewEachTime,
            Self::NoProcessorKey => *processor_keys = false,
            Self::NoProcessorKeyLookupFirst => {
                *processor_keys = false;
                *claim = ClaimRule::LookupThenInsert;
            }
            Self::NoProcessorKeyNoHeartbeat => {
                *processor_keys = false;
                *heartbeat = false;
            }
            Self::LookupFirst => *claim = ClaimRule::LookupThenInsert,
            Self::NoHeartbeatNoFencing => {
                *heartbeat = false;
                *fencing = false;
            }
            Self::NoLease => *lease = false,
            Self::NoBodyHash => {
                *fingerprint = false;
                rules.first_keys = vec![0, 0];
                rules.intents = vec![0, 1];
            }
            Self::NoAccountScope => {
                *account_scope = false;
                // Strangers who pay as much for the same thing: no fingerprint tells
                // them apart.
                rules.first_keys = vec![0, 0];
                rules.intents = vec![0, 1];
                rules.bodies = vec![0, 0];
            }
        }
        rules
    }

    /// How much may go wrong in that world: one thing of each kind.
    #[must_use]
    pub const fn budget(self) -> Budget {
        Budget {
            crashes: 1,
            losses: 1,
            slow_owners: 1,
            processor: 1,
        }
    }

    /// What is looked for: any property. Where two clients pay, one is told of the
    /// other's charge, and that is what it is about, though it breaks
    /// [`Property::OwnAnswer`] at the same time.
    #[must_use]
    pub const fn asked(self) -> Properties {
        match self {
            Self::NoBodyHash | Self::NoAccountScope => Properties::only(Property::NobodyElses),
            _ => Properties::ALL,
        }
    }

    /// Looks for a shortest way to break what is asked for.
    ///
    /// # Errors
    /// [`TooLarge`], which none of these worlds is.
    pub fn search(self) -> Result<Verdict, TooLarge> {
        let search = Search::new(&self.rules(), self.budget(), self.asked());
        search.map(|mut search| search.run())
    }
}
