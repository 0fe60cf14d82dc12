//! Against the second writing of the protocol.

use super::super::packed::Packed;
use super::super::search::successors;
use super::super::table::Table;
use super::peer::Peer;
use super::*;
use crate::world::State;
use stateright::{Checker, Model};
use std::sync::Mutex;
use std::time::Instant;

fn peer(rules: &Rules, budget: Budget) -> Peer {
    let Design {
        claim,
        lease,
        heartbeat,
        fencing,
        processor_keys,
        ..
    } = rules.design;
    Peer {
        clients: rules.first_keys.len() as u8,
        tries: rules.attempts as u8,
        crashes: budget.crashes,
        losses: budget.losses,
        slow: budget.slow_owners,
        trouble: budget.processor,
        with_key: rules.key_use == KeyUse::Same,
        unique: claim == ClaimRule::UniqueInsert,
        leases: lease,
        heartbeats: heartbeat,
        fences: fencing,
        bank_keys: processor_keys,
        only: None,
    }
}

/// Shortest lengths by stateright. With several properties at once it goes on
/// after a discovery and keeps the last one, which need not be the shortest: one
/// run says which are broken, and one for each of these says how soon.
fn checked(peer: Peer) -> [Option<usize>; 6] {
    let all = peer.checker().threads(1).spawn_bfs().join().discoveries();
    Property::ALL.map(|property| {
        all.get(property.slug())?;
        let only = Peer {
            only: Some(property.slug()),
            ..peer
        };
        let found = only.checker().threads(1).spawn_bfs().join().discoveries();
        let path = found.get(property.slug())?;
        // The last state has no action.
        Some(path.clone().into_states().len() - 1)
    })
}

fn agree(
    worlds: impl Iterator<Item = (Design, KeyUse)>,
    clients: usize,
    attempts: u32,
    budget: Budget,
) {
    for (design, key_use) in worlds {
        if key_use == KeyUse::NewEachTime {
            continue;
        }
        let rules = Rules {
            key_use,
            ..rules(clients, attempts, design)
        };
        let expected = checked(peer(&rules, budget));
        assert_eq!(lengths(&rules, budget), expected, "{design:?} {key_use:?}");
    }
}

#[test]
fn a_second_writing_says_the_same_with_one_client() {
    agree(designs_and_keys(), 1, 2, budget(1, 1, 1, 1));
}

#[test]
fn a_second_writing_says_the_same_with_two_clients_that_try_once() {
    agree(designs_and_keys(), 2, 1, budget(1, 1, 1, 1));
}

#[test]
#[ignore = "a minute"]
fn a_second_writing_says_the_same_with_one_client_that_tries_three_times() {
    agree(designs_and_keys(), 1, 3, budget(1, 1, 1, 1));
}

#[test]
#[ignore = "minutes"]
fn a_second_writing_says_the_same_with_two_clients_that_try_twice() {
    agree(one_mechanism_off(), 2, 2, budget(1, 0, 1, 0));
}

/// Without any canonical form both know as many states, not only the same lengths.
#[test]
fn both_writings_have_as_many_states() {
    for (design, key_use) in designs_and_keys() {
        if key_use == KeyUse::NewEachTime {
            continue;
        }
        let rules = Rules {
            key_use,
            ..rules(1, 2, design)
        };
        let budget = budget(1, 1, 1, 1);
        let (_, ours) = naive::search(&rules, budget);
        // No property that is broken, so that nothing ends the search early.
        let theirs = peer(&rules, budget).checker().threads(1).spawn_bfs().join();
        let all_broken = theirs.discoveries().len() == 6;
        assert!(!all_broken);
        assert_eq!(ours, theirs.unique_state_count(), "{design:?} {key_use:?}");
    }
}

/// Our own canonical states, driven by stateright: its search, our moves.
struct Driven {
    table: Mutex<Table>,
    start: Packed,
}

impl Model for Driven {
    type State = Packed;
    type Action = Packed;

    fn init_states(&self) -> Vec<Packed> {
        vec![self.start]
    }

    fn actions(&self, state: &Packed, next: &mut Vec<Packed>) {
        successors(&mut self.table.lock().unwrap(), *state, next);
    }

    fn next_state(&self, _: &Packed, next: Packed) -> Option<Packed> {
        Some(next)
    }

    fn properties(&self) -> Vec<stateright::Property<Self>> {
        vec![stateright::Property::<Self>::always(
            "holds",
            |model, state| {
                let broken = model.table.lock().unwrap().broken(&state.open());
                broken == Properties::NONE
            },
        )]
    }
}

fn driven(rules: &Rules, budget: Budget) -> Driven {
    let mut table = Table::new(rules);
    let start = table.pack(&State::start(rules, budget));
    Driven {
        table: Mutex::new(table),
        start,
    }
}

#[test]
fn the_search_itself_finds_as_many_states_and_transitions_as_stateright() {
    let (rules, budget) = (rules(2, 2, Design::default()), budget(1, 1, 0, 0));
    let theirs = driven(&rules, budget);
    let theirs = theirs.checker().threads(1).spawn_bfs().join();
    let ours = Search::new(&rules, budget, Properties::ALL).unwrap().run();
    assert_eq!(
        ours,
        Verdict::Holds {
            states: theirs.unique_state_count(),
            // It counts the start as well.
            transitions: theirs.state_count() as u64 - 1,
            // And starts with a depth of 1.
            depth: theirs.max_depth() - 1,
        }
    );
}

/// The same states, the same moves, one thread each, taken in turns.
#[test]
#[ignore = "a measurement: run it with --release"]
fn beside_stateright_on_the_same_states() {
    let (rules, budget) = (rules(2, 3, Design::default()), budget(2, 2, 0, 0));
    let (mut ours, mut theirs, mut count) = (f64::MAX, f64::MAX, 0);
    let no_stuck = [
        Property::OneCharge,
        Property::OwnAnswer,
        Property::NobodyElses,
        Property::SavedAnswer,
        Property::Agreement,
    ];
    for _ in 0..7 {
        let start = Instant::now();
        let asked = no_stuck.into_iter().collect();
        Search::new(&rules, budget, asked).unwrap().run();
        ours = ours.min(start.elapsed().as_secs_f64());
        let model = driven(&rules, budget);
        let start = Instant::now();
        count = model
            .checker()
            .threads(1)
            .spawn_bfs()
            .join()
            .unique_state_count();
        theirs = theirs.min(start.elapsed().as_secs_f64());
    }
    let rate = |seconds: f64| count as f64 / seconds / 1e6;
    println!(
        "{count} states: ours {:.1} ms, {:.2} M/s; stateright {:.1} ms, {:.2} M/s; {:.2} times",
        ours * 1e3,
        rate(ours),
        theirs * 1e3,
        rate(theirs),
        theirs / ours
    );
}
