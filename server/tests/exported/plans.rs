//! The plans that are exported and run.

use model::retry::plan::{Plan, RetryAfter, Spread};

/// A plan with something of its own: between them every kind of jitter, with and
/// without a deadline and Retry-After.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sample {
    Equal,
    Share,
    Decorrelated,
    Full,
    /// Two attempts; a wait after them would be ten minutes.
    Last,
    /// The first wait is longer than the deadline.
    Deadline,
    /// A time-out that the test can wait for.
    Hurried,
}

impl Sample {
    pub(crate) const ALL: [Self; 7] = [
        Self::Equal,
        Self::Share,
        Self::Decorrelated,
        Self::Full,
        Self::Last,
        Self::Deadline,
        Self::Hurried,
    ];

    /// The file of its Rust code.
    pub(crate) const fn file(self) -> &'static str {
        match self {
            Self::Equal => "equal.rs",
            Self::Share => "share.rs",
            Self::Decorrelated => "decorrelated.rs",
            Self::Full => "full.rs",
            Self::Last => "last.rs",
            Self::Deadline => "deadline.rs",
            Self::Hurried => "hurried.rs",
        }
    }

    pub(crate) const fn plan(self) -> Plan {
        // Long enough for a slow machine, where the time-out is not the matter.
        let plan = Plan {
            attempts: 4,
            base_ms: 200,
            factor: 2.0,
            cap_ms: 500,
            spread: Spread::Equal,
            timeout_ms: 30_000,
            deadline_ms: None,
            retry_after: RetryAfter::Honour { most_ms: 5000 },
        };
        match self {
            Self::Equal => plan,
            Self::Share => Plan {
                attempts: 3,
                base_ms: 60,
                factor: 1.5,
                cap_ms: 80,
                spread: Spread::Share(0.25),
                retry_after: RetryAfter::Ignore,
                ..plan
            },
            Self::Decorrelated => Plan {
                base_ms: 50,
                cap_ms: 120,
                spread: Spread::Decorrelated,
                deadline_ms: Some(600_000),
                ..plan
            },
            Self::Full => Plan {
                attempts: 3,
                base_ms: 40,
                spread: Spread::Full,
                ..plan
            },
            Self::Last => Plan {
                attempts: 2,
                base_ms: 1,
                factor: Plan::MOST_FACTOR,
                cap_ms: 600_000,
                spread: Spread::None,
                ..plan
            },
            Self::Deadline => Plan {
                base_ms: 500,
                spread: Spread::None,
                deadline_ms: Some(400),
                retry_after: RetryAfter::Ignore,
                ..plan
            },
            Self::Hurried => Plan {
                base_ms: 10,
                spread: Spread::Full,
                timeout_ms: 2500,
                deadline_ms: Some(600_000),
                ..plan
            },
        }
    }
}

#[test]
fn the_plans_are_good_ones() {
    for sample in Sample::ALL {
        assert_eq!(sample.plan().check(), Ok(()), "{sample:?}");
    }
}
