//! The explorer's shortest counterexamples, replayed against the real server.
//!
//! For every weakened design and every property that it breaks, the moves of the
//! shortest counterexample become requests, faults and steps of the clock
//! (`counterexamples/plan.rs`), and the ledger, the statuses and what each attempt
//! did have to be what the trace says. The same acts on the correct design end in
//! one charge. Where the API cannot force an order, the plan says which and why, and
//! the test knows how many those are.

// Helpers outside of test functions fail the test as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
// The shared helpers of all test files.
#![allow(dead_code, unreachable_pub)]

#[path = "counterexamples/act.rs"]
mod act;
mod common;
#[path = "counterexamples/plan.rs"]
mod plan;

use std::collections::BTreeMap;

use act::{Stage, deeds, deeds_of_trace};
use common::Service;
use futures::{StreamExt, stream};
use model::protocol::{ClaimRule, Design, KeyState};
use model::world::explore::{Counterexample, Properties, Property, Search, Verdict, tell};
use model::world::{Budget, KeyUse, Rules};
use plan::{Act, Plan, Unforced, plan};

/// For how long an attempt is held between its charge and its end, in ms.
const HOLD_MS: u64 = 2500;
/// Plans that are carried out at once.
const AT_ONCE: usize = 12;

/// How many counterexamples cannot be forced, and why. The first and the last kind
/// are all of the unsafe claim. The four in the middle are of designs without
/// heartbeat and fencing that have the processor's key: their shortest way leads over
/// a release that comes late. Without that key it leads over a late answer, and those
/// are replayed.
const UNFORCED: [(Unforced, usize); 3] = [
    (Unforced::BeforeCharge, 32),
    (Unforced::BeforeRelease, 4),
    (Unforced::BetweenLookUpAndInsert, 40),
];

/// A counterexample with where it comes from.
struct Found {
    name: String,
    rules: Rules,
    budget: Budget,
    example: Counterexample,
}

fn rules(clients: usize, design: Design, key_use: KeyUse) -> Rules {
    Rules {
        design,
        key_use,
        first_keys: vec![0; clients],
        ..Rules::one_client(2)
    }
}

/// Which of the five mechanisms are off, in words.
fn off(design: Design) -> String {
    let correct = Design::default();
    let names = [
        (design.claim != correct.claim, "unique insert"),
        (!design.lease, "lease"),
        (!design.heartbeat, "heartbeat"),
        (!design.fencing, "fencing"),
        (!design.processor_keys, "processor key"),
    ];
    let off: Vec<_> = names.iter().filter(|it| it.0).map(|it| it.1).collect();
    match off.is_empty() {
        true => String::from("the correct design"),
        false => format!("no {}", off.join(", no ")),
    }
}

fn designs() -> impl Iterator<Item = Design> {
    (0_u8..32).map(|off| Design {
        claim: match off & 1 {
            0 => ClaimRule::UniqueInsert,
            _ => ClaimRule::LookupThenInsert,
        },
        lease: off & 2 == 0,
        heartbeat: off & 4 == 0,
        fencing: off & 8 == 0,
        processor_keys: off & 16 == 0,
        ..Design::default()
    })
}

/// The shortest counterexample of every property, for one and for two clients.
fn counterexamples() -> Vec<Found> {
    let keyed = designs().map(|design| (design, KeyUse::Same));
    let careless = [KeyUse::Without, KeyUse::NewEachTime].map(|use_| (Design::default(), use_));
    let mut all = Vec::new();
    for (design, key_use) in keyed.chain(careless) {
        for clients in [1, 2] {
            let budget = Budget {
                crashes: 1,
                losses: 0,
                slow_owners: 1,
                processor: 1,
            };
            let rules = rules(clients, design, key_use);
            for property in Property::ALL {
                let search = Search::new(&rules, budget, Properties::only(property)).unwrap();
                let verdict = search.bound(usize::MAX).run();
                let Verdict::Broken(example) = verdict else {
                    continue;
                };
                let keys = match key_use {
                    KeyUse::Same => "",
                    KeyUse::Without => ", no key",
                    KeyUse::NewEachTime => ", a new key each time",
                };
                all.push(Found {
                    name: format!(
                        "{}{keys}, {clients} client(s): {}",
                        off(design),
                        property.slug()
                    ),
                    rules: rules.clone(),
                    budget,
                    example: *example,
                });
            }
        }
    }
    all
}

/// Carries out a plan on the design that it was found in. `Err` when the server was
/// not where the trace has it, which the caller may blame on a race.
async fn replay(service: &Service, found: &Found, plan: &Plan) -> Result<(), String> {
    let rules = &found.rules;
    let keyed = rules.key_use != KeyUse::Without;
    let mut stage = Stage::new(service, rules.design, keyed).await;
    stage.act(rules, rules.key_use, &plan.acts).await;
    let differs = |what: &str, real: String, told: String| match real == told {
        true => Ok(()),
        false => Err(format!("{what}: really {real}, in the trace {told}")),
    };
    // The ledger, to the entry.
    let taken = plan.end.ledger.iter().filter(|entry| entry.taken).count();
    let told = (taken, plan.end.ledger.len() - taken);
    differs(
        "ledger",
        format!("{:?}", stage.books().await),
        format!("{told:?}"),
    )?;
    // What each client was told.
    for act in &plan.acts {
        if let Act::Read { flight, status } = act {
            let heard = stage.heard.get(flight).copied().flatten();
            let told = format!("{:?}", Some(status));
            differs(&format!("reply to {flight}"), format!("{heard:?}"), told)?;
        }
    }
    // What each attempt did, at least as far as the trace goes.
    let trace = tell(rules, found.budget, &plan.moves);
    for flight in 0..u8::try_from(plan.end.flights.len()).unwrap() {
        let told = deeds_of_trace(&trace.facts, flight);
        let mut real = deeds(stage.of(flight).into_iter());
        real.truncate(told.len());
        differs(
            &format!("attempt {flight}"),
            format!("{real:?}"),
            format!("{told:?}"),
        )?;
    }
    if found.example.property == Property::NeverStuck {
        stuck(&stage, rules).await?;
    }
    stage.drain().await;
    let after = stage.books().await;
    if after.0 < told.0 || after.1 < told.1 {
        return Err(format!(
            "the ledger lost something: {after:?} after {told:?}"
        ));
    }
    Ok(())
}

/// However long somebody waits, the key stays as it is.
async fn stuck(stage: &Stage, rules: &Rules) -> Result<(), String> {
    for _ in 0..5 {
        stage.sandbox.advance(10 * rules.lease_ms).await;
        let body = r#"{"amount":4000,"currency":"usd"}"#;
        let retry = stage.sandbox.charge("key-0", body).send().await.unwrap();
        if retry.status() != 409 {
            return Err(format!("not stuck: {}", retry.status()));
        }
    }
    Ok(())
}

/// The same acts on the correct design: whatever happens, one charge (or one card
/// declined) for one intent, and in the end its answer.
async fn on_the_correct_design(service: &Service, found: &Found, plan: &Plan) {
    let rules = &found.rules;
    let mut stage = Stage::new(service, Design::default(), true).await;
    stage.act(rules, KeyUse::Same, &plan.acts).await;
    stage.drain().await;
    stage.sandbox.advance(rules.lease_ms + 1).await;
    let body = r#"{"amount":4000,"currency":"usd"}"#;
    let last = stage.sandbox.charge("key-0", body).send().await.unwrap();
    let (charges, declined) = stage.books().await;
    assert_eq!(charges + declined, 1, "{}", found.name);
    let want = if charges == 1 { 201 } else { 402 };
    assert_eq!(last.status(), want, "{}", found.name);
    assert_eq!(stage.keys().await.as_array().unwrap().len(), 1);
    for (flight, heard) in &stage.heard {
        // Nobody was told anything else.
        let fits = matches!(heard, None | Some(409 | 502 | 503)) || *heard == Some(want);
        assert!(fits, "{}: attempt {flight} heard {heard:?}", found.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_real_ledger_agrees_with_the_counterexamples() {
    let service = Service::with(&["--sandbox-rate", "100000"]).await;
    let all = counterexamples();
    let mut unforced: BTreeMap<Unforced, Vec<&str>> = BTreeMap::new();
    let mut forced = Vec::new();
    for found in &all {
        match plan(&found.rules, found.budget, &found.example.moves) {
            Ok(plan) => forced.push((found, plan)),
            Err(why) => unforced.entry(why).or_default().push(&found.name),
        }
    }
    for (why, names) in &unforced {
        println!("{} cannot be forced: {why}", names.len());
        for name in names {
            println!("    {name}");
        }
    }
    println!("{} of {} are replayed", forced.len(), all.len());
    let counts: Vec<_> = unforced
        .iter()
        .map(|(why, names)| (*why, names.len()))
        .collect();
    assert_eq!((forced.len(), &counts[..]), (92, &UNFORCED[..]));
    let failed: Vec<String> = stream::iter(&forced)
        .map(|(found, plan)| {
            let service = &service;
            async move {
                // Two look-ups meet within 40 ms. Where they did not, once more.
                let racing = found.rules.design.claim == ClaimRule::LookupThenInsert;
                let tries = if racing { 10 } else { 1 };
                let mut ended = Ok(());
                for _ in 0..tries {
                    ended = replay(service, found, plan).await;
                    if ended.is_ok() {
                        break;
                    }
                }
                on_the_correct_design(service, found, plan).await;
                ended
                    .err()
                    .map(|why| format!("{}: {why}\n    {:?}", found.name, plan.acts))
            }
        })
        .buffer_unordered(AT_ONCE)
        .filter_map(|failed| async { failed })
        .collect()
        .await;
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    let names: Vec<_> = forced
        .iter()
        .map(|(found, _)| found.name.as_str())
        .collect();
    for name in [
        "the correct design, no key, 1 client(s): one-charge",
        "the correct design, a new key each time, 1 client(s): one-charge",
        "no unique insert, no processor key, 2 client(s): one-charge",
        "no lease, 1 client(s): never-stuck",
        "no processor key, 1 client(s): one-charge",
        "no heartbeat, no fencing, no processor key, 1 client(s): one-charge",
        "no heartbeat, no fencing, no processor key, 1 client(s): saved-answer",
    ] {
        assert!(names.contains(&name), "{name}");
    }
}

/// The comparison can fail: the acts of a counterexample on the correct design do
/// not come to what its trace says.
#[tokio::test(flavor = "multi_thread")]
async fn a_trace_of_another_design_does_not_agree() {
    let service = Service::start().await;
    let design = Design {
        processor_keys: false,
        ..Design::default()
    };
    let budget = Budget {
        crashes: 1,
        losses: 0,
        slow_owners: 0,
        processor: 0,
    };
    let rules = rules(1, design, KeyUse::Same);
    let mut search = Search::new(&rules, budget, Properties::only(Property::OneCharge)).unwrap();
    let Verdict::Broken(example) = search.run() else {
        panic!("it holds");
    };
    let moves = example.moves.clone();
    let mut found = Found {
        name: String::new(),
        rules,
        budget,
        example: *example,
    };
    let plan = plan(&found.rules, budget, &moves).unwrap();
    assert_eq!(replay(&service, &found, &plan).await, Ok(()));
    found.rules.design = Design::default();
    let wrong = replay(&service, &found, &plan).await.unwrap_err();
    assert!(
        wrong.starts_with("ledger: really (1, 0), in the trace (2, 0)"),
        "{wrong}"
    );
    // And the trace's key is taken over, not left running.
    let states = plan.end.keys.iter().flatten().map(|record| &record.state);
    assert!(
        states
            .into_iter()
            .all(|it| !matches!(it, KeyState::Tombstone))
    );
}
