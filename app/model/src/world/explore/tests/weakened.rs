//! The weakened designs that people can walk through.

use super::*;
use crate::world::{Belief, Frame, Move};

fn example(it: Weakened) -> Counterexample {
    match it.search() {
        Ok(Verdict::Broken(example)) => *example,
        other => panic!("{it:?}: {other:?}"),
    }
}

#[test]
fn each_breaks_what_it_is_there_for() {
    use Property::*;
    let expected = [
        (Weakened::NoKey, OneCharge, 7),
        (Weakened::NewKeyEachTime, OneCharge, 9),
        (Weakened::NoProcessorKey, OneCharge, 11),
        (Weakened::NoProcessorKeyLookupFirst, OneCharge, 11),
        (Weakened::NoProcessorKeyNoHeartbeat, OneCharge, 10),
        (Weakened::NoLease, NeverStuck, 4),
        (Weakened::LookupFirst, SavedAnswer, 13),
        (Weakened::NoHeartbeatNoFencing, SavedAnswer, 14),
        (Weakened::NoBodyHash, NobodyElses, 10),
        (Weakened::NoAccountScope, NobodyElses, 10),
    ];
    assert_eq!(expected.map(|(it, _, _)| it), Weakened::ALL);
    for (it, property, moves) in expected {
        let example = example(it);
        assert_eq!(
            (example.property, example.moves.len()),
            (property, moves),
            "{it:?}"
        );
    }
}

/// With nothing missing each of these worlds is safe: what breaks is what is missing.
#[test]
fn none_of_their_worlds_breaks_the_correct_design() {
    for it in Weakened::ALL {
        let mut rules = it.rules();
        rules.design = Design::default();
        rules.key_use = KeyUse::Same;
        if it == Weakened::NoAccountScope {
            rules.first_keys = vec![0, 1];
        }
        let verdict = Search::new(&rules, it.budget(), it.asked()).unwrap().run();
        assert!(
            matches!(verdict, Verdict::Holds { .. }),
            "{it:?}: {verdict:?}"
        );
    }
}

/// The same mechanisms off as in one of these, or more: then something breaks. And
/// if none of these is part of a design, it holds.
#[test]
fn they_are_the_smallest() {
    let off = |design: Design| {
        [
            design.claim == ClaimRule::LookupThenInsert,
            !design.lease,
            !design.heartbeat,
            !design.fencing,
            !design.processor_keys,
        ]
    };
    let small: Vec<_> = Weakened::ALL
        .into_iter()
        .map(|it| (off(it.rules().design), it.rules()))
        .filter(|(off, rules)| off.contains(&true) && rules.key_use == KeyUse::Same)
        .map(|(off, _)| off)
        .collect();
    for design in designs() {
        let all = off(design);
        let has_one = small
            .iter()
            .any(|small| small.iter().zip(all).all(|(small, all)| !small || all));
        let broken = lengths(&rules(1, 2, design), budget(1, 1, 1, 1));
        assert_eq!(broken.iter().any(Option::is_some), has_one, "{design:?}");
    }
}

/// What the browser is handed is enough to tell the same.
#[test]
fn moves_as_text_tell_the_same_trace() {
    for it in Weakened::ALL {
        let example = example(it);
        let text: Vec<String> = example.moves.iter().map(ToString::to_string).collect();
        let read: Vec<Move> = text.iter().map(|text| text.parse().unwrap()).collect();
        assert_eq!(tell(&it.rules(), it.budget(), &read), example.trace);
    }
}

#[test]
fn their_traces_end_in_the_harm() {
    for it in Weakened::ALL {
        let example = example(it);
        let frame = Frame::after(&example.trace.facts);
        let figures = (frame.intended, frame.charged());
        match example.property {
            Property::OneCharge => assert_eq!(figures, (1, 2), "{it:?}"),
            Property::NeverStuck => assert_eq!(figures, (1, 0), "{it:?}"),
            Property::NobodyElses => {
                assert_eq!(figures, (2, 1), "{it:?}");
                assert!(matches!(frame.belief, Belief::Paid(_)), "{it:?}");
            }
            Property::SavedAnswer => {
                assert_eq!(figures, (1, 1), "{it:?}");
                assert!(matches!(frame.belief, Belief::Paid(_)), "{it:?}");
                let done = |line: &crate::world::KeyLine| {
                    matches!(line.stage, crate::world::KeyStage::Done { .. })
                };
                assert!(!frame.keys.iter().any(done), "{it:?}");
            }
            other => panic!("{it:?} breaks {other:?}"),
        }
    }
}

#[test]
fn their_names_are_their_own() {
    for it in Weakened::ALL {
        assert_eq!(Weakened::from_slug(it.slug()), Some(it));
        assert!(crate::world::Scenario::from_slug(it.slug()).is_none());
    }
    assert_eq!(Weakened::from_slug("luck"), None);
}
