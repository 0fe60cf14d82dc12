//! What the page tells, on the inputs that it opens with.

use super::*;

const SEEDS: std::ops::RangeInclusive<u64> = 1..=5;

fn back_by(outage: &Outage, ms: u64) -> bool {
    match outage.summary().recovery {
        Recovery::NeverBroke => true,
        Recovery::At { ms: at } => at <= ms,
        Recovery::Never | Recovery::Unknown => false,
    }
}

#[test]
fn waiting_longer_does_not_help_but_retrying_less_does() {
    for seed in SEEDS {
        let inputs = OutageInputs {
            seed,
            ..OutageInputs::default()
        };
        let mut outages = Outages::new(&inputs);
        outages.finish();
        for outage in outages.all() {
            let sum = outage.summary();
            let strategy = outage.strategy();
            match strategy {
                // The load is open: whoever waits longer still comes.
                Strategy::Fixed | Strategy::Backoff | Strategy::Jitter => {
                    assert_eq!(sum.recovery, Recovery::Never, "{strategy:?}");
                    assert!(sum.load > 3.0, "{strategy:?}: {}", sum.load);
                    assert_eq!(completed(outage, 40, 60), 0, "{strategy:?}");
                }
                // It remembers two minutes, so it comes back slowly.
                Strategy::Adaptive => {
                    assert!(completed(outage, 50, 60) > 2 * completed(outage, 10, 20));
                }
                Strategy::NoRetry
                | Strategy::Budget10
                | Strategy::Grpc
                | Strategy::Aws
                | Strategy::Breaker => {
                    assert!(back_by(outage, 20_000), "{strategy:?}: {sum:?}");
                    assert!(sum.load <= 1.11, "{strategy:?}: {}", sum.load);
                }
            }
        }
    }
}

#[test]
fn adaptive_throttling_is_back_when_it_has_forgotten() {
    let inputs = OutageInputs {
        seconds: 180,
        ..OutageInputs::default()
    };
    // Two minutes after the queue was bad for the last time.
    assert!(back_by(&run(&inputs, Strategy::Adaptive), 150_000));
}

#[test]
fn what_brings_it_back() {
    let with = |relief, relief_share| OutageInputs {
        relief,
        relief_share,
        ..OutageInputs::default()
    };
    for (relief, share, by_ms) in [
        // 200 calls in the queue, which 100 − 70 a second work off.
        (Relief::RetriesOff, 0, 38_000),
        // Shed from 30 to 40 s.
        (Relief::Shed, 80, 40_000),
        // All 280 calls a second fit into three times the capacity.
        (Relief::Capacity, 200, 33_000),
        (Relief::Deadlines, 0, 34_000),
    ] {
        for strategy in [Strategy::Fixed, Strategy::Jitter] {
            let outage = run(&with(relief, share), strategy);
            assert_eq!(completed(&outage, 20, 30), 0, "{relief:?} is not early");
            assert!(
                back_by(&outage, by_ms),
                "{relief:?} {strategy:?}: {:?}",
                outage.summary()
            );
        }
    }
    for (relief, share) in [
        (Relief::None, 100),
        (Relief::Shed, 40),
        (Relief::Capacity, 80),
    ] {
        let outage = run(&with(relief, share), Strategy::Fixed);
        assert_eq!(
            outage.summary().recovery,
            Recovery::Never,
            "{relief:?} is not enough"
        );
    }
    // A restart empties the queue, and is enough only where nobody comes back to fill
    // it: it depends on the moment.
    let restarted = run(&with(Relief::Restart, 0), Strategy::Fixed);
    assert!(completed(&restarted, 30, 31) > 0);
    assert!(restarted.summary().lost > 0);
}

/// While everything fails, four attempts make four times the load.
#[test]
fn the_tipping_point_lies_where_all_attempts_no_longer_fit() {
    let inputs = OutageInputs {
        loss: 100,
        fail: 0,
        seconds: 120,
        ..OutageInputs::default()
    };
    // So below a quarter of the capacity the queue always shrinks.
    let fixed = tipping_rate(&inputs, Strategy::Fixed);
    assert!(
        fixed.is_some_and(|rate| (25..=40).contains(&rate)),
        "{fixed:?}"
    );
    assert_eq!(tipping_rate(&inputs, Strategy::Breaker), None);
    // And it is the point: below it comes back, on it not.
    let at = |rate| {
        run(&OutageInputs { rate, ..inputs }, Strategy::Fixed)
            .summary()
            .recovery
    };
    let rate = fixed.unwrap_or(0);
    assert_eq!(at(rate), Recovery::Never);
    assert_ne!(at(rate - 1), Recovery::Never);
}

#[test]
fn a_verdict_needs_time_to_tell() {
    let with = |from_s, until_s| {
        let inputs = OutageInputs {
            from_s,
            until_s,
            ..OutageInputs::default()
        };
        run(&inputs, Strategy::NoRetry).summary()
    };
    assert_eq!(with(5, 58).recovery, Recovery::Unknown);
    assert_eq!(with(5, 60).recovery, Recovery::Unknown);
    assert_eq!(with(5, 600).recovery, Recovery::Unknown);
    assert_eq!(with(5, 600).goodput_after, None);
    assert_eq!(with(5, 57).recovery, Recovery::At { ms: 57_000 });
    assert_eq!(with(5, 5).recovery, Recovery::NeverBroke);
    assert_eq!(with(100, 200).recovery, Recovery::NeverBroke);
    let goodput = with(5, 10).goodput_after;
    assert!(
        goodput.is_some_and(|rate| (rate - 70.0).abs() < 3.0),
        "{goodput:?}"
    );
}

#[test]
fn latency_is_counted_from_the_arrival() {
    // Nothing waits: a turn of 10 ms and a service of 20 ms.
    let calm = OutageInputs {
        rate: 1,
        loss: 0,
        fail: 0,
        ..OutageInputs::default()
    };
    let latency = run(&calm, Strategy::Fixed).summary().latency;
    assert!(
        latency.is_some_and(|it| it.p50_ms == 30.0 && it.p99_ms < 50.0),
        "{latency:?}"
    );
    // All fail until 10 s, and the fixed wait of 1 s brings some over.
    let dead = OutageInputs {
        capacity: 1000,
        fail: 100,
        loss: 0,
        base_ms: 1000,
        ..OutageInputs::default()
    };
    let outage = run(&dead, Strategy::Fixed);
    assert_eq!(completed(&outage, 6, 10), 0);
    let by_bin = outage.latency_by_bin();
    assert_eq!(by_bin[8], None);
    // Who arrived after 7 s was tried four times, the last time after 10 s.
    assert!(by_bin[10].is_some_and(|it| it.p95_ms > 1000.0 && it.p99_ms < 3100.0));
    assert!(by_bin[20].is_some_and(|it| it.p99_ms < 200.0));
}
