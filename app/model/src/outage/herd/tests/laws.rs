//! What holds for any inputs.

use super::*;
use proptest::prelude::*;

pub(super) fn any_inputs() -> impl Strategy<Value = HerdInputs> {
    (
        (1_u32..400, 1_u32..12, 0_u64..300, 1.0_f64..4.0, 0_u64..900),
        (
            1_u64..700,
            1_u32..5000,
            0_u32..300,
            1_u64..50,
            0_u64..1 << 53,
        ),
    )
        .prop_map(
            |(
                (clients, attempts, base_ms, factor, more),
                (timeout_ms, capacity, queue, bin_ms, seed),
            )| {
                HerdInputs {
                    clients,
                    attempts,
                    base_ms,
                    factor,
                    cap_ms: base_ms + more,
                    timeout_ms,
                    capacity,
                    queue,
                    bin_ms,
                    seed,
                }
            },
        )
}

proptest! {
    #[test]
    fn nothing_is_lost(inputs in any_inputs(), slice in 1_u32..2000) {
        for kind in Kind::ALL {
            let mut herd = Herd::new(&inputs, kind);
            loop {
                let progress = herd.run(slice);
                let sum = herd.summary();
                prop_assert_eq!(sum.calls, sum.served + sum.wasted + sum.rejected);
                prop_assert_eq!(u64::from(inputs.clients), sum.served + sum.gave_up + progress.waiting);
                if progress.done {
                    break;
                }
            }
            let sum = herd.summary();
            let retries = u64::from(inputs.attempts - 1);
            prop_assert!(sum.calls <= u64::from(inputs.clients) * retries);
            // Whoever gave up has used every retry.
            prop_assert_eq!(sum.calls - sum.served >= sum.gave_up * retries, true);
            let total = |of: fn(&Bin) -> u32| herd.bins().iter().map(|bin| u64::from(of(bin))).sum::<u64>();
            let end = sum.idle_ms.max(sum.drained_ms).max(sum.recovered_ms);
            if end < (HerdInputs::MOST_BINS as u64 * inputs.bin_ms) as f64 {
                prop_assert_eq!(total(|bin| bin.arrivals), sum.calls);
                prop_assert_eq!(total(|bin| bin.served), sum.served);
                prop_assert_eq!(total(|bin| bin.wasted), sum.wasted);
                prop_assert_eq!(total(|bin| bin.rejected), sum.rejected);
                prop_assert_eq!(total(|bin| bin.timed_out), sum.wasted);
                let peak = herd.bins().iter().map(|bin| bin.arrivals).max().unwrap_or(0);
                prop_assert_eq!(peak, sum.peak);
            }
            // The server is not faster than it is.
            prop_assert!(sum.idle_ms * f64::from(inputs.capacity) >= (sum.served + sum.wasted) as f64 * 999.0);
            // The last failure is its client's last event, or another call follows it.
            prop_assert!(sum.recovered_ms <= sum.drained_ms);
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_digest(inputs in any_inputs(), slice in 1_u32..500) {
        let mut whole = Herds::new(&inputs);
        whole.finish();
        let mut slices = Herds::new(&inputs);
        while !slices.run(slice).done {}
        prop_assert_eq!(whole.digest(), slices.digest());
        prop_assert_eq!(whole.all().each_ref().map(Herd::summary), slices.all().each_ref().map(Herd::summary));
    }
}
