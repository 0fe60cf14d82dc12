//! The same search without any canonical form and without tables.

use super::super::property::broken;
use super::*;
use crate::protocol::Command;
use crate::world::{Move, Phase, Place, State};
use proptest::prelude::*;
use std::collections::{BTreeSet, HashSet, VecDeque};

/// Shortest lengths by plain breadth-first search over [`State`], and the number
/// of states.
pub(super) fn search(rules: &Rules, budget: Budget) -> ([Option<usize>; 6], usize) {
    let start = State::start(rules, budget);
    let mut seen = HashSet::from([start.clone()]);
    let mut queue = VecDeque::from([(start, 0)]);
    let mut lengths = [None; 6];
    let mut live = HashSet::new();
    while let Some((state, depth)) = queue.pop_front() {
        let mut broken = broken(rules, &state);
        let stuck = lengths[Property::NeverStuck as usize].is_none();
        if stuck && !can_be_told(rules, &state, &mut live) {
            broken = broken.with(Property::NeverStuck);
        }
        for property in Property::ALL {
            if broken.contains(property) {
                lengths[property as usize].get_or_insert(depth);
            }
        }
        for made in state.moves(rules) {
            let mut next = state.clone();
            next.apply(rules, made).unwrap();
            if seen.insert(next.clone()) {
                queue.push_back((next, depth + 1));
            }
        }
    }
    (lengths, seen.len())
}

/// Whether any way at all leads to where all clients are told, if those that gave
/// up may each try twice more. `live` remembers states on such ways.
fn can_be_told(rules: &Rules, from: &State, live: &mut HashSet<State>) -> bool {
    let more = Rules {
        attempts: rules.attempts + 2,
        ..rules.clone()
    };
    let mut start = from.clone();
    for client in &mut start.clients {
        if client.phase == Phase::GaveUp {
            client.phase = Phase::Ready;
        }
    }
    let mut seen = HashSet::from([start.clone()]);
    let mut path = vec![(start.clone(), start.moves(&more))];
    while let Some((state, moves)) = path.last_mut() {
        let told = |phase| matches!(phase, Phase::Settled { .. } | Phase::Refused);
        if live.contains(state) || state.clients.iter().all(|it| told(it.phase)) {
            live.extend(path.into_iter().map(|(state, _)| state));
            return true;
        }
        // Work first: the last of the moves that is not a fault.
        let good =
            |made: &Move| matches!(made, Move::Deliver(_) | Move::Step(_) | Move::Receive(_));
        let at = moves.iter().rposition(good).or(moves.len().checked_sub(1));
        match at {
            None => {
                path.pop();
            }
            Some(at) => {
                let made = moves.remove(at);
                let mut next = state.clone();
                next.apply(&more, made).unwrap();
                if seen.insert(next.clone()) {
                    let moves = next.moves(&more);
                    path.push((next, moves));
                }
            }
        }
    }
    false
}

fn compare(
    worlds: impl Iterator<Item = (Design, KeyUse)>,
    clients: usize,
    attempts: u32,
    budget: Budget,
) {
    for (design, key_use) in worlds {
        let rules = Rules {
            key_use,
            ..rules(clients, attempts, design)
        };
        let (expected, _) = search(&rules, budget);
        assert_eq!(lengths(&rules, budget), expected, "{design:?} {key_use:?}");
    }
}

#[test]
fn the_canonical_form_changes_no_verdict_and_no_length() {
    compare(designs_and_keys(), 1, 2, budget(1, 1, 1, 1));
    compare(one_mechanism_off(), 2, 1, budget(1, 0, 1, 0));
}

#[test]
#[ignore = "minutes"]
fn the_canonical_form_changes_no_verdict_and_no_length_with_two_clients_that_try_twice() {
    let unique = |(design, _): &(Design, KeyUse)| design.claim == ClaimRule::UniqueInsert;
    compare(one_mechanism_off().filter(unique), 2, 2, budget(1, 0, 0, 0));
}

/// A move of an attempt of which nothing can come any more: its reply has nobody
/// to go to. The canonical form has no such moves.
fn is_idle(state: &State, made: Move) -> bool {
    let (Move::Step(no) | Move::Crash(no) | Move::Receive(no) | Move::LoseReply(no)) = made else {
        return false;
    };
    let reply = match &state.flights[usize::from(no)].place {
        Place::Working(attempt) => matches!(attempt.command(), Some(Command::Reply(_))),
        place => matches!(place, Place::Inbound(_)),
    };
    reply && !state.is_awaited(no)
}

fn worlds() -> impl Strategy<Value = Rules> {
    let design = (0_usize..32).prop_map(|no| designs().nth(no).unwrap());
    let key_use = prop_oneof![
        4 => Just(KeyUse::Same),
        1 => Just(KeyUse::Without),
        1 => Just(KeyUse::NewEachTime)
    ];
    let clients = prop_oneof![
        Just((vec![0], vec![])),
        Just((vec![0, 0], vec![])),
        Just((vec![0, 1], vec![])),
        Just((vec![0, 0], vec![0, 1])),
        Just((vec![0, 0, 0], vec![])),
        Just((vec![0, 1, 0], vec![])),
    ];
    (design, key_use, clients, any::<bool>()).prop_map(|(design, key_use, clients, same_body)| {
        let (first_keys, intents) = clients;
        let attempts = if first_keys.len() == 3 { 2 } else { 3 };
        Rules {
            key_use,
            bodies: if same_body { vec![0; 3] } else { vec![] },
            first_keys,
            intents,
            ..super::rules(1, attempts, design)
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Along a random walk, what follows a packed state is what follows the state.
    #[test]
    fn packed_successors_are_the_successors(
        rules in worlds(),
        picks in prop::collection::vec(any::<u16>(), 1..60),
    ) {
        let budget = budget(2, 2, 2, 2);
        let mut search = Search::new(&rules, budget, Properties::NONE).unwrap();
        let table = &mut search.table;
        let mut state = State::start(&rules, budget);
        for pick in picks {
            let packed = table.pack(&state);
            let mut found = Vec::new();
            search::successors(table, packed, &mut found);
            let found: BTreeSet<_> = found.into_iter().collect();
            let moves = state.moves(&rules);
            let expected: BTreeSet<_> = moves
                .iter()
                .filter(|made| !is_idle(&state, **made))
                .map(|made| {
                    let mut next = state.clone();
                    next.apply(&rules, *made).unwrap();
                    table.pack(&next)
                })
                .collect();
            prop_assert_eq!(found, expected);
            let apart = broken(&rules, &state);
            prop_assert_eq!(table.broken(&packed.open()), apart);
            let Some(made) = moves.get(usize::from(pick) % moves.len().max(1)) else { break };
            state.apply(&rules, *made).unwrap();
        }
    }
}
