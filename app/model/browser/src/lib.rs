//! The explorer in a browser and natively, over the same worlds: what
//! `cargo xtask bench explore` measures and compares. No part of the product.

use model::world::explore::{Properties, Search, TooLarge, Verdict, Weakened};
use model::world::{Budget, Rules};
use wasm_bindgen::prelude::wasm_bindgen;

/// Clients, attempts of each, crashes, losses. The first is the default space.
const SPACES: [(u8, u32, u8, u8); 3] = [(2, 3, 2, 2), (2, 2, 1, 1), (1, 4, 2, 2)];

/// How many worlds there are: spaces of the correct design, and weakened designs.
#[wasm_bindgen]
#[must_use]
pub fn worlds() -> usize {
    SPACES.len() + Weakened::ALL.len()
}

/// What a world is called.
#[wasm_bindgen]
#[must_use]
pub fn name(world: usize) -> String {
    match (SPACES.get(world), weakened(world)) {
        (Some(space), _) => format!("{space:?}"),
        (None, Some(weakened)) => weakened.slug().to_owned(),
        (None, None) => String::new(),
    }
}

fn weakened(world: usize) -> Option<Weakened> {
    let no = world.checked_sub(SPACES.len())?;
    Weakened::ALL.get(no).copied()
}

/// Searches a world to the end, and tells everything that came of it: a search that
/// went another way would tell something else.
#[wasm_bindgen]
#[must_use]
pub fn verdict(world: usize) -> String {
    match search(world) {
        Ok(Verdict::Holds {
            states,
            transitions,
            depth,
        }) => format!("holds: {states} states, {transitions} transitions, depth {depth}"),
        Ok(Verdict::Broken(example)) => {
            let moves: Vec<String> = example.moves.iter().map(ToString::to_string).collect();
            format!(
                "{}: {} states, {}",
                example.property.slug(),
                example.states,
                moves.join(" ")
            )
        }
        Ok(Verdict::NotFinished { states, depth }) => {
            format!("not finished: {states} states, depth {depth}")
        }
        Err(error) => error.to_string(),
    }
}

fn search(world: usize) -> Result<Verdict, TooLarge> {
    let Some((clients, attempts, crashes, losses)) = SPACES.get(world).copied() else {
        return match weakened(world) {
            Some(weakened) => weakened.search(),
            None => Err(TooLarge::Clients(0)),
        };
    };
    let rules = Rules {
        first_keys: vec![0; clients.into()],
        ..Rules::one_client(attempts)
    };
    let budget = Budget {
        crashes,
        losses,
        slow_owners: 0,
        processor: 0,
    };
    Search::new(&rules, budget, Properties::ALL).map(|mut search| search.run())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_world_has_a_name_and_comes_to_an_end() {
        for world in 0..worlds() {
            assert!(!name(world).is_empty());
            let verdict = verdict(world);
            assert_eq!(
                verdict.starts_with("holds: "),
                world < SPACES.len(),
                "{verdict}"
            );
            assert!(!verdict.starts_with("not finished"), "{verdict}");
        }
    }
}
