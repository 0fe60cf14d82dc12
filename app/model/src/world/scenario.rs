//! The scenarios of the lesson. Each is a setting of the world; what happens in
//! it is computed.

use super::fact::What;
use super::run::{Setup, run};
use super::state::KeyUse;
use super::trace::{Aside, Trace};
use crate::fault::Fault;

/// A scenario of the lesson.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scenario {
    /// The reply is lost and the retry carries the same key. Its last step shows
    /// the turn in which the retry comes early.
    #[default]
    LostResponse,
    /// The same without a key.
    WithoutKey,
    /// The same with a new key on each attempt.
    NewKeyOnRetry,
    /// The processor answers late, and the retry meets the first attempt at work.
    EarlyRetry,
}

/// By how much the processor answers later than usual when the retry comes early.
const LATE_MS: u64 = 3000;

impl Scenario {
    /// Every scenario, in the order in which they are offered.
    pub const ALL: [Self; 4] = [
        Self::LostResponse,
        Self::WithoutKey,
        Self::NewKeyOnRetry,
        Self::EarlyRetry,
    ];

    /// Its name in addresses.
    #[must_use]
    pub const fn slug(self) -> &'static str {
        match self {
            Self::LostResponse => "lost-response",
            Self::WithoutKey => "without-key",
            Self::NewKeyOnRetry => "new-key-on-retry",
            Self::EarlyRetry => "early-retry",
        }
    }

    /// The scenario of that name.
    #[must_use]
    pub fn from_slug(slug: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.slug() == slug)
    }

    /// The world that it is played in.
    #[must_use]
    pub fn setup(self) -> Setup {
        let mut setup = Setup::lesson();
        setup.faults = match self {
            Self::EarlyRetry => vec![Fault::Slow { ms: LATE_MS }],
            _ => vec![Fault::LoseReply],
        };
        setup.rules.key_use = match self {
            Self::WithoutKey => KeyUse::Without,
            Self::NewKeyOnRetry => KeyUse::NewEachTime,
            Self::LostResponse | Self::EarlyRetry => KeyUse::Same,
        };
        setup
    }

    /// Plays it.
    #[must_use]
    pub fn trace(self, seed: u64) -> Trace {
        let setup = self.setup();
        let facts = run(&setup, seed);
        let aside = match self {
            Self::LostResponse => early_turn(&facts, seed),
            _ => None,
        };
        Trace {
            seed,
            policy: setup.policy,
            facts,
            aside,
        }
    }
}

/// The turn in which the retry finds the first attempt still at work, up to the
/// answer that it gets.
fn early_turn(main: &[super::Fact], seed: u64) -> Option<Aside> {
    let mut other = run(&Scenario::EarlyRetry.setup(), seed);
    let from = main.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let second = |fact: &super::Fact| fact.attempt == 2;
    let claim = other
        .iter()
        .position(|fact| second(fact) && matches!(fact.what, What::Claimed { .. }))?;
    let answer = other
        .iter()
        .position(|fact| second(fact) && matches!(fact.what, What::Received(_)))?;
    other.truncate(answer + 1);
    Some(Aside {
        from,
        facts: other.split_off(from),
        lead: claim.checked_sub(from)?,
    })
}
