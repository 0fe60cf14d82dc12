//! Where things stand on each of the two drawings.

use model::world::Actor;

/// The measures of a drawing, in px.
pub(super) struct Plan {
    pub(super) narrow: bool,
    pub(super) width: i32,
    /// The lifelines, in the order of [`ACTORS`].
    x: [i32; 4],
    /// Half the width of a bar.
    pub(super) half: i32,
    /// The first row.
    pub(super) top: i32,
    /// The names, and the signs under them.
    pub(super) heads: (i32, i32),
}

/// Who has a lifeline, from left to right.
pub(super) const ACTORS: [Actor; 4] = [Actor::Client, Actor::Api, Actor::Keys, Actor::Processor];

pub(super) const WIDE: Plan = Plan {
    narrow: false,
    width: 632,
    x: [124, 272, 420, 568],
    half: 4,
    top: 100,
    heads: (24, 44),
};

/// A drawing of its own, not a shrunken one.
pub(super) const NARROW: Plan = Plan {
    narrow: true,
    width: 288,
    x: [20, 100, 182, 254],
    half: 3,
    top: 78,
    heads: (14, 29),
};

impl Plan {
    /// An actor's lifeline.
    pub(super) fn x(&self, actor: Actor) -> i32 {
        let [client, api, keys, processor] = self.x;
        match actor {
            Actor::Client => client,
            Actor::Api => api,
            Actor::Keys => keys,
            Actor::Processor => processor,
        }
    }
}
