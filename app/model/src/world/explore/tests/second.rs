//! Against the second writing of the protocol.

use super::peer::Peer;
use super::*;
use stateright::{Checker, Model};

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

fn agree(clients: usize, attempts: u32, budget: Budget) {
    for (design, key_use) in designs_and_keys() {
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
    agree(1, 2, budget(1, 1, 1, 1));
}

#[test]
#[ignore = "a minute"]
fn a_second_writing_says_the_same_with_one_client_and_more() {
    agree(1, 3, budget(1, 1, 1, 1));
}

#[test]
#[ignore = "minutes: 33 designs with two clients"]
fn a_second_writing_says_the_same_with_two_clients() {
    agree(2, 2, budget(1, 0, 1, 0));
    agree(2, 2, budget(1, 1, 0, 0));
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
