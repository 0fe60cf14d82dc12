//! What has to hold in every state.

use super::super::state::{Entry, KeyUse, Phase, Rules, State};
use crate::protocol::{KeyState, Paid};

/// Something that has to hold in every state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Property {
    /// Money is taken at most once for one intent. Two clients that pay the same
    /// order are one intent.
    OneCharge,
    /// Every client that keeps trying can still be told how its payment ended.
    NeverStuck,
    /// Who is told that the payment was made has paid, and who is told that the
    /// card was declined has not.
    OwnAnswer,
    /// Nobody is told of a charge that was made for somebody else.
    NobodyElses,
    /// What a client was told stays under its key: whoever asks later hears the same.
    SavedAnswer,
    /// A saved answer says what the ledger says, and once a client has been told,
    /// no money was taken for its intent that no record knows of.
    Agreement,
}

impl Property {
    /// Every property, in the order in which one is named when several break at once.
    pub const ALL: [Self; 6] = [
        Self::OneCharge,
        Self::NeverStuck,
        Self::OwnAnswer,
        Self::NobodyElses,
        Self::SavedAnswer,
        Self::Agreement,
    ];

    /// Its name in addresses.
    #[must_use]
    pub const fn slug(self) -> &'static str {
        match self {
            Self::OneCharge => "one-charge",
            Self::NeverStuck => "never-stuck",
            Self::OwnAnswer => "own-answer",
            Self::NobodyElses => "nobody-elses",
            Self::SavedAnswer => "saved-answer",
            Self::Agreement => "agreement",
        }
    }

    /// The property of that name.
    #[must_use]
    pub fn from_slug(slug: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.slug() == slug)
    }
}

/// A set of properties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Properties(u8);

impl Properties {
    /// None of them.
    pub const NONE: Self = Self(0);
    /// All of them.
    pub const ALL: Self = Self(0b11_1111);

    /// This one alone.
    #[must_use]
    pub const fn only(property: Property) -> Self {
        Self(1 << property as u8)
    }

    /// These and one more.
    #[must_use]
    pub const fn with(self, property: Property) -> Self {
        Self(self.0 | 1 << property as u8)
    }

    /// Those that are in either.
    #[must_use]
    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Those that are in both.
    #[must_use]
    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether it is among them.
    #[must_use]
    pub const fn contains(self, property: Property) -> bool {
        self.0 & 1 << property as u8 != 0
    }

    /// The first of them.
    #[must_use]
    pub fn first(self) -> Option<Property> {
        Property::ALL.into_iter().find(|it| self.contains(*it))
    }
}

impl FromIterator<Property> for Properties {
    fn from_iter<I: IntoIterator<Item = Property>>(all: I) -> Self {
        all.into_iter().fold(Self::NONE, Self::with)
    }
}

/// The properties that do not hold in this state. [`Property::NeverStuck`] is
/// about what can follow, and is not judged here.
///
/// Each is judged by what the store, the ledger and one client hold, and never by
/// two clients together: the packed form judges them apart.
pub(super) fn broken(rules: &Rules, state: &State) -> Properties {
    let taken = |intent| {
        let of = move |entry: &&Entry| entry.taken && rules.intent(entry.client) == intent;
        state.ledger.iter().filter(of)
    };
    let mut broken = Properties::NONE;
    if state
        .ledger
        .iter()
        .any(|entry| taken(rules.intent(entry.client)).count() > 1)
    {
        broken = broken.with(Property::OneCharge);
    }
    let answers = || {
        state.keys.iter().flatten().filter_map(|record| {
            let KeyState::Done(answer) = &record.state else {
                return None;
            };
            Some((record.fingerprint, answer))
        })
    };
    if answers().any(|(body, answer)| {
        !state.ledger.iter().any(|entry| {
            entry.charge == answer.charge
                && entry.taken == (answer.paid == Paid::Succeeded)
                && rules.body(entry.client) == body
        })
    }) {
        broken = broken.with(Property::Agreement);
    }
    for (no, client) in (0..).zip(&state.clients) {
        let Phase::Settled { paid, charge } = client.phase else {
            continue;
        };
        let intent = rules.intent(no);
        if taken(intent).next().is_some() != (paid == Paid::Succeeded) {
            broken = broken.with(Property::OwnAnswer);
        }
        let entry = state.ledger.iter().find(|entry| entry.charge == charge);
        if entry.is_none_or(|entry| rules.intent(entry.client) != intent) {
            broken = broken.with(Property::NobodyElses);
        }
        // Without a key nothing is saved, and a new one each time is asked for once.
        if rules.key_use == KeyUse::Same
            && let Some(key) = rules.first_keys.get(usize::from(no))
        {
            let saved = state.keys.get(usize::from(*key)).and_then(Option::as_ref);
            let stands = saved.is_some_and(|record| {
                matches!(&record.state, KeyState::Done(answer)
                    if answer.charge == charge && answer.paid == paid)
            });
            if !stands {
                broken = broken.with(Property::SavedAnswer);
            }
        }
        let recorded = |entry: &Entry| answers().any(|(_, it)| it.charge == entry.charge);
        if rules.key_use != KeyUse::Without && !taken(intent).all(recorded) {
            broken = broken.with(Property::Agreement);
        }
    }
    broken
}
