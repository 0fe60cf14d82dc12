//! Which property each mechanism guards.

use super::*;
use Mechanism::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mechanism {
    Claim,
    Lease,
    Heartbeat,
    Fencing,
    ProcessorKeys,
}

fn without(off: &[Mechanism]) -> Design {
    let mut design = Design::default();
    for mechanism in off {
        match mechanism {
            Claim => design.claim = ClaimRule::LookupThenInsert,
            Lease => design.lease = false,
            Heartbeat => design.heartbeat = false,
            Fencing => design.fencing = false,
            ProcessorKeys => design.processor_keys = false,
        }
    }
    design
}

const NO: Option<usize> = None;
const fn at(steps: usize) -> Option<usize> {
    Some(steps)
}

/// What is switched off, and after how many moves at the soonest each property
/// breaks: one charge, never stuck, own answer, nobody else's, saved answer,
/// agreement. Two clients pay one order under one key, two attempts each; one
/// crash, one slow owner, one failure of the processor.
///
/// Read by columns it says what guards what:
/// - **one charge** and **own answer**: the processor's key; the unique insert and
///   the absence of takeovers only together with each other.
/// - **never stuck**: the lease.
/// - **saved answer**: the unique insert, and, where an owner can be late (no
///   heartbeat), fencing. Neither changes the number of charges.
/// - **agreement**: whatever guards the two before it.
type Line = (&'static [Mechanism], [Option<usize>; 6]);
const TABLE: [Line; 16] = [
    (&[], [NO, NO, NO, NO, NO, NO]),
    (&[Claim], [NO, NO, NO, NO, at(12), at(12)]),
    (&[Lease], [NO, at(4), NO, NO, NO, NO]),
    (&[Heartbeat], [NO, NO, NO, NO, NO, NO]),
    (&[Fencing], [NO, NO, NO, NO, NO, NO]),
    (&[ProcessorKeys], [at(10), NO, at(13), NO, NO, at(13)]),
    (&[Claim, Lease], [NO, at(5), NO, NO, at(12), at(12)]),
    (&[Claim, Heartbeat], [NO, NO, NO, NO, at(12), at(12)]),
    (&[Claim, Fencing], [NO, NO, NO, NO, at(12), at(12)]),
    (
        &[Claim, ProcessorKeys],
        [at(10), NO, at(13), NO, at(12), at(12)],
    ),
    (&[Lease, Heartbeat], [NO, at(4), NO, NO, NO, NO]),
    (&[Lease, Fencing], [NO, at(4), NO, NO, NO, NO]),
    (&[Lease, ProcessorKeys], [NO, at(4), NO, NO, NO, NO]),
    (&[Heartbeat, Fencing], [NO, NO, NO, NO, at(13), at(13)]),
    (
        &[Heartbeat, ProcessorKeys],
        [at(9), NO, at(12), NO, NO, at(12)],
    ),
    (
        &[Fencing, ProcessorKeys],
        [at(10), NO, at(13), NO, NO, at(13)],
    ),
];

#[test]
fn each_mechanism_alone_and_in_pairs() {
    for (off, expected) in TABLE {
        let rules = rules(2, 2, without(off));
        assert_eq!(lengths(&rules, budget(1, 0, 1, 1)), expected, "{off:?}");
    }
}

#[test]
fn without_a_key_or_with_a_new_one_nothing_else_helps() {
    let of = |clients, key_use| {
        let rules = Rules {
            key_use,
            ..rules(clients, 2, Design::default())
        };
        lengths(&rules, budget(1, 0, 1, 1))
    };
    assert_eq!(of(1, KeyUse::Without), [at(7), NO, at(9), NO, NO, NO]);
    assert_eq!(of(2, KeyUse::Without), [at(6), NO, at(8), NO, NO, NO]);
    assert_eq!(
        of(1, KeyUse::NewEachTime),
        [at(9), NO, at(12), NO, NO, at(12)]
    );
}

/// The same as rules, over all 32 combinations.
#[test]
fn what_guards_what_in_all_combinations() {
    for design in designs() {
        let claim = design.claim == ClaimRule::UniqueInsert;
        let one_charge = design.processor_keys || (claim && !design.lease);
        let late_owners_are_harmless = !design.lease || design.heartbeat || design.fencing;
        let saved_answer = claim && late_owners_are_harmless;
        let expected = [
            one_charge,
            design.lease,
            one_charge,
            true,
            saved_answer,
            saved_answer && one_charge,
        ];
        let found = lengths(&rules(1, 2, design), budget(1, 1, 1, 1));
        assert_eq!(found.map(|it| it.is_none()), expected, "{design:?}");
    }
}

/// The lengths that an earlier study of the same protocol found, where one move
/// here is one step there. Without a key it found 9: its attempts have a claim to
/// make even then, and here they go straight to the processor, so it is 7.
#[test]
fn the_lengths_of_the_study() {
    let study: [(usize, &[Mechanism], Property, usize); 5] = [
        (2, &[Claim, ProcessorKeys], Property::OneCharge, 10),
        (1, &[Claim, ProcessorKeys], Property::OneCharge, 11),
        (1, &[Lease], Property::NeverStuck, 4),
        (1, &[ProcessorKeys], Property::OneCharge, 11),
        (
            1,
            &[Heartbeat, Fencing, ProcessorKeys],
            Property::OneCharge,
            10,
        ),
    ];
    for (clients, off, property, expected) in study {
        let rules = rules(clients, 2, without(off));
        let found = length(&rules, budget(1, 0, 1, 0), property);
        assert_eq!(found, at(expected), "{off:?}");
    }
}

#[test]
fn the_correct_design_holds_with_two_clients_three_attempts_two_crashes_two_losses() {
    let rules = rules(2, 3, Design::default());
    let verdict = Search::new(&rules, budget(2, 2, 0, 0), Properties::ALL)
        .unwrap()
        .run();
    assert!(matches!(verdict, Verdict::Holds { .. }), "{verdict:?}");
}

#[test]
fn the_correct_design_holds_when_the_processor_fails_as_well() {
    for (clients, attempts, budget) in [(1, 4, budget(3, 3, 0, 3)), (2, 2, budget(2, 1, 0, 2))] {
        let rules = rules(clients, attempts, Design::default());
        let mut search = Search::new(&rules, budget, Properties::ALL).unwrap();
        let verdict = search.run();
        assert!(matches!(verdict, Verdict::Holds { .. }), "{verdict:?}");
    }
}

/// Two payments under one key by mistake: the fingerprint tells them apart.
#[test]
fn the_fingerprint_keeps_one_payment_from_anothers_answer() {
    for fingerprint in [true, false] {
        let rules = Rules {
            design: Design {
                fingerprint,
                ..Design::default()
            },
            first_keys: vec![0, 0],
            intents: vec![0, 1],
            ..Rules::one_client(2)
        };
        let found = length(&rules, budget(1, 1, 0, 0), Property::NobodyElses);
        assert_eq!(found.is_none(), fingerprint);
    }
}

/// Two accounts whose clients chose the same key, and pay as much: no fingerprint
/// helps, only a key that belongs to its account.
#[test]
fn the_account_keeps_strangers_with_one_key_apart() {
    for account_scope in [true, false] {
        let rules = Rules {
            first_keys: if account_scope {
                vec![0, 1]
            } else {
                vec![0, 0]
            },
            intents: vec![0, 1],
            bodies: vec![0, 0],
            ..Rules::one_client(2)
        };
        let found = length(&rules, budget(1, 1, 0, 0), Property::NobodyElses);
        assert_eq!(found.is_none(), account_scope);
    }
}

#[test]
#[ignore = "prints the sizes of some spaces: run it with --release"]
fn sizes() {
    for (clients, attempts, budget, design) in [
        (1, 3, budget(2, 2, 0, 0), Design::default()),
        (2, 2, budget(1, 1, 0, 0), Design::default()),
        (2, 3, budget(1, 1, 0, 0), Design::default()),
        (2, 3, budget(2, 2, 0, 0), Design::default()),
        (2, 3, budget(2, 2, 0, 1), Design::default()),
        (2, 3, budget(2, 2, 2, 0), without(&[Heartbeat])),
        (2, 3, budget(2, 2, 2, 0), without(&[Claim])),
        (2, 3, budget(2, 2, 2, 0), without(&[Claim, ProcessorKeys])),
        (3, 2, budget(1, 1, 0, 0), Design::default()),
    ] {
        let start = std::time::Instant::now();
        let search = Search::new(&rules(clients, attempts, design), budget, Properties::ALL);
        let verdict = match search.unwrap().bound(10_000_000).run() {
            Verdict::Broken(it) => format!(
                "{:?} after {}, {} states",
                it.property,
                it.moves.len(),
                it.states
            ),
            other => format!("{other:?}"),
        };
        println!(
            "{clients}, {attempts}, {budget:?}: {verdict} in {:?}",
            start.elapsed()
        );
    }
}
