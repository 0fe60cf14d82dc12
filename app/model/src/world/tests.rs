//! The rules of the world: the lesson's scenarios and random faults.

use super::*;
use crate::protocol::{ClaimRule, Design};
use proptest::prelude::*;

/// (charged, attempts) after each step.
fn counters(scenario: Scenario, seed: u64) -> Vec<(usize, u32)> {
    let trace = scenario.trace(seed);
    trace
        .steps()
        .iter()
        .map(|step| {
            let frame = Frame::after(&trace.until(step).0);
            assert_eq!(frame.intended, 1);
            (frame.charged(), frame.attempts)
        })
        .collect()
}

#[test]
fn the_lost_response_has_eight_steps() {
    for seed in 0..200 {
        assert_eq!(
            counters(Scenario::LostResponse, seed),
            [
                (0, 1),
                (0, 1),
                (1, 1),
                (1, 1),
                (1, 1),
                (1, 2),
                (1, 2),
                (1, 2)
            ],
            "seed {seed}"
        );
    }
}

#[test]
fn belief_and_truth_part_when_the_reply_is_lost() {
    let trace = Scenario::LostResponse.trace(1);
    let beliefs: Vec<_> = trace
        .steps()
        .iter()
        .map(|step| Frame::after(&trace.until(step).0).belief)
        .collect();
    use Belief::*;
    let paid = Paid("ch_9".into());
    assert_eq!(
        beliefs,
        [
            Asked, Asked, Asked, Asked, Unknown, AskedAgain, paid, ToldToWait
        ]
    );
}

#[test]
fn the_replay_asks_the_processor_for_nothing() {
    let trace = Scenario::LostResponse.trace(1);
    let last = trace.facts.last().unwrap();
    assert_eq!(
        last.what,
        What::Received(Answered {
            status: 201,
            charge: Some("ch_9".into()),
            replayed: true,
            retry_after_s: None
        })
    );
    let charges = |facts: &[Fact]| {
        facts
            .iter()
            .filter(|fact| matches!(fact.what, What::Charged { .. }))
            .count()
    };
    assert_eq!(charges(&trace.facts), 1);
    let wait = trace.facts.iter().find_map(|fact| match fact.what {
        What::Waits { ms, ceiling_ms, .. } => Some((ms, ceiling_ms)),
        _ => None,
    });
    let (ms, ceiling_ms) = wait.unwrap();
    assert!(ms <= ceiling_ms && ceiling_ms == 100);
}

#[test]
fn without_a_key_or_with_a_new_one_the_retry_charges_again() {
    for seed in 0..50 {
        for scenario in [Scenario::WithoutKey, Scenario::NewKeyOnRetry] {
            let end = counters(scenario, seed).last().copied();
            assert_eq!(end, Some((2, 2)), "{scenario:?}, seed {seed}");
        }
    }
}

#[test]
fn an_early_retry_is_told_to_wait_and_then_gets_the_replay() {
    let trace = Scenario::EarlyRetry.trace(1);
    let statuses: Vec<_> = trace
        .facts
        .iter()
        .filter_map(|fact| match &fact.what {
            What::Received(answered) => Some((answered.status, answered.replayed)),
            _ => None,
        })
        .collect();
    assert_eq!(statuses.first(), Some(&(409, false)));
    assert_eq!(statuses.last(), Some(&(201, true)));
    assert_eq!(
        counters(Scenario::EarlyRetry, 1).last().map(|it| it.0),
        Some(1)
    );
}

#[test]
fn the_aside_shares_its_beginning_with_the_main_line() {
    let trace = Scenario::LostResponse.trace(1);
    let aside = trace.aside.as_ref().unwrap();
    assert!(aside.from > 2);
    let steps = trace.steps();
    assert_eq!(steps.iter().filter(|step| step.aside).count(), 1);
    let main: Vec<_> = steps.iter().filter(|step| !step.aside).collect();
    assert_eq!(main.first().unwrap().from, 0);
    assert_eq!(main.last().unwrap().to, trace.facts.len());
    for pair in main.windows(2) {
        assert_eq!(pair[0].to, pair[1].from);
    }
}

#[test]
fn a_trace_is_the_same_for_the_same_seed_and_its_times_never_run_back() {
    for scenario in Scenario::ALL {
        assert_eq!(Scenario::from_slug(scenario.slug()), Some(scenario));
        for seed in 0..50 {
            let trace = scenario.trace(seed);
            assert_eq!(trace, scenario.trace(seed));
            assert!(trace.facts.windows(2).all(|two| two[0].at <= two[1].at));
            for fact in &trace.facts {
                if let Some(call) = fact.call {
                    assert!(call.sent <= fact.at && fact.at <= call.back);
                }
            }
        }
    }
    assert_ne!(
        Scenario::LostResponse.trace(1),
        Scenario::LostResponse.trace(2)
    );
}

#[test]
fn an_impossible_move_changes_nothing() {
    let rules = Rules::one_client(2);
    let mut state = State::start(&rules, Budget::OPEN);
    let before = state.clone();
    for wrong in [
        Move::Deliver(0),
        Move::Step(3),
        Move::TimeOut(0),
        Move::Send(9),
        Move::LeaseEnds(0),
        Move::Receive(0),
    ] {
        assert_eq!(state.apply(&rules, wrong), Err(ImpossibleMove(wrong)));
        assert_eq!(state, before);
    }
}

/// Walks at random: each number picks one of the moves that are possible.
fn wander(rules: &Rules, picks: &[u16]) -> State {
    let budget = Budget {
        crashes: 2,
        losses: 3,
        slow_owners: 2,
        processor: 2,
    };
    let mut state = State::start(rules, budget);
    for pick in picks {
        let moves = state.moves(rules);
        let Some(step) = moves.get(usize::from(*pick) % moves.len().max(1)) else {
            break;
        };
        state.apply(rules, *step).unwrap();
    }
    state
}

fn two_clients(design: Design, key_use: KeyUse) -> Rules {
    Rules {
        design,
        key_use,
        first_keys: vec![0, 1],
        ..Rules::one_client(4)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn one_intent_is_charged_at_most_once(picks in prop::collection::vec(any::<u16>(), 1..120)) {
        let state = wander(&two_clients(Design::default(), KeyUse::Same), &picks);
        prop_assert!(state.charged(0) <= 1 && state.charged(1) <= 1, "{:?}", state.ledger);
    }

    #[test]
    fn two_tabs_on_one_key_are_charged_once_together(picks in prop::collection::vec(any::<u16>(), 1..120)) {
        let rules = Rules { first_keys: vec![0, 0], ..Rules::one_client(4) };
        let state = wander(&rules, &picks);
        prop_assert!(state.charged(0) + state.charged(1) <= 1, "{:?}", state.ledger);
    }

    #[test]
    fn a_settled_client_has_the_answer_of_its_own_intent(picks in prop::collection::vec(any::<u16>(), 1..120)) {
        let state = wander(&two_clients(Design::default(), KeyUse::Same), &picks);
        for (no, client) in (0..).zip(&state.clients) {
            if let Phase::Settled { charge, .. } = client.phase {
                let entry = state.ledger.iter().find(|entry| entry.charge == charge).unwrap();
                prop_assert_eq!(entry.client, no);
            }
        }
    }

    #[test]
    fn a_processor_key_makes_up_for_a_late_owner_without_a_heartbeat(picks in prop::collection::vec(any::<u16>(), 1..120)) {
        let design = Design { heartbeat: false, ..Design::default() };
        let state = wander(&two_clients(design, KeyUse::Same), &picks);
        prop_assert!(state.charged(0) <= 1 && state.charged(1) <= 1);
    }
}

/// The same walk must find the double charge once a mechanism is gone, or the
/// properties above would prove nothing.
#[test]
fn random_faults_do_find_the_double_charge_of_a_weaker_design() {
    let weaker = [
        (Design::default(), KeyUse::Without),
        (Design::default(), KeyUse::NewEachTime),
        (
            Design {
                processor_keys: false,
                ..Design::default()
            },
            KeyUse::Same,
        ),
        (
            Design {
                claim: ClaimRule::LookupThenInsert,
                processor_keys: false,
                lease: false,
                ..Design::default()
            },
            KeyUse::Same,
        ),
    ];
    for (design, key_use) in weaker {
        let rules = two_clients(design, key_use);
        let found = (0_u64..20_000).any(|seed| {
            let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            let picks: Vec<u16> = (0..80)
                .map(|_| {
                    random ^= random << 13;
                    random ^= random >> 7;
                    random ^= random << 17;
                    (random >> 40) as u16
                })
                .collect();
            wander(&rules, &picks).charged(0) > 1
        });
        assert!(found, "{design:?} with {key_use:?}");
    }
}

#[test]
fn a_claim_says_for_how_long_it_holds() {
    let trace = Scenario::LostResponse.trace(1);
    assert!(trace.facts.iter().any(|fact| matches!(
        fact.what,
        What::Claimed {
            found: Found::New {
                lease_ms: Some(30_000),
                token: 1
            },
            ..
        }
    )));
}

#[test]
#[ignore = "prints the scenarios for a reader"]
fn print() {
    for scenario in Scenario::ALL {
        let trace = scenario.trace(1);
        println!("== {}", scenario.slug());
        for (i, step) in trace.steps().iter().enumerate() {
            let (facts, now) = trace.until(step);
            let frame = Frame::after(&facts);
            println!("-- {} now {now} {:?} {:?}", i + 1, frame.belief, frame.fate);
            for fact in facts.iter().skip(step.from) {
                println!("   {fact:?}");
            }
        }
    }
}
