//! What a player tells: a scenario of the lesson, or a way that the explorer found.

use model::world::explore::{Weakened, tell};
use model::world::{Move, Scenario, Trace};

/// What a player tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Story {
    /// A scenario of the lesson, computed where it is shown.
    Scenario(Scenario),
    /// How a weakened design breaks. The server searches; who shows it is handed the
    /// moves and makes them again.
    Weakened(Weakened),
}

impl Default for Story {
    fn default() -> Self {
        Self::Scenario(Scenario::default())
    }
}

impl Story {
    /// Its name in addresses.
    #[must_use]
    pub const fn slug(self) -> &'static str {
        match self {
            Self::Scenario(scenario) => scenario.slug(),
            Self::Weakened(weakened) => weakened.slug(),
        }
    }

    /// The story of that name.
    #[must_use]
    pub fn from_slug(slug: &str) -> Option<Self> {
        let scenario = Scenario::from_slug(slug).map(Self::Scenario);
        scenario.or_else(|| Weakened::from_slug(slug).map(Self::Weakened))
    }

    /// The scenario, if it is one.
    #[must_use]
    pub const fn scenario(self) -> Option<Scenario> {
        match self {
            Self::Scenario(scenario) => Some(scenario),
            Self::Weakened(_) => None,
        }
    }

    /// Plays it: a scenario with its seed, a way that was found by its moves.
    #[must_use]
    pub fn trace(self, seed: u64, moves: &str) -> Trace {
        match self {
            Self::Scenario(scenario) => scenario.trace(seed),
            Self::Weakened(weakened) => {
                let moves: Vec<Move> = moves
                    .split_ascii_whitespace()
                    .map_while(|text| text.parse().ok())
                    .collect();
                tell(&weakened.rules(), weakened.budget(), &moves)
            }
        }
    }
}
