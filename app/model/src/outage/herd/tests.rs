use super::*;
use crate::outage::form::{Fields, Inputs, pairs};
use crate::outage::kind::{Kind, Range};
use crate::outage::queue::{MOST, MOST_NOTE};
use crate::retry::Policy;
use proptest::prelude::*;

fn run(inputs: &HerdInputs, kind: Kind) -> Herd {
    let mut herd = Herd::new(inputs, kind);
    while !herd.run(1000).done {}
    herd
}

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

fn any_inputs() -> impl Strategy<Value = HerdInputs> {
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

    #[test]
    fn a_query_string_comes_back(inputs in any_inputs()) {
        let form = HerdForm::read(pairs(&inputs.query()));
        prop_assert_eq!(form.inputs, inputs);
        prop_assert_eq!(form.problems, Vec::new());
    }

    #[test]
    fn any_text_is_read(query in "\\PC{0,80}", junk in "[a-z=&%+0-9,.eE-]{0,60}") {
        for query in [query, junk] {
            let inputs = HerdForm::read(pairs(&query)).inputs;
            prop_assert_eq!(inputs, inputs.bounded());
        }
    }

    #[test]
    fn any_value_of_a_field_leaves_the_others_alone(field in 0_usize..10, text in "[0-9eE.,+NaninfxX -]{1,24}") {
        let field = HerdField::ALL[field];
        let form = HerdForm::read([("queue", "77"), ("seed", "5"), (field.name(), text.as_str())]);
        prop_assert_eq!(form.inputs, form.inputs.bounded());
        if field != HerdField::Queue {
            prop_assert_eq!(form.inputs.queue, 77);
        }
        match form.problem(field) {
            // Shown back as it was typed, to be mended.
            Some(_) => prop_assert_eq!(form.text(field), text),
            None => prop_assert_eq!(form.text(field), form.inputs.text(field)),
        }
    }
}

/// The inputs that broke others, and what is said about them.
#[test]
fn bad_inputs_get_a_message_beside_the_field_and_keep_the_rest() {
    use HerdField as F;
    for (query, field, said) in [
        ("clients=0", F::Clients, "at least 1"),
        ("clients=1000001", F::Clients, "at most 1000000"),
        ("clients=-5", F::Clients, "at least 1"),
        ("clients=1e30", F::Clients, "at most 1000000"),
        ("clients=many", F::Clients, "this is not a number"),
        (
            "clients=1,000",
            F::Clients,
            "is that a thousand or one? Write 1000 or 1",
        ),
        (
            "attempts=0",
            F::Attempts,
            "at least 1 attempt: the first call is one",
        ),
        ("attempts=101", F::Attempts, "at most 100 attempts"),
        ("attempts=1025", F::Attempts, "at most 100 attempts"),
        ("attempts=1,5", F::Attempts, "this has to be a whole number"),
        (
            "attempts=100&clients=1000000",
            F::Attempts,
            "that could be more than 10000000 calls; this runs with 11",
        ),
        ("factor=0", F::Factor, "at least 1"),
        ("factor=-2", F::Factor, "at least 1"),
        ("factor=0.5", F::Factor, "at least 1"),
        ("factor=NaN", F::Factor, "this has to be a finite number"),
        ("factor=inf", F::Factor, "this has to be a finite number"),
        ("factor=1e400", F::Factor, "this has to be a finite number"),
        ("timeout=0", F::Timeout, "at least 1 ms"),
        ("timeout=2147483648", F::Timeout, "at most 60000 ms"),
        ("capacity=0", F::Capacity, "at least 1"),
        ("queue=-1", F::Queue, "at least 0"),
        ("bin=0", F::Bin, "at least 1 ms"),
        ("seed=1,5", F::Seed, "this has to be a whole number"),
        (
            "seed=18446744073709551615",
            F::Seed,
            "at most 9007199254740991",
        ),
        (
            "base=500&cap=100",
            F::Cap,
            "the cap is below the first wait; this runs with a cap of 500 ms",
        ),
    ] {
        let query = format!("base=40&bin=7&{query}");
        let form = HerdForm::read(pairs(&query));
        let problems: Vec<_> = form
            .problems
            .iter()
            .map(|it| (it.field, it.to_string()))
            .collect();
        assert_eq!(problems, [(field, said.to_owned())], "{query}");
        // The others are kept.
        if field != F::Cap {
            assert_eq!(form.inputs.base_ms, 40, "{query}");
        }
        if field != F::Bin {
            assert_eq!(form.inputs.bin_ms, 7, "{query}");
        }
        // It runs, whatever was typed; fewer clients, so that the test is short.
        let small = HerdInputs {
            clients: 50,
            ..form.inputs
        };
        assert!(
            run(&small, Kind::Decorrelated).summary().calls > 0,
            "{query}"
        );
    }
    let form = HerdForm::read(pairs("factor=1,5&seed=9007199254740991&base=&x=1"));
    assert_eq!((form.inputs.factor, form.inputs.base_ms), (1.5, 100));
    assert_eq!(
        (form.inputs.seed, form.problems),
        ((1 << 53) - 1, Vec::new())
    );
}

/// Fields are public: what nobody would type has to be harmless as well.
#[test]
fn inputs_beyond_all_limits_are_bounded() {
    let wild = HerdInputs {
        clients: u32::MAX,
        attempts: u32::MAX,
        base_ms: u64::MAX,
        factor: f64::NAN,
        cap_ms: 0,
        timeout_ms: u64::MAX,
        capacity: 0,
        queue: u32::MAX,
        bin_ms: 0,
        seed: u64::MAX,
    };
    let bounded = wild.bounded();
    assert_eq!(bounded.mended(), (bounded, Vec::new()));
    assert_eq!(HerdForm::read(pairs(&bounded.query())).problems, Vec::new());
    let mut herd = Herd::new(&wild, Kind::Decorrelated);
    assert_eq!(herd.run(HerdInputs::MOST_CLIENTS).calls, 0);
    assert_eq!(herd.run(10).calls, 10);
}
