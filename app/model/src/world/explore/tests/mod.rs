//! The explorer against slower and simpler ways to the same answers, and the
//! table of what each mechanism guards.

mod exact;
mod naive;
mod peer;
mod second;
mod table;
mod traces;
mod weakened;

use super::*;
use crate::protocol::{ClaimRule, Design};
use crate::world::{Budget, KeyUse, Rules};

/// All clients pay one order under one key.
fn rules(clients: usize, attempts: u32, design: Design) -> Rules {
    Rules {
        design,
        first_keys: vec![0; clients],
        ..Rules::one_client(attempts)
    }
}

/// Crashes, losses, slow owners, troubles of the processor.
fn budget(crashes: u8, losses: u8, slow_owners: u8, processor: u8) -> Budget {
    Budget {
        crashes,
        losses,
        slow_owners,
        processor,
    }
}

/// Searches for one property; the shortest length, or `None` when it holds.
fn length(rules: &Rules, budget: Budget, property: Property) -> Option<usize> {
    let search = Search::new(rules, budget, Properties::only(property)).unwrap();
    match search.bound(usize::MAX).run() {
        Verdict::Holds { .. } => None,
        Verdict::Broken(example) => {
            assert_eq!(example.property, property);
            Some(example.moves.len())
        }
        unfinished => panic!("{unfinished:?}"),
    }
}

/// The same for all of them, in the order of [`Property::ALL`].
fn lengths(rules: &Rules, budget: Budget) -> [Option<usize>; 6] {
    Property::ALL.map(|property| length(rules, budget, property))
}

/// Every design with these five mechanisms on or off. The first is the correct one.
fn designs() -> impl Iterator<Item = Design> {
    (0_u8..32).map(|off| Design {
        claim: if off & 1 == 0 {
            ClaimRule::UniqueInsert
        } else {
            ClaimRule::LookupThenInsert
        },
        lease: off & 2 == 0,
        heartbeat: off & 4 == 0,
        fencing: off & 8 == 0,
        processor_keys: off & 16 == 0,
        ..Design::default()
    })
}

/// The ways of using keys that a design is looked at with: the same key, and none
/// with the correct design.
fn designs_and_keys() -> impl Iterator<Item = (Design, KeyUse)> {
    let keyed = designs().map(|design| (design, KeyUse::Same));
    keyed.chain([
        (Design::default(), KeyUse::Without),
        (Design::default(), KeyUse::NewEachTime),
    ])
}

/// The correct design, each mechanism alone switched off, and no key.
fn one_mechanism_off() -> impl Iterator<Item = (Design, KeyUse)> {
    let few = [0_usize, 1, 2, 4, 8, 16].into_iter();
    let few = few.filter_map(|no| Some((designs().nth(no)?, KeyUse::Same)));
    few.chain([(Design::default(), KeyUse::Without)])
}
