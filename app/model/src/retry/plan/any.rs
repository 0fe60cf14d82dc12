//! Plans for property tests.

use super::{Plan, RetryAfter, Spread};
use crate::Ms;
use proptest::prelude::*;

/// Any plan at all, checked or not.
pub(crate) fn any_plan() -> impl Strategy<Value = Plan> {
    let spread = prop_oneof![
        Just(Spread::None),
        Just(Spread::Full),
        Just(Spread::Equal),
        Just(Spread::Decorrelated),
        any::<f64>().prop_map(Spread::Share),
        (0.0..=1.0).prop_map(Spread::Share),
    ];
    (
        0_u32..1100,
        prop_oneof![0_u64..5000, any::<u64>()],
        prop_oneof![any::<f64>(), 1.0..10.0],
        prop_oneof![0_u64..5000, any::<u64>()],
        spread,
        any::<u64>(),
        any::<Option<u64>>(),
    )
        .prop_map(
            |(attempts, base_ms, factor, cap_ms, spread, timeout_ms, deadline_ms)| Plan {
                attempts,
                base_ms,
                factor,
                cap_ms,
                spread,
                timeout_ms,
                deadline_ms,
                retry_after: RetryAfter::DEFAULT,
            },
        )
}

/// Any plan that passes the check.
pub(crate) fn good_plan() -> impl Strategy<Value = Plan> {
    let spread = prop_oneof![
        Just(Spread::None),
        Just(Spread::Full),
        Just(Spread::Equal),
        Just(Spread::Decorrelated),
        (0.0..=1.0).prop_map(Spread::Share),
    ];
    let time = || prop_oneof![1_u64..20_000, 1..=Plan::LONGEST_TIMER];
    (
        prop_oneof![1_u32..12, 1..=Plan::MOST_ATTEMPTS],
        (
            prop_oneof![Just(0), 0_u64..5000, 0..=Plan::LONGEST_TIMER],
            time(),
        ),
        prop_oneof![Just(1.0), 1.0..4.0, 1.0..=Plan::MOST_FACTOR],
        spread,
        time(),
        prop::option::of(time()),
        prop_oneof![
            Just(RetryAfter::Ignore),
            time().prop_map(|most_ms| RetryAfter::Honour { most_ms })
        ],
    )
        .prop_map(
            |(attempts, (one, other), factor, spread, timeout_ms, deadline_ms, retry_after): (
                u32,
                (Ms, Ms),
                f64,
                Spread,
                Ms,
                Option<Ms>,
                RetryAfter,
            )| Plan {
                attempts,
                base_ms: one.min(other),
                factor,
                cap_ms: one.max(other),
                spread,
                timeout_ms,
                deadline_ms,
                retry_after,
            },
        )
}
