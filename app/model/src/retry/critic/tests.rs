use super::*;
use crate::retry::plan::any::{any_plan, good_plan};
use crate::retry::plan::{RetryAfter, Spread};
use crate::retry::presets::preset;
use proptest::prelude::*;

const ALONE: Surroundings = Surroundings {
    p99_ms: None,
    retention_ms: None,
    layers: 1,
    trouble: None,
};

fn flaws(plan: &Plan, around: &Surroundings) -> Vec<&'static str> {
    critic(plan, around).iter().map(|it| it.flaw.id()).collect()
}

fn finding(plan: &Plan, around: &Surroundings, flaw: Flaw) -> Finding {
    critic(plan, around)
        .into_iter()
        .find(|it| it.flaw == flaw)
        .unwrap_or_else(|| panic!("{flaw:?} not found"))
}

#[test]
fn a_sound_policy_is_left_alone() {
    let around = Surroundings {
        p99_ms: Some(300),
        retention_ms: Some(86_400_000),
        ..ALONE
    };
    let sound = Plan {
        deadline_ms: Some(10_000),
        ..Plan::START
    };
    assert_eq!(critic(&sound, &around), []);
}

/// Each flaw, found where it is and not where it is not.
#[test]
fn each_flaw_is_found() {
    let start = Plan {
        deadline_ms: Some(10_000),
        ..Plan::START
    };
    let around = |change: fn(&mut Surroundings)| {
        let mut around = ALONE;
        change(&mut around);
        around
    };
    for (plan, around, wanted) in [
        (
            start,
            around(|it| it.p99_ms = Some(500)),
            "timeout-below-p99",
        ),
        (
            start,
            around(|it| it.p99_ms = Some(49)),
            "timeout-far-above-p99",
        ),
        (
            Plan {
                base_ms: 3000,
                ..start
            },
            ALONE,
            "cap-under-base",
        ),
        (
            Plan {
                deadline_ms: Some(1200),
                ..start
            },
            ALONE,
            "outlasts-deadline",
        ),
        (
            start,
            around(|it| it.retention_ms = Some(2000)),
            "retention-too-short",
        ),
        (
            Plan {
                attempts: 6,
                ..start
            },
            ALONE,
            "too-many-attempts",
        ),
        (
            Plan {
                attempts: 1,
                ..start
            },
            ALONE,
            "no-retry",
        ),
        (
            Plan {
                base_ms: 0,
                ..start
            },
            ALONE,
            "no-wait",
        ),
        (
            Plan {
                spread: Spread::None,
                ..start
            },
            ALONE,
            "no-jitter",
        ),
        (
            Plan {
                spread: Spread::Share(0.0),
                ..start
            },
            ALONE,
            "no-jitter",
        ),
        (
            Plan {
                spread: Spread::None,
                factor: 1.0,
                ..start
            },
            ALONE,
            "fixed-wait",
        ),
        (
            Plan {
                factor: 1.0,
                ..start
            },
            ALONE,
            "no-backoff",
        ),
        (
            Plan {
                spread: Spread::Share(0.2),
                ..start
            },
            ALONE,
            "little-jitter",
        ),
        (
            Plan {
                spread: Spread::Decorrelated,
                ..start
            },
            ALONE,
            "cap-spike",
        ),
        (start, around(|it| it.layers = 3), "several-layers"),
        (
            Plan {
                retry_after: RetryAfter::Ignore,
                ..start
            },
            ALONE,
            "retry-after-ignored",
        ),
        (
            start,
            around(|it| it.trouble = Some(Trouble::Overload)),
            "adds-load",
        ),
        (
            start,
            around(|it| it.trouble = Some(Trouble::LostReplies)),
            "needs-the-same-key",
        ),
        (
            start,
            around(|it| it.trouble = Some(Trouble::Away(60_000))),
            "shorter-than-outage",
        ),
        (
            Plan {
                deadline_ms: None,
                ..start
            },
            ALONE,
            "no-deadline",
        ),
    ] {
        assert!(flaws(&plan, &around).contains(&wanted), "{wanted}");
    }
    // The decorrelated plan above reaches 2000 ms with its third retry (100·3³).
    let far = Plan {
        spread: Spread::Decorrelated,
        cap_ms: 100_000,
        ..start
    };
    assert_eq!(flaws(&far, &ALONE), Vec::<&str>::new());
    assert_eq!(
        flaws(&start, &around(|it| it.trouble = Some(Trouble::Away(700)))),
        Vec::<&str>::new()
    );
    assert_eq!(
        flaws(&start, &around(|it| it.p99_ms = Some(50))),
        Vec::<&str>::new()
    );
    let wide = Plan {
        base_ms: Plan::LONGEST_TIMER,
        cap_ms: Plan::LONGEST_TIMER,
        spread: Spread::Share(1.0),
        deadline_ms: None,
        ..start
    };
    assert!(flaws(&wide, &ALONE).contains(&"timer-cut"));
}

#[test]
fn a_deadline_says_which_attempt_it_cuts() {
    let never = Plan {
        deadline_ms: Some(1300),
        ..Plan::START
    };
    let found = finding(&never, &ALONE, Flaw::OutlastsDeadline);
    assert_eq!(found.severity, Severity::Fault);
    assert!(
        found.text.contains("Attempt 4") && found.text.contains("1 of the 4"),
        "{}",
        found.text
    );
    let perhaps = Plan {
        deadline_ms: Some(1200),
        ..Plan::START
    };
    let found = finding(&perhaps, &ALONE, Flaw::OutlastsDeadline);
    assert_eq!(found.severity, Severity::Warning);
    assert!(found.text.contains("attempt 3"), "{}", found.text);
}

/// The lesson: 4 attempts of 500 ms, waits of at most 700 ms, but a Retry-After of a
/// minute is honoured three times: 181.5 s.
#[test]
fn the_retention_is_held_against_the_longest_retry_there_can_be() {
    let around = |retention_ms| Surroundings {
        retention_ms: Some(retention_ms),
        ..ALONE
    };
    let deaf = Plan {
        retry_after: RetryAfter::Ignore,
        ..Plan::START
    };
    let short = Flaw::RetentionTooShort.id();
    assert!(flaws(&deaf, &around(2200)).contains(&short));
    assert!(!flaws(&deaf, &around(2201)).contains(&short));
    assert!(flaws(&Plan::START, &around(181_500)).contains(&short));
    assert!(!flaws(&Plan::START, &around(181_501)).contains(&short));
    let ended = Plan {
        deadline_ms: Some(5000),
        ..Plan::START
    };
    assert!(
        !flaws(&ended, &around(5001)).contains(&short),
        "the deadline ends it"
    );
}

#[test]
fn layers_are_multiplied() {
    let text = finding(
        &Plan {
            attempts: 3,
            ..Plan::START
        },
        &Surroundings { layers: 3, ..ALONE },
        Flaw::SeveralLayers,
    )
    .text;
    assert!(text.contains("27 calls"), "{text}");
}

#[test]
fn the_worst_comes_first() {
    let bad = Plan {
        attempts: 20,
        spread: Spread::None,
        retry_after: RetryAfter::Ignore,
        ..Plan::START
    };
    let severities: Vec<_> = critic(&bad, &ALONE).iter().map(|it| it.severity).collect();
    assert!(severities.is_sorted_by(|a, b| a >= b));
    assert_eq!(severities.first(), Some(&Severity::Fault));
}

/// Every heading that is pointed at is in the lesson.
#[test]
fn anchors_are_headings_of_the_lesson() {
    let lesson = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../content/lesson.md"));
    for flaw in [
        Flaw::TimeoutBelowP99,
        Flaw::RetentionTooShort,
        Flaw::NeedsTheSameKey,
        Flaw::SeveralLayers,
        Flaw::NoJitter,
    ] {
        assert!(
            lesson.contains(&format!("{{#{}}}", flaw.anchor())),
            "{flaw:?}"
        );
    }
}

#[test]
fn what_is_odd_about_presets_is_seen() {
    let of = |id: &str| flaws(&preset(id).unwrap().plan, &ALONE);
    assert!(of("polly").contains(&"fixed-wait"));
    assert!(of("resilience4j").contains(&"fixed-wait"));
    assert!(of("urllib3").contains(&"no-wait"));
    assert!(of("finagle").contains(&"no-wait"));
    assert!(of("grpc").contains(&"little-jitter"));
    assert!(of("google-cloud").contains(&"retry-after-ignored"));
    assert!(of("envoy").contains(&"outlasts-deadline"));
}

proptest! {
    #[test]
    fn every_finding_is_one_sentence(plan in prop_oneof![good_plan(), any_plan()], p99: Option<u64>, retention: Option<u64>, layers in 0_u32..10, away: Option<u64>) {
        let around = Surroundings { p99_ms: p99, retention_ms: retention, layers, trouble: away.map(Trouble::Away) };
        let findings = critic(&plan, &around);
        prop_assert!(can_be_followed(&plan) || findings.is_empty());
        for finding in findings {
            prop_assert!(finding.text.ends_with('.') && !finding.text.contains("  "), "{}", finding.text);
            prop_assert!(!finding.text.contains("NaN") && !finding.text.contains("inf "), "{}", finding.text);
        }
    }
}
