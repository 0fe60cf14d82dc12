//! What the explorer finds in the weakened designs: searched when it is first asked
//! for, a few milliseconds in all, and then kept.

use model::world::explore::{Counterexample, Verdict, Weakened};
use std::sync::LazyLock;

/// A weakened design and the way in which it breaks.
pub(super) struct Found {
    pub(super) weakened: Weakened,
    pub(super) example: Counterexample,
}

static FOUND: LazyLock<Vec<Found>> = LazyLock::new(|| {
    let search = |weakened: Weakened| match weakened.search() {
        Ok(Verdict::Broken(example)) => Some(Found {
            weakened,
            example: *example,
        }),
        // Not reached: each of them breaks, as the model's tests assert.
        _ => None,
    };
    Weakened::ALL.into_iter().filter_map(search).collect()
});

/// Everything that was found.
pub(super) fn all() -> &'static [Found] {
    &FOUND
}

/// What was found in one design.
pub(super) fn of(weakened: Weakened) -> Option<&'static Found> {
    all().iter().find(|it| it.weakened == weakened)
}

impl Found {
    /// The moves as text, for the browser to make again.
    pub(super) fn moves(&self) -> String {
        let moves: Vec<String> = self.example.moves.iter().map(ToString::to_string).collect();
        moves.join(" ")
    }
}
