use super::any::{any_plan, good_plan};
use super::*;
use crate::retry::Heard;
use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;

fn fields(plan: &Plan) -> Vec<Field> {
    match plan.check() {
        Ok(()) => Vec::new(),
        Err(problems) => problems.into_iter().map(|it| it.field).collect(),
    }
}

/// The inputs that broke others: growth.
#[test]
fn growth_ends_at_the_cap_and_never_overflows() {
    let plan = Plan {
        attempts: 1026,
        cap_ms: 20_000,
        ..Plan::START
    };
    assert_eq!(plan.nominals_ms().len(), 1025);
    for retry in [9, 63, 64, 65, 100, 1025, u32::MAX] {
        assert_eq!(plan.nominal_ms(retry), 20_000.0, "{retry}");
    }
    // 100·2^1024 is past f64, 100·2^58 past 2^64.
    assert_eq!(plan.nominals_ms()[1024], 20_000.0);
    let slow = Plan {
        factor: 1.0,
        ..plan
    };
    assert_eq!(slow.nominal_ms(u32::MAX), 100.0, "returns at once");
    let nothing = Plan {
        base_ms: 0,
        factor: Plan::MOST_FACTOR,
        ..plan
    };
    assert_eq!(nothing.nominal_ms(u32::MAX), 0.0);
    assert!(nothing.windows().iter().all(|it| it.high_ms == 0.0));
}

#[test]
fn the_list_of_nominals_is_the_formula() {
    for (factor, cap_ms) in [(1.0, 2000), (1.5, 900), (2.0, 2000), (10.0, 2_000_000_000)] {
        let plan = Plan {
            attempts: 12,
            factor,
            cap_ms,
            ..Plan::START
        };
        for (index, nominal) in plan.nominals_ms().into_iter().enumerate() {
            assert_eq!(nominal, plan.nominal_ms(index as u32 + 1));
        }
    }
}

/// The inputs that broke others: fields out of range, each beside its field and
/// all of them at once.
#[test]
fn every_problem_is_named_at_once() {
    assert_eq!(Plan::START.check(), Ok(()));
    let nan = f64::NAN;
    for factor in [0.0, 0.999, -2.0, nan, f64::INFINITY, f64::NEG_INFINITY, 1e7] {
        let plan = Plan {
            factor,
            ..Plan::START
        };
        assert_eq!(fields(&plan), [Field::Factor], "{factor}");
    }
    for share in [-0.1, 1.1, nan, f64::INFINITY] {
        let plan = Plan {
            spread: Spread::Share(share),
            ..Plan::START
        };
        assert_eq!(fields(&plan), [Field::Share], "{share}");
    }
    let plan = Plan {
        base_ms: 3000,
        ..Plan::START
    };
    assert_eq!(fields(&plan), [Field::Cap]);
    let message = plan.check().unwrap_err()[0].to_string();
    assert!(
        message.contains("3000 ms") && message.contains("2000 ms"),
        "{message}"
    );
    let all = Plan {
        attempts: 1001,
        base_ms: 1 << 32,
        factor: nan,
        cap_ms: 1 << 31,
        spread: Spread::Share(2.0),
        timeout_ms: 0,
        deadline_ms: Some(0),
        retry_after: RetryAfter::Honour { most_ms: 1 << 31 },
    };
    assert_eq!(
        fields(&all),
        [
            Field::Attempts,
            Field::Base,
            Field::Factor,
            Field::Cap,
            Field::Cap,
            Field::Share,
            Field::Timeout,
            Field::Deadline,
            Field::RetryAfter,
        ]
    );
    for attempts in [0, 1001, 1025, u32::MAX] {
        let plan = Plan {
            attempts,
            ..Plan::START
        };
        assert_eq!(fields(&plan), [Field::Attempts]);
    }
    for attempts in [1, 64, 100, 1000] {
        let plan = Plan {
            attempts,
            ..Plan::START
        };
        assert_eq!(plan.check(), Ok(()));
    }
    let base_0 = Plan {
        base_ms: 0,
        ..Plan::START
    };
    assert_eq!(
        base_0.check(),
        Ok(()),
        "retries at once are poor, not wrong"
    );
}

/// Jitter is taken off the nominal wait and not compounded; at the cap it is still
/// random; above it only where the kind says so.
#[test]
fn windows_say_how_each_kind_meets_the_cap() {
    let of = |spread| {
        let plan = Plan {
            attempts: 6,
            cap_ms: 400,
            spread,
            ..Plan::START
        };
        plan.windows()
            .into_iter()
            .map(|it| (it.low_ms, it.high_ms))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        of(Spread::None),
        [100.0, 200.0, 400.0, 400.0, 400.0].map(|w| (w, w))
    );
    assert_eq!(
        of(Spread::Full),
        [100.0, 200.0, 400.0, 400.0, 400.0].map(|w| (0.0, w))
    );
    assert_eq!(
        of(Spread::Equal),
        [100.0, 200.0, 400.0, 400.0, 400.0].map(|w| (w / 2.0, w))
    );
    assert_eq!(
        of(Spread::Share(0.25)),
        [100.0, 200.0, 400.0, 400.0, 400.0].map(|w| (w * 0.75, w * 1.25))
    );
    assert_eq!(
        of(Spread::Decorrelated),
        [300.0, 400.0, 400.0, 400.0, 400.0].map(|high| (100.0, high))
    );
}

#[test]
fn at_the_cap_the_wait_is_still_random() {
    for spread in [Spread::Full, Spread::Equal, Spread::Share(0.2)] {
        let plan = Plan {
            attempts: 40,
            spread,
            ..Plan::START
        };
        let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
        let mut waits = Waits::new(&plan);
        let drawn: Vec<_> = std::iter::from_fn(|| waits.draw(&mut random)).collect();
        assert_eq!(drawn.len(), 39);
        assert!(
            drawn[20..].windows(2).all(|two| two[0] != two[1]),
            "{spread:?}"
        );
    }
}

/// The herd's rows: without jitter all N in one bin; full jitter over a window w
/// gives N·Δ/w a bin on average.
#[test]
fn a_herd_is_one_bin_without_jitter_and_even_with_full() {
    let bins = |spread| {
        let plan = Plan {
            spread,
            ..Plan::START
        };
        let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
        let mut bins = [0_u32; 11];
        for _ in 0..10_000 {
            let wait = Waits::new(&plan).draw(&mut random).unwrap();
            bins[(wait / 10.0) as usize] += 1;
        }
        bins
    };
    let mut together = [0; 11];
    together[10] = 10_000;
    assert_eq!(bins(Spread::None), together);
    let even = bins(Spread::Full);
    // N·Δ/w = 1000, binomial with sd √(1000·.9) = 30: five of them for ten bins.
    assert!(
        even[..10].iter().all(|count| count.abs_diff(1000) <= 150),
        "{even:?}"
    );
    assert_eq!((even[10], even.iter().sum::<u32>()), (0, 10_000));
}

/// gRPC (A6): wait min(initial·m^(n−1), max)·random(.8, 1.2).
#[test]
fn the_grpc_row_is_a_share_of_a_fifth() {
    let plan = Plan {
        attempts: 5,
        cap_ms: 300,
        spread: Spread::Share(0.2),
        ..Plan::START
    };
    let windows: Vec<_> = plan
        .windows()
        .iter()
        .map(|it| (it.low_ms, it.high_ms))
        .collect();
    for ((low, high), nominal) in windows.into_iter().zip([100.0, 200.0, 300.0, 300.0]) {
        // One rounding of the share and one of the product.
        assert!((low - 0.8 * nominal).abs() < 1e-9, "{low}");
        assert!((high - 1.2 * nominal).abs() < 1e-9, "{high}");
    }
}

#[test]
fn retry_after_is_seconds_or_a_date_and_nothing_else() {
    // Sun, 06 Nov 1994 08:49:37 GMT, the example of RFC 9110.
    let then_ms = 784_111_777_000;
    let date = "Sun, 06 Nov 1994 08:49:37 GMT";
    for (value, now_ms, wanted) in [
        ("0", 0, Some(0)),
        ("120", 0, Some(120_000)),
        (" 3 ", 0, Some(3000)),
        ("007", 0, Some(7000)),
        (date, then_ms - 1500, Some(1500)),
        (date, then_ms, Some(0)),
        (date, then_ms + 1, Some(0)),
        ("Sunday, 06-Nov-94 08:49:37 GMT", then_ms - 1000, Some(1000)),
        ("Sun Nov  6 08:49:37 1994", then_ms - 1000, Some(1000)),
        ("99999999999999999999999", 0, Some(Ms::MAX)),
        ("-3", 0, None),
        ("+3", 0, None),
        ("1.5", 0, None),
        ("1,5", 0, None),
        ("1e3", 0, None),
        ("", 0, None),
        (" ", 0, None),
        ("soon", 0, None),
        ("NaN", 0, None),
        ("3 s", 0, None),
        ("٣", 0, None),
        ("Sun, 32 Nov 1994 08:49:37 GMT", 0, None),
    ] {
        assert_eq!(retry_after_ms(value, now_ms), wanted, "{value:?}");
    }
}

fn busy(retry_after_ms: Option<Ms>) -> Heard {
    Heard::Status {
        status: 503,
        retry_after_ms,
    }
}

#[test]
fn a_runner_counts_attempts_and_never_waits_after_the_last() {
    for attempts in [1, 4] {
        let plan = Plan {
            attempts,
            ..Plan::START
        };
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut runner = Runner::new(&plan);
        let mut waits = 0;
        let calls = loop {
            let calls = runner.send();
            match runner.next(0, Heard::Nothing, &mut random) {
                Step::Wait { .. } => waits += 1,
                Step::Stop(halt) => {
                    assert_eq!(halt, Halt::Exhausted);
                    break calls;
                }
            }
        };
        assert_eq!((calls, waits), (attempts, attempts - 1));
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut runner = Runner::new(&Plan::START);
    runner.send();
    let bad = Heard::Status {
        status: 400,
        retry_after_ms: Some(1),
    };
    assert_eq!(runner.next(0, bad, &mut random), Step::Stop(Halt::Hopeless));
}

#[test]
fn retry_after_follows_its_rule() {
    let plan = Plan {
        spread: Spread::None,
        deadline_ms: Some(10_000),
        retry_after: RetryAfter::Honour { most_ms: 5000 },
        ..Plan::START
    };
    let next = |plan: &Plan, elapsed, heard| {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        Runner::new(plan).next(elapsed, heard, &mut random)
    };
    let wait = |ms, asked| Step::Wait { ms, asked };
    assert_eq!(next(&plan, 0, busy(None)), wait(100, false));
    assert_eq!(next(&plan, 0, busy(Some(99))), wait(100, false), "a floor");
    assert_eq!(next(&plan, 0, busy(Some(3000))), wait(3000, true));
    assert_eq!(next(&plan, 0, busy(Some(5000))), wait(5000, true));
    assert_eq!(next(&plan, 0, busy(Some(5001))), Step::Stop(Halt::SentAway));
    assert_eq!(next(&plan, 7000, busy(Some(3000))), wait(3000, true));
    assert_eq!(
        next(&plan, 7001, busy(Some(3000))),
        Step::Stop(Halt::Deadline)
    );
    let deaf = Plan {
        retry_after: RetryAfter::Ignore,
        ..plan
    };
    assert_eq!(next(&deaf, 7001, busy(Some(3000))), wait(100, false));
    assert_eq!(next(&deaf, 0, busy(Some(Ms::MAX))), wait(100, false));
}

#[test]
fn a_deadline_stops_retries_and_a_timer_never_overflows() {
    let plan = Plan {
        spread: Spread::None,
        deadline_ms: Some(600),
        ..Plan::START
    };
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut runner = Runner::new(&plan);
    assert_eq!(
        runner.next(500, Heard::Nothing, &mut random),
        Step::Wait {
            ms: 100,
            asked: false
        },
        "exactly at the deadline is not after it"
    );
    assert_eq!(
        runner.next(1100, Heard::Nothing, &mut random),
        Step::Stop(Halt::Deadline)
    );
    // 2³¹−1 with +100 %: twice what a timer can run.
    let long = Plan {
        base_ms: Plan::LONGEST_TIMER,
        cap_ms: Plan::LONGEST_TIMER,
        spread: Spread::Share(1.0),
        retry_after: RetryAfter::Honour { most_ms: Ms::MAX },
        ..Plan::START
    };
    for _ in 0..100 {
        match Runner::new(&long).next(0, busy(Some(Ms::MAX)), &mut random) {
            Step::Wait { ms, asked } => assert_eq!((ms, asked), (Plan::LONGEST_TIMER, true)),
            step @ Step::Stop(_) => panic!("{step:?}"),
        }
    }
}

#[test]
fn a_policy_is_a_plan_and_back_where_nothing_is_lost() {
    let plan = Plan::from(Policy::LESSON);
    assert_eq!(plan.policy(), Some(Policy::LESSON));
    assert_eq!((plan.retries(), plan.windows().len()), (3, 3));
    for other in [
        Plan {
            spread: Spread::Decorrelated,
            ..plan
        },
        Plan {
            spread: Spread::Share(0.1),
            ..plan
        },
        Plan {
            deadline_ms: Some(1),
            ..plan
        },
        Plan {
            attempts: 0,
            ..plan
        },
    ] {
        assert_eq!(other.policy(), None);
    }
}

proptest! {
    #[test]
    fn whatever_the_plan_windows_are_numbers_in_order(plan in any_plan()) {
        let windows = plan.windows();
        prop_assert_eq!(windows.len() as u32, plan.retries());
        for it in windows {
            prop_assert!(it.low_ms >= 0.0 && it.high_ms.is_finite());
            prop_assert!(it.low_ms <= it.high_ms || matches!(plan.spread, Spread::Decorrelated));
        }
    }

    #[test]
    fn a_wait_lies_in_its_window_for_every_plan_that_passes(plan in good_plan(), seed: u64) {
        prop_assert_eq!(plan.check(), Ok(()));
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut waits = Waits::new(&plan);
        for window in plan.windows() {
            let wait = waits.draw(&mut random).unwrap();
            // The two are rounded along different ways: a few units of the last place.
            let slack = 1e-12 * window.high_ms;
            prop_assert!(window.low_ms - slack <= wait && wait <= window.high_ms + slack, "{wait} {window:?}");
        }
        prop_assert_eq!(waits.draw(&mut random), None);
    }

    #[test]
    fn a_runner_stops(plan in any_plan(), seed: u64, asked: Option<u64>, step in 0_u64..10_000) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut runner = Runner::new(&plan);
        let mut elapsed = 0_u64;
        let mut calls = 0;
        loop {
            calls = calls.max(runner.send());
            prop_assert!(calls <= plan.attempts.max(1));
            elapsed = elapsed.saturating_add(step);
            match runner.next(elapsed, busy(asked), &mut random) {
                Step::Wait { ms, .. } => {
                    prop_assert!(ms <= Plan::LONGEST_TIMER);
                    elapsed = elapsed.saturating_add(ms);
                    if let Some(deadline) = plan.deadline_ms {
                        prop_assert!(elapsed <= deadline);
                    }
                }
                Step::Stop(_) => break,
            }
        }
    }

    #[test]
    fn any_text_as_retry_after_is_survived(text: String, now: u64) {
        let _ = retry_after_ms(&text, now);
    }
}
