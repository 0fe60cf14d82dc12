//! The code that the studio exports, run against a server that fails: JavaScript by
//! `node` and Python by `python3`, which have to be installed, and Rust compiled in.
//!
//! Nothing here asserts that anything was fast. A wait is checked against its least;
//! that there is none is checked with waits that would outlast the whole test.

// Helpers outside of test functions fail the test as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "exported/plans.rs"]
mod plans;
#[path = "exported/programs.rs"]
mod programs;
#[path = "exported/service.rs"]
mod service;

use plans::Sample;
use programs::{Ended, LANGUAGES, run};
use service::{Answer, Call, Service};
use std::time::Duration;

/// Timers of JavaScript count whole milliseconds and may be one early.
const EARLY: Duration = Duration::from_millis(2);

/// All calls are one operation: one key, one body.
fn one_operation(calls: &[Call], language: &str) {
    for call in calls {
        assert_eq!(call.key, calls[0].key, "{language}");
        assert_eq!(call.body, calls[0].body, "{language}");
        assert_eq!(call.body["amount"], 4000, "{language}");
    }
    assert!(calls[0].key.len() >= 32, "{language}: {}", calls[0].key);
}

/// No call came before its wait can have ended.
fn waited(calls: &[Call], least: impl IntoIterator<Item = f64>, language: &str) {
    let gaps = calls.windows(2).map(|pair| pair[1].came - pair[0].came);
    for (index, (gap, least)) in gaps.zip(least).enumerate() {
        let least = Duration::from_secs_f64(least / 1000.0);
        assert!(
            gap + EARLY >= least,
            "{language}: retry {} came after {gap:?}, before {least:?}",
            index + 1
        );
    }
}

/// Runs a sample in each language against the same answers.
async fn each(sample: Sample, answers: &[Answer], check: impl Fn(&str, &Ended, &[Call])) {
    for language in LANGUAGES {
        let service = Service::start(answers).await;
        let ended = run(sample, language, &service.url).await;
        let calls = service.calls();
        check(language.name(), &ended, &calls);
    }
}

const BUSY: Answer = Answer::Status(503, None);

#[tokio::test]
async fn as_many_calls_as_attempts_and_each_wait_in_its_window() {
    let plan = Sample::Equal.plan();
    let answers = [
        Answer::Status(503, None),
        Answer::Status(500, None),
        Answer::Status(429, None),
        Answer::Status(504, None),
    ];
    each(Sample::Equal, &answers, |language, ended, calls| {
        assert_eq!(calls.len(), plan.attempts as usize, "{language}");
        // The last reply is given back, whatever it is.
        assert_eq!(*ended, Ended::Status(504), "{language}");
        one_operation(calls, language);
        waited(calls, plan.windows().iter().map(|it| it.low_ms), language);
    })
    .await;
}

#[tokio::test]
async fn a_share_of_jitter_and_decorrelated_keep_their_windows() {
    for sample in [Sample::Share, Sample::Decorrelated] {
        let plan = sample.plan();
        each(sample, &[BUSY], |language, ended, calls| {
            assert_eq!(calls.len(), plan.attempts as usize, "{language}");
            assert_eq!(*ended, Ended::Status(503), "{language}");
            one_operation(calls, language);
            waited(calls, plan.windows().iter().map(|it| it.low_ms), language);
        })
        .await;
    }
}

#[tokio::test]
async fn the_first_success_ends_it() {
    let answers = [BUSY, Answer::Status(201, None)];
    each(Sample::Full, &answers, |language, ended, calls| {
        assert_eq!(calls.len(), 2, "{language}");
        assert_eq!(*ended, Ended::Status(201), "{language}");
        one_operation(calls, language);
    })
    .await;
}

#[tokio::test]
async fn what_cannot_succeed_is_not_tried_again() {
    for status in [400, 401, 402, 404, 422, 501] {
        let answers = [Answer::Status(status, None)];
        each(Sample::Full, &answers, |language, ended, calls| {
            assert_eq!(calls.len(), 1, "{language} {status}");
            assert_eq!(*ended, Ended::Status(status), "{language}");
        })
        .await;
    }
}

#[tokio::test]
async fn nothing_is_waited_after_the_last_failure() {
    // The second call is the last. A third nominal wait would be ten minutes, and the
    // run is given up long before that.
    let plan = Sample::Last.plan();
    let next = model::retry::plan::Plan {
        attempts: plan.attempts + 1,
        ..plan
    };
    assert!(next.nominals_ms()[1] > 2.0 * programs::PATIENCE.as_secs_f64() * 1000.0);
    each(Sample::Last, &[BUSY], |language, ended, calls| {
        assert_eq!(calls.len(), 2, "{language}");
        assert_eq!(*ended, Ended::Status(503), "{language}");
    })
    .await;
}

#[tokio::test]
async fn a_wait_that_would_outlast_the_deadline_is_not_begun() {
    // The deadline falls into the first wait, which has no jitter.
    let plan = Sample::Deadline.plan();
    assert!(plan.nominals_ms()[0] > plan.deadline_ms.unwrap() as f64);
    each(Sample::Deadline, &[BUSY], |language, ended, calls| {
        assert_eq!(calls.len(), 1, "{language}");
        assert_eq!(*ended, Ended::Status(503), "{language}");
    })
    .await;
}

#[tokio::test]
async fn retry_after_is_the_least_that_is_waited() {
    let answers = [
        Answer::Status(503, Some("1")),
        // One that has passed is no wait at all.
        Answer::Status(503, Some("Sun, 06 Nov 1994 08:49:37 GMT")),
        Answer::Status(201, None),
    ];
    let most = Sample::Full.plan().nominals_ms()[0];
    assert!(most < 1000.0, "else the wait would be as long without it");
    each(Sample::Full, &answers, |language, ended, calls| {
        assert_eq!(calls.len(), 3, "{language}");
        assert_eq!(*ended, Ended::Status(201), "{language}");
        one_operation(calls, language);
        waited(calls, [1000.0], language);
    })
    .await;
}

#[tokio::test]
async fn a_retry_after_that_is_too_long_ends_the_retries() {
    for value in ["6", "99999999999999999999", "Tue, 31 Dec 2999 23:59:59 GMT"] {
        let answers = [Answer::Status(429, Some(value))];
        each(Sample::Full, &answers, |language, ended, calls| {
            assert_eq!(calls.len(), 1, "{language} {value}");
            assert_eq!(*ended, Ended::Status(429), "{language}");
        })
        .await;
    }
}

#[tokio::test]
async fn a_retry_after_that_is_none_is_ignored() {
    // Each read as a number would be past the longest that the plan is sent away for.
    for value in ["600.5", "-600", "600 s", "1e3", "soon", "+600", ""] {
        let answers = [Answer::Status(503, Some(value))];
        each(Sample::Full, &answers, |language, _, calls| {
            let attempts = Sample::Full.plan().attempts as usize;
            assert_eq!(calls.len(), attempts, "{language} {value:?}");
        })
        .await;
    }
    // And so is any when the plan says so.
    let answers = [Answer::Status(503, Some("3600"))];
    each(Sample::Share, &answers, |language, _, calls| {
        let attempts = Sample::Share.plan().attempts as usize;
        assert_eq!(calls.len(), attempts, "{language}");
    })
    .await;
}

#[tokio::test]
async fn no_reply_is_tried_again_with_the_same_key() {
    // First the time-out, with nothing and with a part, then half a reply, then one that
    // ends it.
    let answers = [
        Answer::Silence,
        Answer::Stalled,
        Answer::Half,
        Answer::Status(201, None),
    ];
    each(Sample::Hurried, &answers, |language, ended, calls| {
        assert_eq!(calls.len(), 4, "{language}");
        assert_eq!(*ended, Ended::Status(201), "{language}");
        one_operation(calls, language);
    })
    .await;
    each(Sample::Full, &[Answer::Half], |language, ended, calls| {
        let attempts = Sample::Full.plan().attempts as usize;
        assert_eq!(calls.len(), attempts, "{language}");
        assert_eq!(*ended, Ended::Failed, "{language}");
        one_operation(calls, language);
    })
    .await;
}

#[tokio::test]
async fn another_operation_has_another_key() {
    let mut keys = Vec::new();
    for language in LANGUAGES {
        for _ in 0..2 {
            let service = Service::start(&[Answer::Status(201, None)]).await;
            run(Sample::Full, language, &service.url).await;
            keys.push(service.calls()[0].key.clone());
        }
    }
    let all = keys.len();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), all);
}
