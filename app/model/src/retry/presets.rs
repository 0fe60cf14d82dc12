//! Policies that are in use, as their sources state them.

use super::plan::{Plan, RetryAfter, Spread};

/// A policy that is in use somewhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preset {
    /// Its name in addresses.
    pub id: &'static str,
    /// What it is called.
    pub name: &'static str,
    /// What was read, and in which version.
    pub source: &'static str,
    /// As a plan. Where the source says nothing of a time-out, two seconds stand in:
    /// see `own_timeout`.
    pub plan: Plan,
    /// Whether the time-out is the source's own.
    pub own_timeout: bool,
    /// What it does oddly, and where the plan cannot follow it.
    pub odd: &'static str,
}

const STAND_IN_MS: u64 = 2000;

/// Every preset, the lesson's first.
pub const PRESETS: [Preset; 13] = [
    Preset {
        id: "lesson",
        name: "The lesson's",
        source: "this site, the lab's own client",
        plan: Plan {
            timeout_ms: 2000,
            ..Plan::START
        },
        own_timeout: true,
        odd: "All its waits together add at most 700 ms: too little for a service that restarts, \
              enough for a packet that was lost.",
    },
    Preset {
        id: "aws-2026",
        name: "AWS SDKs, from 2026",
        source: "@smithy/core 3.41.1 (standard mode, AWS_NEW_RETRIES_2026) and the announcement \
                 in aws-sdk-js-v3, issue 8037",
        plan: Plan {
            attempts: 3,
            base_ms: 50,
            cap_ms: 20_000,
            timeout_ms: STAND_IN_MS,
            retry_after: RetryAfter::Honour { most_ms: 5000 },
            ..Plan::START
        },
        own_timeout: false,
        odd: "After throttling the base is 1000 ms instead, and DynamoDB starts at 25 ms with \
              4 attempts. The server's own wait is not refused when it is too long but held to \
              the drawn wait and 5 s more. A quota of 500 tokens ends retries in an outage.",
    },
    Preset {
        id: "aws-before",
        name: "AWS SDK for JavaScript, before 2026",
        source: "@smithy/core 3.41.1, the constants kept for the older behaviour",
        plan: Plan {
            attempts: 3,
            base_ms: 100,
            cap_ms: 20_000,
            timeout_ms: STAND_IN_MS,
            retry_after: RetryAfter::Honour { most_ms: 20_000 },
            ..Plan::START
        },
        own_timeout: false,
        odd: "With three attempts the cap of 20 s is never met. The SDKs did not agree: those for \
              Go and Rust started at 1000 ms.",
    },
    Preset {
        id: "grpc",
        name: "gRPC, since its jitter changed",
        source: "gRPC proposal A6 as changed by its pull request 452 (2024), the example in it; \
                 @grpc/grpc-js 1.14.7 does so",
        plan: Plan {
            attempts: 4,
            base_ms: 100,
            cap_ms: 1000,
            spread: Spread::Share(0.2),
            timeout_ms: STAND_IN_MS,
            ..Plan::START
        },
        own_timeout: false,
        odd: "A wait can be a fifth above the cap, which is met before the jitter. ±20 % keeps \
              most of a wave together. More than 5 attempts count as 5, and nothing is retried \
              unless a service configuration says so.",
    },
    Preset {
        id: "grpc-before",
        name: "gRPC, before",
        source: "gRPC proposal A6 in its first form (2017), the example in it",
        plan: Plan {
            attempts: 4,
            base_ms: 100,
            cap_ms: 1000,
            timeout_ms: STAND_IN_MS,
            ..Plan::START
        },
        own_timeout: false,
        odd: "Full jitter, and so half the waiting of today's gRPC for the same numbers: what a \
              configuration means has changed under it.",
    },
    Preset {
        id: "google-cloud",
        name: "Google Cloud",
        source: "google-api-core 2.44.0 for Python (retry_base.py), the defaults",
        plan: Plan {
            attempts: 20,
            base_ms: 1000,
            cap_ms: 60_000,
            timeout_ms: STAND_IN_MS,
            deadline_ms: Some(120_000),
            retry_after: RetryAfter::Ignore,
            ..Plan::START
        },
        own_timeout: false,
        odd: "There is no limit on attempts, only two minutes in all; 20 stand in for it. Of \
              Retry-After it takes no notice.",
    },
    Preset {
        id: "envoy",
        name: "Envoy",
        source: "Envoy's router and retry documentation, 1.31, and its backoff_strategy.cc",
        plan: Plan {
            attempts: 2,
            base_ms: 25,
            cap_ms: 250,
            timeout_ms: 15_000,
            deadline_ms: Some(15_000),
            retry_after: RetryAfter::Ignore,
            ..Plan::START
        },
        own_timeout: true,
        odd: "One retry unless more are asked for. The route's 15 s cover all attempts, and \
              without a time-out for each the first that hangs uses them up. Retry-After counts \
              only where a rate-limited back-off is configured.",
    },
    Preset {
        id: "finagle",
        name: "Finagle",
        source: "Retries.scala and RetryBudget.scala at commit 0e26b57",
        plan: Plan {
            attempts: 21,
            base_ms: 0,
            factor: 1.0,
            cap_ms: 1,
            spread: Spread::None,
            timeout_ms: STAND_IN_MS,
            retry_after: RetryAfter::Ignore,
            ..Plan::START
        },
        own_timeout: false,
        odd: "It requeues without any wait. Only its budget holds it back: 20 % of the requests \
              and 10 a second, and no request may use more than a fifth of what is left, 20 \
              retries when it is untouched. Of itself it repeats only what was never sent.",
    },
    Preset {
        id: "polly",
        name: "Polly",
        source: "Polly 8, the defaults of RetryStrategyOptions (RetryConstants.cs)",
        plan: Plan {
            attempts: 4,
            base_ms: 2000,
            factor: 1.0,
            cap_ms: 2000,
            spread: Spread::None,
            timeout_ms: STAND_IN_MS,
            retry_after: RetryAfter::Ignore,
            ..Plan::START
        },
        own_timeout: false,
        odd: "MaxRetryAttempts counts retries: 3 of them are 4 calls. The wait is always 2 s, \
              without jitter, unless asked for; exponential with jitter follows a formula of its \
              own that is none of the kinds here.",
    },
    Preset {
        id: "resilience4j",
        name: "resilience4j",
        source: "resilience4j's documentation of Retry and IntervalFunction.java, the defaults",
        plan: Plan {
            attempts: 3,
            base_ms: 500,
            factor: 1.0,
            cap_ms: 500,
            spread: Spread::None,
            timeout_ms: STAND_IN_MS,
            retry_after: RetryAfter::Ignore,
            ..Plan::START
        },
        own_timeout: false,
        odd: "maxAttempts counts the first call, unlike most. Always 500 ms; its randomized \
              exponential function grows by 1.5, draws ±50 % and cuts to the maximum after the \
              draw, so waits pile up on it.",
    },
    Preset {
        id: "urllib3",
        name: "urllib3",
        source: "urllib3 2.8.0, the defaults of Retry",
        plan: Plan {
            attempts: 11,
            base_ms: 0,
            cap_ms: 120_000,
            spread: Spread::None,
            timeout_ms: STAND_IN_MS,
            retry_after: RetryAfter::Honour {
                most_ms: 21_600_000,
            },
            ..Plan::START
        },
        own_timeout: false,
        odd: "total=10 counts retries, and without a backoff_factor they come at once. With one, \
              the first retry still does and the second waits twice the factor. POST is not \
              retried by default, and a Retry-After of up to 6 hours is slept through, a longer \
              one cut to that.",
    },
    Preset {
        id: "stripe-node",
        name: "Stripe's client for Node",
        source: "stripe 23.1.0 (npm)",
        plan: STRIPE,
        own_timeout: true,
        odd: STRIPE_ODD,
    },
    Preset {
        id: "stripe-python",
        name: "Stripe's client for Python",
        source: "stripe 16.1.0 (PyPI)",
        plan: STRIPE,
        own_timeout: true,
        odd: STRIPE_ODD,
    },
];

/// Both clients have the same figures.
const STRIPE: Plan = Plan {
    attempts: 3,
    base_ms: 500,
    cap_ms: 5000,
    spread: Spread::Equal,
    timeout_ms: 80_000,
    retry_after: RetryAfter::Ignore,
    ..Plan::START
};

const STRIPE_ODD: &str = "After the draw a wait is raised to 500 ms again, so the first, drawn \
                          from 250 to 500, is always 500: the first retries of a herd come \
                          together. The plan shows it as drawn. 409 is retried, and the server \
                          can say stripe-should-retry.";

/// The preset of that id.
#[must_use]
pub fn preset(id: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::retry::Policy;
    use crate::retry::budget::AwsBucket;

    #[test]
    fn every_preset_is_a_plan_that_can_be_used() {
        for preset in PRESETS {
            assert_eq!(preset.plan.check(), Ok(()), "{}", preset.id);
            assert!(!preset.source.is_empty() && preset.odd.ends_with('.'));
            assert!(!preset.odd.contains("  ") && !preset.source.contains("  "));
            assert_eq!(
                super::preset(preset.id).map(|it| it.name),
                Some(preset.name)
            );
        }
        let mut ids: Vec<_> = PRESETS.iter().map(|it| it.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), PRESETS.len());
        assert_eq!(preset("none"), None);
    }

    #[test]
    fn the_lesson_is_the_lessons() {
        assert_eq!(
            preset("lesson").unwrap().plan.policy(),
            Some(Policy::LESSON)
        );
    }

    /// The reference results' row: base 50 ms, cap 20 s, 3 attempts.
    #[test]
    fn aws_of_2026_is_the_row_of_the_reference() {
        let plan = preset("aws-2026").unwrap().plan;
        assert_eq!((plan.attempts, plan.base_ms, plan.cap_ms), (3, 50, 20_000));
        assert_eq!(
            (plan.attempts, plan.base_ms, plan.cap_ms),
            (AwsBucket::ATTEMPTS, AwsBucket::BASE_MS, AwsBucket::CAP_MS)
        );
    }
}
