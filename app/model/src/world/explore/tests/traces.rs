//! Counterexamples as traces, and searching in slices.

use super::*;
use crate::world::{Belief, Fact, Frame, Move, What};

fn found(rules: &Rules, budget: Budget, property: Property) -> Counterexample {
    let search = Search::new(rules, budget, Properties::only(property));
    match search.unwrap().run() {
        Verdict::Broken(example) => *example,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_second_charge_reads_like_a_story() {
    let rules = Rules {
        key_use: KeyUse::Without,
        ..rules(1, 2, Design::default())
    };
    let example = found(&rules, budget(0, 0, 0, 0), Property::OneCharge);
    use Move::*;
    assert_eq!(
        example.moves,
        [
            Send(0),
            Deliver(0),
            Step(0),
            TimeOut(0),
            Send(0),
            Deliver(1),
            Step(1)
        ]
    );
    let frame = Frame::after(&example.trace.facts);
    assert_eq!((frame.intended, frame.charged(), frame.attempts), (1, 2, 2));
    assert!(frame.overcharged());
}

#[test]
fn two_tabs_are_one_intent_in_the_trace_too() {
    let design = Design {
        processor_keys: false,
        ..Design::default()
    };
    let example = found(
        &rules(2, 2, design),
        budget(1, 0, 0, 0),
        Property::OneCharge,
    );
    let frame = Frame::after(&example.trace.facts);
    assert_eq!((frame.intended, frame.charged(), frame.attempts), (1, 2, 2));
    // The second attempt takes over after the lease, not before.
    let at = |wanted: fn(&What) -> bool| {
        let mut facts = example.trace.facts.iter();
        facts.rfind(|fact| wanted(&fact.what)).unwrap().at
    };
    let crashed = at(|what| *what == What::Crashed);
    let claimed = at(|what| matches!(what, What::Claimed { .. }));
    assert!(crashed < 1000 && claimed > 30_000, "{crashed} {claimed}");
}

#[test]
fn a_stuck_client_is_left_with_a_running_key() {
    let design = Design {
        lease: false,
        ..Design::default()
    };
    let example = found(
        &rules(1, 2, design),
        budget(1, 0, 0, 0),
        Property::NeverStuck,
    );
    let frame = Frame::after(&example.trace.facts);
    assert_eq!(example.moves.len(), 4);
    assert_eq!(frame.belief, Belief::Asked);
    assert!(frame.keys[0].lease_ms.is_none() && frame.working.is_empty());
}

#[test]
fn every_counterexample_is_told_in_order() {
    let well_told = |facts: &[Fact]| {
        facts.windows(2).all(|two| two[0].at <= two[1].at)
            && facts.iter().all(|fact| {
                let call = fact.call;
                call.is_none_or(|call| call.sent <= fact.at && fact.at <= call.back)
            })
    };
    for (design, key_use) in designs_and_keys() {
        let rules = Rules {
            key_use,
            ..rules(1, 2, design)
        };
        let budget = budget(1, 1, 1, 1);
        for property in Property::ALL {
            let search = Search::new(&rules, budget, Properties::only(property));
            if let Verdict::Broken(example) = search.unwrap().run() {
                let trace = &example.trace;
                assert!(well_told(&trace.facts), "{trace:?}");
                assert!(!trace.steps().is_empty());
                assert_eq!(*trace, tell(&rules, budget, &example.moves));
            }
        }
    }
}

#[test]
fn slices_come_to_the_same_as_one_piece() {
    let weak = Design {
        claim: ClaimRule::LookupThenInsert,
        processor_keys: false,
        ..Design::default()
    };
    for design in [Design::default(), weak] {
        let new = || Search::new(&rules(2, 2, design), budget(1, 1, 1, 0), Properties::ALL);
        let whole = new().unwrap().run();
        for slice in [1, 7, 1000] {
            let mut search = new().unwrap();
            let mut last = (0, 0);
            let verdict = loop {
                match search.step(slice) {
                    Progress::Searching { states, depth } => {
                        assert!(states >= last.0 && depth >= last.1);
                        last = (states, depth);
                    }
                    Progress::Finished(verdict) => break verdict,
                }
            };
            assert_eq!(verdict, whole);
            // It stays finished.
            assert_eq!(search.step(1), Progress::Finished(verdict));
        }
    }
}

#[test]
fn a_bound_ends_a_search_and_says_how_far_it_came() {
    let rules = rules(2, 3, Design::default());
    let search = Search::new(&rules, budget(2, 2, 0, 0), Properties::ALL).unwrap();
    let Verdict::NotFinished { states, depth } = search.bound(2000).run() else {
        panic!("it should not have finished");
    };
    assert!(
        (2000..2100).contains(&states) && depth > 5,
        "{states} {depth}"
    );
}

#[test]
fn what_does_not_fit_is_refused() {
    let wrong = |rules: &Rules, budget| Search::new(rules, budget, Properties::ALL).err();
    let none = budget(0, 0, 0, 0);
    let correct = Design::default();
    assert_eq!(
        wrong(&rules(0, 2, correct), none),
        Some(TooLarge::Clients(0))
    );
    assert_eq!(
        wrong(&rules(4, 2, correct), none),
        Some(TooLarge::Clients(4))
    );
    assert_eq!(
        wrong(&rules(1, 0, correct), none),
        Some(TooLarge::Attempts(0))
    );
    assert_eq!(
        wrong(&rules(1, 8, correct), none),
        Some(TooLarge::Attempts(8))
    );
    assert_eq!(
        wrong(&rules(3, 3, correct), none),
        Some(TooLarge::Attempts(3))
    );
    let much = budget(4, 0, 0, 0);
    assert_eq!(
        wrong(&rules(1, 2, correct), much),
        Some(TooLarge::Trouble(4))
    );
    let far = Rules {
        first_keys: vec![9],
        ..rules(1, 2, correct)
    };
    assert_eq!(wrong(&far, none), Some(TooLarge::Key(9)));
}

#[test]
fn the_names_of_properties_are_their_own() {
    for property in Property::ALL {
        assert_eq!(Property::from_slug(property.slug()), Some(property));
        assert_eq!(Properties::only(property).first(), Some(property));
    }
    assert_eq!(
        Property::ALL.into_iter().collect::<Properties>(),
        Properties::ALL
    );
    assert_eq!(Property::from_slug("luck"), None);
}
