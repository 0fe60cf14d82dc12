//! "Never stuck" exactly: backwards from where everybody is told.

use super::super::lives::{Live, lives};
use super::super::packed::{FLIGHTS, Packed};
use super::super::search::successors;
use super::super::table::Table;
use super::*;
use std::collections::{HashMap, HashSet};

/// A state, and how often somebody who had given up has tried again on the way.
type Node = (Packed, u8);

/// The states after this one, if those that gave up may try again. Without an end
/// to that the ledger of some designs would grow for ever.
fn lifted(table: &mut Table, (state, tries): Node) -> Vec<Node> {
    let mut found = Vec::new();
    successors(table, state, &mut found);
    let mut found: Vec<Node> = found.into_iter().map(|it| (it, tries)).collect();
    let open = state.open();
    let flying = open.orphans.iter().filter(|it| **it != 0).count() + table.clients();
    for at in 0..table.clients() {
        if flying < FLIGHTS
            && usize::from(tries) < table.clients()
            && let Some(again) = table.keep_trying(open.clients[at])
        {
            let mut next = open;
            next.clients[at] = again;
            next.clients[..table.clients()].sort_unstable();
            found.push((next.close(), tries + 1));
        }
    }
    found
}

/// Compares the quick answer with the exact one in every state of a search, and
/// gives the number of states and of those that are stuck.
fn compare(rules: &Rules, budget: Budget) -> (usize, usize) {
    let search = Search::new(rules, budget, Properties::NONE).unwrap();
    let mut search = search.bound(usize::MAX);
    search.run();
    let reached: Vec<Node> = search.states.iter().map(|it| (*it, 0)).collect();
    let mut table = search.table;
    let mut before: HashMap<Node, Vec<Node>> = HashMap::new();
    let mut seen: HashSet<Node> = reached.iter().copied().collect();
    let mut todo = reached.clone();
    while let Some(node) = todo.pop() {
        for next in lifted(&mut table, node) {
            before.entry(next).or_default().push(node);
            if seen.insert(next) {
                todo.push(next);
            }
        }
    }
    assert!(!table.is_full());
    let told = |node: &Node| table.all_told(&node.0.open());
    let mut todo: Vec<Node> = seen.iter().copied().filter(told).collect();
    let mut good: HashSet<Node> = HashSet::new();
    while let Some(node) = todo.pop() {
        if good.insert(node) {
            todo.extend(before.get(&node).into_iter().flatten());
        }
    }
    let (mut stuck, mut live) = (0, Live::new());
    for node in &reached {
        let exact = good.contains(node);
        stuck += usize::from(!exact);
        let quick = lives(&mut table, &mut live, node.0.open());
        assert_eq!(quick, exact, "{rules:?} {node:?}");
    }
    (reached.len(), stuck)
}

#[test]
fn one_way_to_the_end_tells_whether_there_is_any() {
    for (design, key_use) in designs_and_keys() {
        let rules = Rules {
            key_use,
            ..rules(1, 2, design)
        };
        let (_, stuck) = compare(&rules, budget(1, 1, 1, 1));
        let stuck_for_ever = key_use != KeyUse::Without && !design.lease;
        assert_eq!(stuck > 0, stuck_for_ever, "{design:?} {key_use:?}");
    }
}

#[test]
fn one_way_to_the_end_is_enough_for_two_clients() {
    for no in [0, 2, 4, 8, 16] {
        let design = designs().nth(no).unwrap();
        let (states, stuck) = compare(&rules(2, 2, design), budget(1, 0, 1, 0));
        assert_eq!(stuck > 0, !design.lease, "{design:?}: {stuck} of {states}");
    }
}
