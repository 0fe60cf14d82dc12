//! The conformance suite: `conformance/cases.toml` against a service, by default our
//! own. How to point it at another one is written at the head of that file.

// Helpers outside of test functions fail the test as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
// The shared helpers of all test files.
#![allow(dead_code, unreachable_pub)]

mod common;
mod conformance {
    pub(crate) mod check;
    pub(crate) mod format;
    pub(crate) mod run;
    pub(crate) mod target;
    pub(crate) mod words;
}

use std::collections::{BTreeMap, BTreeSet, HashMap};

use common::{Service, client};
use conformance::check::{Answer, Dialect, Given, Unmade, matches};
use conformance::format::{Capability, Case, Row, Step, Suite};
use conformance::run::{Outcome, run};
use conformance::target::Target;
use futures::{StreamExt, stream};
use serde_json::{Value, json};

/// Cases that run at once where each has an account of its own.
const AT_ONCE: usize = 8;

fn suite() -> Suite {
    Suite::read(include_str!("conformance/cases.toml")).unwrap()
}

async fn ours(args: &[&str]) -> Service {
    let all = [&["--sandbox-rate", "10000", "--upkeep", "100ms"], args].concat();
    Service::with(&all).await
}

/// Runs the cases, each by itself or several at once.
async fn run_all(target: &Target, cases: &[&Case]) -> BTreeMap<String, Outcome> {
    let at_once = match target.has.contains(&Capability::Sandboxes) {
        true => AT_ONCE,
        false => 1,
    };
    stream::iter(cases)
        .map(|case| async { (case.name.clone(), run(target, case).await) })
        .buffer_unordered(at_once)
        .collect()
        .await
}

/// Says what became of each, and gives the names of those that failed.
fn report(outcomes: &BTreeMap<String, Outcome>) -> Vec<&str> {
    let (mut failed, mut passed, mut skipped, mut unmade) = (Vec::new(), 0, 0, 0);
    for (name, outcome) in outcomes {
        match outcome {
            Outcome::Passed(Unmade(0)) => {
                passed += 1;
                println!("pass  {name}");
            }
            Outcome::Passed(Unmade(count)) => {
                passed += 1;
                unmade += count;
                println!("pass  {name} ({count} checks not made)");
            }
            Outcome::Skipped(needs) => {
                skipped += 1;
                println!("skip  {name} (it needs {needs:?})");
            }
            Outcome::Failed(why) => {
                println!("FAIL  {name}\n      {why}");
                failed.push(name.as_str());
            }
        }
    }
    println!(
        "{passed} passed, {} failed, {skipped} skipped; {unmade} checks not made",
        failed.len()
    );
    failed
}

#[tokio::test(flavor = "multi_thread")]
async fn the_service_conforms() {
    let suite = suite();
    if let Some(target) = Target::named(client()) {
        let cases: Vec<_> = suite.case.iter().collect();
        let outcomes = run_all(&target, &cases).await;
        assert_eq!(report(&outcomes), [""; 0]);
        return;
    }
    let service = ours(&[]).await;
    // A low rate is for its own cases only.
    let slow = ours(&["--rate", "1"]).await;
    let target = Target::ours(client(), &service.url);
    let mut limited = Target::ours(client(), &slow.url);
    limited.has.insert(Capability::Rate);
    let (rate, rest): (Vec<_>, Vec<_>) = suite
        .case
        .iter()
        .partition(|case| case.needs.contains(&Capability::Rate));
    let (mut outcomes, limits) = tokio::join!(run_all(&target, &rest), run_all(&limited, &rate));
    outcomes.extend(limits);
    assert_eq!(report(&outcomes), [""; 0]);
    for case in &suite.case {
        let outcome = &outcomes[&case.name];
        assert_eq!(*outcome, Outcome::Passed(Unmade(0)), "{}", case.name);
    }
}

/// Every row of the precedence table has a case, and every two of them have one in
/// which both apply, or a reason why they cannot.
#[test]
fn every_pair_of_rows_is_looked_at() {
    let suite = suite();
    let mut seen = BTreeSet::new();
    for step in suite.case.iter().flat_map(|case| &case.steps) {
        match step.rows[..] {
            [row] => drop(seen.insert((row, row))),
            [winner, loser] => drop(seen.insert((winner, loser))),
            _ => {}
        }
    }
    let mut cannot = BTreeSet::new();
    for entry in &suite.cannot {
        assert!(!entry.why.is_empty());
        cannot.extend(entry.with.iter().map(|other| (entry.row, *other)));
    }
    let mut missing = Vec::new();
    for (i, row) in Row::ALL.into_iter().enumerate() {
        // `done` is what the very first cases are about.
        if row != Row::Done && !seen.contains(&(row, row)) {
            missing.push((row, row));
        }
        for other in &Row::ALL[i + 1..] {
            let pair = (row, *other);
            assert!(
                !(seen.contains(&pair) && cannot.contains(&pair)),
                "{pair:?}"
            );
            if !seen.contains(&pair) && !cannot.contains(&pair) {
                missing.push(pair);
            }
        }
    }
    assert_eq!(missing, []);
}

/// A service with one mechanism less fails, and the cases that fail are those that
/// speak of it.
#[tokio::test(flavor = "multi_thread")]
async fn an_unsafe_service_fails_by_name() {
    let suite = suite();
    let service = ours(&[]).await;
    let bare = |mut settings: Value| {
        settings["processor_keys"] = json!(false);
        settings["sweeper"] = json!(false);
        settings
    };
    for (weakened, fails) in [
        (
            json!({"fingerprint": false}),
            &["another value is another request"][..],
        ),
        (
            json!({"lease": false}),
            &["a crash before the charge: after the lease, one charge"],
        ),
        (
            json!({"expired": "accept"}),
            &["an expired key is refused, and nothing is charged"],
        ),
        (json!({"keyless": "allow"}), &["no key where one is needed"]),
        (
            bare(json!({})),
            &["a crash after the charge: the takeover finds it, and charges nothing more"],
        ),
        (
            bare(json!({"claim": "lookup_then_insert"})),
            &["twenty at once under one key are one charge"],
        ),
        (
            bare(json!({"fencing": false})),
            &["a late owner changes no answer that was given"],
        ),
        (
            json!({"store": "pod_memory", "pods": 2}),
            &["a retry gets the first answer to the byte"],
        ),
        (
            bare(json!({"heartbeat": false})),
            &["a slow owner that lives is not taken over"],
        ),
    ] {
        let mut target = Target::ours(client(), &service.url);
        target.weakened = weakened.clone();
        let cases: Vec<_> = suite
            .case
            .iter()
            .filter(|case| fails.contains(&case.name.as_str()))
            .collect();
        assert_eq!(cases.len(), fails.len(), "{fails:?}");
        // What breaks in a race does not break each time.
        let mut tries = 0;
        let passed = loop {
            let mut outcomes = run_all(&target, &cases).await;
            outcomes.retain(|_, outcome| !matches!(outcome, Outcome::Failed(_)));
            tries += 1;
            if outcomes.is_empty() || tries == 10 {
                break outcomes;
            }
        };
        assert!(passed.is_empty(), "{weakened}: {passed:?}");
    }
}

/// The cases that need nothing but an account pass against a service that offers
/// nothing else, and the others are skipped by name.
#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_offers_little_is_looked_at_as_far_as_it_goes() {
    let suite = suite();
    let service = ours(&[]).await;
    let mut target = Target::ours(client(), &service.url);
    target.token = Some(service.sandbox().await.token);
    target.has = BTreeSet::new();
    target.dialect = Dialect {
        replayed: None,
        problems: false,
    };
    let cases: Vec<_> = suite.case.iter().collect();
    let outcomes = run_all(&target, &cases).await;
    assert_eq!(report(&outcomes), [""; 0]);
    let count = |wanted: fn(&Outcome) -> bool| outcomes.values().filter(|it| wanted(it)).count();
    assert!(count(|it| matches!(it, Outcome::Skipped(_))) >= 30);
    assert!(count(|it| matches!(it, Outcome::Passed(_))) >= 25);
    assert!(count(|it| matches!(it, Outcome::Passed(Unmade(more)) if *more > 0)) >= 20);
}

/// Each kind of expectation can fail.
#[test]
fn every_kind_of_check_can_fail() {
    let given = |status, headers: &[(&'static str, &'static str)], body: &'static str| Given {
        status,
        headers: headers
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
            .collect(),
        body: body.into(),
    };
    let first = [
        ("location", "/charges/ch_1"),
        ("idempotency-replayed", "true"),
        ("retry-after", "7"),
    ];
    let good = given(201, &first, r#"{"id":"ch_1"}"#);
    let problem = [
        ("content-type", "application/problem+json"),
        ("link", "</api#not-json>; rel=\"describedby\""),
    ];
    let body = r#"{"type":"/api#not-json","title":"t","status":400,"detail":"d"}"#;
    let bad = given(400, &problem, body);
    let dialect = Dialect {
        replayed: Some(String::from("idempotency-replayed")),
        problems: true,
    };
    let saved = HashMap::from([
        (String::from("same"), good.clone()),
        (String::from("other"), given(201, &[], r#"{"id":"ch_2"}"#)),
    ]);
    let check = |step: &str, answer: &Answer| {
        let step: Step = toml::from_str(step).unwrap();
        dialect.check_all(&step, std::slice::from_ref(answer), &saved, &mut Unmade(0))
    };
    let (good, bad) = (Answer::Given(good), Answer::Given(bad));
    for (passes, fails) in [
        ("status = 201", "status = 200"),
        ("statuses = [201, 409]", "statuses = [409]"),
        (
            "status = 201\nreplayed = true",
            "status = 201\nreplayed = false",
        ),
        (
            "status = 201\nhas = ['location']",
            "status = 201\nhas = ['etag']",
        ),
        (
            "status = 201\nlacks = ['etag']",
            "status = 201\nlacks = ['location']",
        ),
        (
            "status = 201\nheader.location = '/charges/*'",
            "status = 201\nheader.location = '/refunds/*'",
        ),
        (
            "status = 201\nheader.etag = ''",
            "status = 201\nheader.etag = 'x'",
        ),
        (
            "status = 201\nseconds.retry-after = [1, 7]",
            "status = 201\nseconds.retry-after = [1, 6]",
        ),
        (
            "status = 201\njson.id = 'ch_1'",
            "status = 201\njson.id = 'ch_2'",
        ),
        (
            "status = 201\nsame_body_as = 'same'",
            "status = 201\nsame_body_as = 'other'",
        ),
        (
            "status = 201\nother_body_than = 'other'",
            "status = 201\nother_body_than = 'same'",
        ),
        (
            "status = 201\nsame_headers_as = 'same'",
            "status = 201\nsame_headers_as = 'other'",
        ),
        (
            "status = 201\nsame_body_as = 'same'",
            "status = 201\nsame_body_as = 'nothing'",
        ),
        ("status = 201\nfresh = 0", "status = 201\nfresh = 1"),
        ("status = 201", "lost = true"),
    ] {
        assert_eq!(check(passes, &good), Ok(()), "{passes}");
        assert!(check(fails, &good).is_err(), "{fails}");
    }
    assert_eq!(check("lost = true", &Answer::Lost), Ok(()));
    assert!(check("status = 201", &Answer::Lost).is_err());
    let wanted = "status = 400\nproblem = 'not-json'";
    assert_eq!(check(wanted, &bad), Ok(()));
    assert!(check("status = 400\nproblem = 'bad-request'", &bad).is_err());
    // Each part of a problem is looked at.
    for (headers, body) in [
        (&problem[1..], body.to_owned()),
        (&problem[..1], body.to_owned()),
        (&problem[..], body.replace("400", "401")),
        (&problem[..], body.replace("\"d\"", "\"\"")),
        (&problem[..], body.replace("title", "titel")),
        (&problem[..], String::from("{}")),
    ] {
        let mut answer = given(400, headers, "");
        answer.body = body.into();
        assert!(check(wanted, &Answer::Given(answer)).is_err());
    }
    // Of several, one that differs is enough.
    let step: Step = toml::from_str("status = 201\nfresh = 0").unwrap();
    let other = Answer::Given(saved["other"].clone());
    let both = [good.clone(), other];
    assert!(
        dialect
            .check_all(&step, &both, &saved, &mut Unmade(0))
            .is_err()
    );
    let both = [good.clone(), good];
    assert!(
        dialect
            .check_all(&step, &both, &saved, &mut Unmade(0))
            .is_ok()
    );
}

#[test]
fn a_case_that_checks_less_than_it_seems_is_refused() {
    let read = |steps: &str| {
        Suite::read(&format!(
            "case = [{{ name = 'x', rests_on = 'y', steps = [{steps}] }}]"
        ))
    };
    assert!(read("{ key = 'k', status = 201 }").is_ok());
    for wrong in [
        "{ key = 'k' }",
        "{ key = 'k', statsu = 201 }",
        "{ pause_ms = 1, status = 201 }",
        "{ pause_ms = 1, advance_ms = 1 }",
        "{ join = 'x' }",
        "{ key = 'k', background = 'x', status = 201 }",
        "{ key = 'k', status = 400, rows = ['key', 'json'] }",
    ] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn patterns() {
    for (pattern, text, fits) in [
        ("a", "a", true),
        ("a", "ab", false),
        ("a*", "ab", true),
        ("*b", "ab", true),
        ("*b*", "abc", true),
        ("a*c", "abc", true),
        ("a*c", "abd", false),
        ("a*b*c", "a-b-c", true),
        ("a*b*c", "a-c", false),
        ("", "", true),
        ("", "a", false),
        ("ab*b", "ab", false),
    ] {
        assert_eq!(matches(pattern, text), fits, "{pattern} {text}");
    }
}
