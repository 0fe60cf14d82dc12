//! What the page tells, worked out by hand.

use super::*;
use crate::outage::kind::Range;
use crate::outage::queue::{MOST, MOST_NOTE};
use crate::retry::Policy;

/// A server that takes everything at once and is never late.
const NO_LIMITS: HerdInputs = HerdInputs {
    clients: 1000,
    attempts: 2,
    base_ms: 100,
    factor: 2.0,
    cap_ms: 2000,
    timeout_ms: 60_000,
    capacity: 1_000_000,
    queue: 1_000_000,
    bin_ms: 10,
    seed: 1,
};

#[test]
fn a_client_and_its_retries_fit_a_key() {
    const { assert!(HerdInputs::MOST_CLIENTS <= MOST && Policy::MOST_ATTEMPTS <= MOST_NOTE) };
}

#[test]
fn without_jitter_all_clients_are_in_one_bin() {
    let herd = run(&NO_LIMITS, Kind::None);
    assert_eq!(herd.summary().peak, 1000);
    assert_eq!(herd.summary().peak_at_ms, 100);
    assert_eq!(herd.bins()[10].arrivals, 1000);
}

#[test]
fn without_jitter_the_waves_come_at_100_and_300_ms() {
    let inputs = HerdInputs {
        attempts: 3,
        ..HerdInputs::default()
    };
    let herd = run(&inputs, Kind::None);
    let waves: Vec<_> = (0_u64..)
        .zip(herd.bins())
        .filter(|(_, bin)| bin.arrivals > 0)
        .map(|(at, bin)| (at * inputs.bin_ms, bin.arrivals, bin.rejected))
        .collect();
    // One call in service and a hundred in the queue of each wave; the others are
    // refused and come again.
    assert_eq!(waves, [(100, 1000, 899), (300, 899, 798)]);
    let sum = herd.summary();
    assert_eq!((sum.served, sum.gave_up, sum.calls), (202, 798, 1899));
    // The last of the second wave has 100 before it, of 1 ms each.
    assert_eq!(sum.drained_ms, 401.0);
    assert_eq!(sum.recovered_ms, 300.0);
}

/// Each of N clients falls into a bin of Δ out of a window w with probability Δ/w,
/// so a bin holds N·Δ/w on average, with a variance of N·(Δ/w)·(1 − Δ/w). Here that
/// is 100 000 ± 300, and five standard deviations in ten bins go wrong once in
/// 170 000 seeds (two-sided 5.7e-7 a bin).
#[test]
fn full_jitter_puts_clients_times_bin_over_window_into_a_bin() {
    let inputs = HerdInputs {
        clients: 1_000_000,
        ..NO_LIMITS
    };
    let herd = run(&inputs, Kind::Full);
    let arrivals: Vec<_> = herd.bins().iter().map(|bin| bin.arrivals).collect();
    // The window is closed: one client in 100 001 draws its very end, a bin of its own.
    assert!(arrivals.len() >= 10);
    for bin in &arrivals[..10] {
        assert!((f64::from(*bin) - 100_000.0).abs() < 5.0 * 300.0, "{bin}");
    }
    assert!(arrivals[10..].iter().sum::<u32>() < 60);
}

#[test]
fn equal_jitter_keeps_the_first_half_free_and_decorrelated_starts_at_the_base() {
    let equal = run(&NO_LIMITS, Kind::Equal);
    assert!(equal.bins()[..5].iter().all(|bin| bin.arrivals == 0));
    assert!(equal.bins()[5..10].iter().all(|bin| bin.arrivals > 100));
    let decorrelated = run(&NO_LIMITS, Kind::Decorrelated);
    // Evenly from 100 to 300 ms: 50 a bin.
    assert!(
        decorrelated.bins()[..10]
            .iter()
            .all(|bin| bin.arrivals == 0)
    );
    assert!(
        decorrelated.bins()[10..30]
            .iter()
            .all(|bin| bin.arrivals > 20)
    );
}

/// Base 100, cap 1000: the share of waits that sit exactly on the cap at retries 3
/// to 8 is .148 .305 .393 .437 .461 .472. With 100 000 clients a share has a standard
/// deviation of at most .0016; five of them and the last digit of the reference.
#[test]
fn decorrelated_jitter_brings_waves_back_at_the_cap() {
    use rand::SeedableRng;
    let range = Range {
        base: 100_000,
        cap: 1_000_000,
    };
    let mut random = rand::rngs::Xoshiro256PlusPlus::seed_from_u64(1);
    let mut on_cap = [0_u32; 8];
    const CLIENTS: u32 = 100_000;
    for _ in 0..CLIENTS {
        let mut last = range.base;
        for count in &mut on_cap {
            last = Kind::Decorrelated.draw(0, range, last, &mut random);
            *count += u32::from(last == range.cap);
        }
    }
    let expected = [0.0, 0.0, 0.148, 0.305, 0.393, 0.437, 0.461, 0.472];
    for (count, expected) in on_cap.into_iter().zip(expected) {
        let share = f64::from(count) / f64::from(CLIENTS);
        assert!((share - expected).abs() < 0.009, "{share} for {expected}");
    }
}

/// Who waits in the queue longer than his time-out is served for nothing.
#[test]
fn work_for_clients_that_gave_up_is_wasted() {
    let inputs = HerdInputs {
        clients: 100,
        attempts: 2,
        capacity: 100,
        queue: 1000,
        timeout_ms: 500,
        ..NO_LIMITS
    };
    let herd = run(&inputs, Kind::None);
    let sum = herd.summary();
    // 10 ms each: the first fifty are done within 500 ms, the other fifty later.
    assert_eq!((sum.served, sum.wasted, sum.gave_up), (50, 50, 50));
    assert_eq!(sum.drained_ms, 600.0);
    assert_eq!(sum.recovered_ms, 600.0);
    assert_eq!(sum.idle_ms, 1100.0);
    assert_eq!(herd.bins()[60].timed_out, 50);
    assert_eq!(herd.bins()[60].gave_up, 50);
}

#[test]
fn jitter_gets_more_clients_through_with_fewer_refusals() {
    let mut herds = Herds::new(&HerdInputs::default());
    herds.finish();
    let [none, full, equal, decorrelated] = herds.all().each_ref().map(|herd| herd.summary());
    for jittered in [full, equal, decorrelated] {
        assert!(jittered.served > 2 * none.served);
        assert!(jittered.rejected < none.rejected);
        assert!(jittered.peak < none.peak / 2);
    }
}

/// Written down once. A change means that pictures that were shared by their URL
/// change, and the browser's test compares the same number.
#[test]
fn the_digest_of_the_default_is_known() {
    let mut herds = Herds::new(&HerdInputs::default());
    herds.finish();
    assert_eq!(herds.digest(), 5_165_943_428_793_499_351);
}

#[test]
fn steps_in_time_come_to_the_same() {
    let inputs = HerdInputs::default();
    let mut whole = Herds::new(&inputs);
    whole.finish();
    let mut steps = Herds::new(&inputs);
    let mut at = 0;
    loop {
        let before = steps.run_until(at, 0).calls;
        let progress = steps.run_until(at, 37);
        if progress.done {
            break;
        }
        if progress.calls == before {
            at += 16;
        }
    }
    assert_eq!(steps.digest(), whole.digest());
}
