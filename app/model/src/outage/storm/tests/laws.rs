//! What holds for any inputs.

use super::*;
use crate::outage::Strategy;
use proptest::prelude::*;
use proptest::strategy::Strategy as _;

pub(super) fn any_inputs() -> impl proptest::strategy::Strategy<Value = OutageInputs> {
    (
        (1_u32..60, 1_u32..12, 1_u32..5, 1_u32..200, 0_u32..80),
        (0_u64..60, 1_u64..900, 1_u32..8, 0_u64..400, 1.0_f64..3.0),
        (0_u64..500, 0_u32..12, 0_u32..8, 0_u32..=100, 0_u32..=100),
        (0_usize..Relief::ALL.len(), 0_u32..12, 0_u32..5, 0_u32..300),
        (10_u64..2000, 0_u64..1 << 53),
    )
        .prop_map(
            |(load, call, outage, relief, (bin_ms, seed))| OutageInputs {
                rate: load.0,
                seconds: load.1,
                clients: load.2,
                capacity: load.3,
                queue: load.4,
                service_ms: call.0,
                timeout_ms: call.1,
                attempts: call.2,
                base_ms: call.3,
                factor: call.4,
                cap_ms: call.3 + outage.0,
                from_s: outage.1,
                until_s: outage.1 + outage.2,
                loss: outage.3,
                fail: outage.4,
                relief: Relief::ALL[relief.0],
                relief_at_s: relief.1,
                relief_for_s: relief.2,
                relief_share: relief.3,
                bin_ms,
                seed,
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn nothing_is_lost(inputs in any_inputs(), slice in 1_u32..3000) {
        let mut outages = Outages::new(&inputs);
        loop {
            let done = outages.run(slice).done;
            for outage in outages.all() {
                let it = outage.summary();
                // Every call comes to one end.
                prop_assert_eq!(
                    it.sent,
                    it.served + it.wasted + it.rejected + it.errors + it.shed + it.lost + it.expired
                );
                prop_assert!(it.completed <= it.served);
                prop_assert!(it.completed + it.failed <= it.offered);
            }
            if done {
                break;
            }
        }
        let first = &outages.all()[0];
        for outage in outages.all() {
            let it = outage.summary();
            let bins = outage.bins();
            // Every request comes to one end.
            prop_assert_eq!(it.offered, u64::from(inputs.requests()));
            prop_assert_eq!(it.completed + it.failed, it.offered);
            prop_assert_eq!(it.completed, it.served);
            prop_assert!(it.wasted + it.expired <= it.timed_out);
            let attempts = outage.strategy().attempts(inputs.attempts);
            prop_assert!(it.sent <= it.offered * u64::from(attempts));
            let total = |of: fn(&OutageBin) -> u32| bins.iter().map(|bin| u64::from(of(bin))).sum::<u64>();
            prop_assert_eq!(total(|bin| bin.offered), it.offered);
            prop_assert_eq!(total(|bin| bin.sent), it.sent);
            prop_assert_eq!(total(|bin| bin.completed), it.completed);
            prop_assert_eq!(total(|bin| bin.failed), it.failed);
            prop_assert_eq!(total(|bin| bin.held), it.held);
            prop_assert_eq!(total(|bin| bin.rejected), it.rejected);
            prop_assert_eq!(total(|bin| bin.timed_out), it.timed_out);
            // The arrivals are the same for all.
            for (ours, theirs) in bins.iter().zip(first.bins()) {
                prop_assert_eq!(ours.offered, theirs.offered);
                prop_assert!(ours.inside <= inputs.queue + 1);
            }
            for number in [it.success, it.load, it.goodput_after.unwrap_or(0.0)] {
                prop_assert!(number.is_finite() && number >= 0.0);
            }
            if let Some(latency) = it.latency {
                prop_assert!(latency.p50_ms >= inputs.service_ms as f64);
                prop_assert!(latency.p50_ms <= latency.p95_ms && latency.p95_ms <= latency.p99_ms);
                let waits = inputs.windows(attempts).iter().sum::<u64>() as f64 / 1000.0 * 1.2;
                let most = f64::from(attempts) * inputs.timeout_ms as f64 + waits;
                prop_assert!(latency.p99_ms <= most + 0.001);
            }
            prop_assert_eq!(outage.latency_by_bin().len(), bins.len());
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_digest(inputs in any_inputs(), slice in 1_u32..500, step in 1_u64..3000) {
        let mut whole = Outages::new(&inputs);
        whole.finish();
        let mut slices = Outages::new(&inputs);
        while !slices.run(slice).done {}
        prop_assert_eq!(whole.digest(), slices.digest());
        let mut steps = Outages::new(&inputs);
        let mut at = 0;
        while !steps.run_until(at, u32::MAX).done {
            at += step;
        }
        prop_assert_eq!(whole.digest(), steps.digest());
        let one = run(&inputs, Strategy::Jitter);
        prop_assert_eq!(one.digest(), whole.all()[3].digest());
    }
}

/// Written down once. A change means that pictures that were shared by their URL
/// change, and the browser's test compares the same number.
#[test]
fn the_digest_of_the_default_is_known() {
    let mut outages = Outages::new(&OutageInputs::default());
    outages.finish();
    assert_eq!(outages.digest(), 18_341_013_137_458_281_755);
}
