//! The calculator's rows of the reference results. Where a row is given to some
//! decimals the tolerance is half of the last one, since the figure here is exact.

use super::series::Series;
use super::subsets::Subsets;
use super::*;
use crate::retry::plan::any::good_plan;
use crate::retry::plan::{Plan, Spread, Window};
use proptest::prelude::*;

fn near(given: f64, wanted: f64, within: f64) {
    assert!(
        (given - wanted).abs() <= within,
        "{given} is not {wanted} ± {within}"
    );
}

fn plan(attempts: u32, spread: Spread) -> Plan {
    Plan {
        attempts,
        spread,
        ..Plan::START
    }
}

fn exact(figure: Figure) -> f64 {
    assert!(figure.is_exact(), "{figure:?}");
    figure.value
}

fn standard_error(figure: Figure) -> f64 {
    match figure.basis {
        Basis::Sampled { standard_error } => standard_error,
        _ => panic!("{figure:?}"),
    }
}

#[test]
fn success_and_attempts() {
    for (p, n, success, attempts) in [
        (0.5, 3, 0.875, 1.75),
        (0.5, 4, 0.9375, 1.875),
        (0.1, 3, 0.999, 1.11),
        (1.0, 4, 0.0, 4.0),
        (0.0, 4, 1.0, 1.0),
        (0.3, 1, 0.7, 1.0),
    ] {
        let answers = Answers::of(&plan(n, Spread::Full), p, 1);
        // Sums of a few products: a few units of the last place.
        near(exact(answers.success), success, 1e-15);
        near(exact(answers.expected_attempts), attempts, 1e-15);
    }
}

#[test]
fn expected_wait_counts_each_wait_by_the_chance_that_it_comes() {
    for (p, wanted) in [(0.1, 6.24), (0.5, 100.0), (1.0, 750.0)] {
        let answers = Answers::of(&plan(5, Spread::Full), p, 1);
        // .1·50 + .01·100 + .001·200 + .0001·400 = 6.24 exactly; rounding only.
        near(exact(answers.expected_wait), wanted, 1e-9);
        let answers = Answers::of(&plan(5, Spread::None), p, 1);
        near(exact(answers.expected_wait), 2.0 * wanted, 1e-9);
        let answers = Answers::of(&plan(5, Spread::Equal), p, 1);
        near(exact(answers.expected_wait), 1.5 * wanted, 1e-9);
        let answers = Answers::of(&plan(5, Spread::Share(0.2)), p, 1);
        near(exact(answers.expected_wait), 2.0 * wanted, 1e-9);
    }
}

#[test]
fn the_worst_is_every_time_out_and_every_ceiling() {
    let answers = Answers::of(&plan(5, Spread::Full), 0.1, 1);
    assert_eq!(exact(answers.worst_wait), 1500.0);
    assert_eq!(exact(answers.worst_total), 5.0 * 500.0 + 1500.0);
    let once = Answers::of(&plan(1, Spread::Full), 0.1, 1);
    assert_eq!(
        (exact(once.worst_wait), exact(once.worst_total)),
        (0.0, 500.0)
    );
    assert_eq!(exact(once.wait_p99), 0.0);
}

/// Windows 100, 200, 400, 800.
#[test]
fn full_jitter_has_the_quantiles_of_the_exact_sum() {
    let answers = Answers::of(&plan(5, Spread::Full), 1.0, 1);
    near(exact(answers.wait_p50), 750.0, 0.005);
    near(exact(answers.wait_p90), 1105.39, 0.005);
    near(exact(answers.wait_p95), 1183.17, 0.005);
    near(exact(answers.wait_p99), 1298.72, 0.005);
    // sd² = Σ w²/12 = 850 000/12.
    near((850_000.0_f64 / 12.0).sqrt(), 266.15, 0.005);
    let n = answers.sample.draws() as f64;
    let mean = answers.sample.totals_ms().iter().sum::<f64>() / n;
    let squares: f64 = answers
        .sample
        .totals_ms()
        .iter()
        .map(|it| (it - mean).powi(2))
        .sum();
    // The standard error of an sd is about sd/√(2n) = 1.9; four of them.
    near((squares / n).sqrt(), 266.15, 7.6);
    near(mean, 750.0, 4.0 * 266.15 / n.sqrt());
}

#[test]
fn six_capped_retries_have_the_p99_of_the_reference() {
    let capped = Plan {
        cap_ms: 1000,
        ..plan(7, Spread::Full)
    };
    near(exact(Answers::of(&capped, 1.0, 1).wait_p99), 2834.41, 0.005);
}

#[test]
fn equal_jitter_is_half_fixed_and_half_full() {
    let answers = Answers::of(&plan(5, Spread::Equal), 1.0, 1);
    near(exact(answers.wait_p50), 1125.0, 0.005);
    near(exact(answers.expected_wait), 1125.0, 1e-9);
    near(exact(answers.wait_p99), 1399.36, 0.005);
    let full = Answers::of(&plan(5, Spread::Full), 1.0, 1);
    near(
        answers.wait_p95.value,
        750.0 + full.wait_p95.value / 2.0,
        1e-6,
    );
}

#[test]
fn share_jitter_is_the_nominal_sum_less_the_share_and_a_scaled_full() {
    let answers = Answers::of(&plan(5, Spread::Share(0.2)), 1.0, 1);
    let full = Answers::of(&plan(5, Spread::Full), 1.0, 1);
    for (share, full) in [
        (answers.wait_p50, full.wait_p50),
        (answers.wait_p99, full.wait_p99),
    ] {
        near(exact(share), 1500.0 * 0.8 + 0.4 * exact(full), 1e-6);
    }
}

#[test]
fn without_jitter_there_is_one_value() {
    let answers = Answers::of(&plan(4, Spread::None), 1.0, 1);
    for figure in [answers.wait_p50, answers.wait_p99, answers.worst_wait] {
        assert_eq!(exact(figure), 700.0);
    }
    assert_eq!(answers.sum.unwrap().point_ms(), Some(700.0));
}

/// Uncapped means 1.5·E + .5·base: 200, 350, 575, 912.5 for base 100.
#[test]
fn decorrelated_means_are_exact_while_the_cap_is_out_of_reach() {
    let far = Plan {
        cap_ms: 100_000,
        ..plan(5, Spread::Decorrelated)
    };
    let means: Vec<_> = piles(&far, 10, 1)
        .iter()
        .map(|it| exact(it.mean_ms))
        .collect();
    assert_eq!(means, [200.0, 350.0, 575.0, 912.5]);
    assert!(piles(&far, 10, 1).iter().all(|it| exact(it.at_cap) == 0.0));
    let answers = Answers::of(&far, 0.5, 1);
    near(
        exact(answers.expected_wait),
        0.5 * 200.0 + 0.25 * 350.0 + 0.125 * 575.0 + 0.0625 * 912.5,
        1e-9,
    );
    // And the draws agree with the formula: four standard errors.
    let drawn = answers.sample.wait();
    near(
        drawn.value,
        answers.expected_wait.value,
        4.0 * standard_error(drawn),
    );
    assert_eq!(exact(answers.worst_wait), 300.0 + 900.0 + 2700.0 + 8100.0);
}

/// Base 100, cap 1000, by Monte Carlo: ours against theirs. Their figures are given
/// to the millisecond and to three decimals, from a sample that is not stated; ours
/// has 200 000 draws, four standard errors of which are at most 3.3 ms and .0045.
/// Theirs is allowed the same, and the last digit.
#[test]
fn decorrelated_jitter_piles_up_on_its_cap() {
    let capped = Plan {
        cap_ms: 1000,
        ..plan(9, Spread::Decorrelated)
    };
    let piles = piles(&capped, 200_000, 1);
    for (pile, wanted) in piles.iter().zip([200.0, 350.0, 522.0, 626.0, 680.0, 707.0]) {
        near(pile.mean_ms.value, wanted, 2.0 * 3.3 + 0.5);
        if pile.retry > 2 {
            assert!(4.0 * standard_error(pile.mean_ms) <= 3.3);
        }
    }
    for (pile, wanted) in piles[2..]
        .iter()
        .zip([0.148, 0.305, 0.393, 0.437, 0.461, 0.472])
    {
        near(pile.at_cap.value, wanted, 2.0 * 0.0045 + 0.0005);
        assert!(4.0 * standard_error(pile.at_cap) <= 0.0045);
    }
    // 2000/2900, given to three decimals.
    near(stays_on_cap(&capped).unwrap(), 0.690, 0.0005);
    let flat = Plan {
        cap_ms: 100,
        ..capped
    };
    assert_eq!(stays_on_cap(&flat), None);
    assert!(super::piles(&plan(9, Spread::Full), 10, 1).is_empty());
}

#[test]
fn given_the_cap_the_next_wait_is_the_cap_as_often_as_the_formula_says() {
    use crate::retry::plan::Waits;
    use rand::SeedableRng;
    use rand::rngs::Xoshiro256PlusPlus;
    let capped = Plan {
        cap_ms: 1000,
        ..plan(100, Spread::Decorrelated)
    };
    let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
    let (mut capped_before, mut again) = (0.0_f64, 0.0_f64);
    for _ in 0..1000 {
        let mut waits = Waits::new(&capped);
        let mut before = 0.0;
        while let Some(wait) = waits.draw(&mut random) {
            if before == 1000.0 {
                capped_before += 1.0;
                again += f64::from(u8::from(wait == 1000.0));
            }
            before = wait;
        }
    }
    // Some 47 000 Bernoulli draws: sd √(.69·.31/47 000) = .0021; four of them.
    near(again / capped_before, 2000.0 / 2900.0, 0.0085);
}

/// Exact by whole numbers: d!·Πw·F(x) = Σ over subsets A of (−1)^|A|·(x − Σ_A)^d.
fn exactly(widths: &[i128], x: i128) -> f64 {
    let d = widths.len() as u32;
    let mut terms = vec![(0_i128, 1_i128)];
    for width in widths {
        let more: Vec<_> = terms
            .iter()
            .map(|(sum, sign)| (sum + width, -sign))
            .collect();
        terms.extend(more);
    }
    let numerator: i128 = terms
        .iter()
        .filter(|(sum, _)| *sum < x)
        .map(|(sum, sign)| sign * (x - sum).pow(d))
        .sum();
    let factorial: i128 = (1..=i128::from(d)).product();
    let product: i128 = widths.iter().product();
    numerator as f64 / (factorial as f64 * product as f64)
}

fn windows(widths: &[i128]) -> Vec<Window> {
    widths
        .iter()
        .map(|width| Window {
            low_ms: 0.0,
            high_ms: *width as f64,
        })
        .collect()
}

/// Both ways against whole numbers, where the naive formula in floating point would
/// have no digit left: ten doubling windows, fourteen equal ones.
#[test]
fn both_ways_agree_with_exact_arithmetic() {
    let doubling: Vec<i128> = (0..10).map(|k| 1 << k).collect();
    for widths in [
        vec![1],
        vec![1, 1],
        vec![3, 1],
        vec![1, 2, 4, 8],
        vec![5; 8],
        vec![1; 14],
        vec![1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3],
        vec![1, 10, 100, 1000],
        doubling,
    ] {
        let sum = Sum::new(&windows(&widths));
        let total: i128 = widths.iter().sum();
        for x in 0..=total.min(60) {
            near(sum.cdf(x as f64), exactly(&widths, x), 2e-10);
        }
        for x in [total / 4, total / 3, total / 2] {
            near(sum.cdf(x as f64), exactly(&widths, x), 2e-10);
            near(
                sum.cdf((total - x) as f64),
                1.0 - exactly(&widths, x),
                2e-10,
            );
        }
        assert_eq!(sum.within_ms(), 0.0, "{widths:?}");
    }
}

#[test]
fn the_two_ways_agree_with_each_other() {
    for parts in [
        vec![0.125; 8],
        vec![0.4, 0.3, 0.2, 0.06, 0.04],
        vec![0.2; 5],
    ] {
        let subsets = Subsets::new(&parts, 1e-10).unwrap();
        let series = Series::new(&parts, 1e-10).unwrap();
        for step in 0..=50 {
            let x = f64::from(step) / 100.0;
            near(series.cdf(x), subsets.cdf(x), 2e-10);
        }
    }
}

#[test]
fn what_would_cancel_is_refused() {
    // Ten doubling windows lose all digits, and eight of them too many.
    let doubling: Vec<f64> = (0..8).map(|k| f64::from(1 << k) / 255.0).collect();
    assert!(Subsets::new(&doubling, 1e-10).is_none());
    assert!(Subsets::new(&[], 1e-10).is_none());
    assert!(Subsets::new(&[1.0 / 9.0; 9], 1e-10).is_none());
}

#[test]
fn very_unequal_windows_are_merged_and_that_is_said() {
    let wild = Plan {
        attempts: 4,
        base_ms: 1,
        factor: 1_000_000.0,
        cap_ms: Plan::LONGEST_TIMER,
        ..Plan::START
    };
    let answers = Answers::of(&wild, 1.0, 1);
    assert_eq!(answers.wait_p50.basis, Basis::Within { most: 0.5 });
    // One millisecond, a million of them and the cap: the middle of the sum.
    near(
        answers.wait_p50.value,
        (1.0 + 1e6 + Plan::LONGEST_TIMER as f64) / 2.0,
        0.5 + 1e-3,
    );
}

/// Irwin–Hall for as many as there can be: by then it is normal with the variance
/// d/12 to far below what is asserted. (Berry–Esseen would only promise .02; the
/// first correction term for a symmetric sum, kurtosis −1.2/d, is below 1e-4.)
#[test]
fn a_thousand_windows_are_as_good_as_normal() {
    let many = Plan {
        attempts: 1000,
        factor: 1.0,
        ..Plan::START
    };
    let answers = Answers::of(&many, 1.0, 1);
    let (mean, sd) = (999.0 * 50.0, (999.0_f64 / 12.0).sqrt() * 100.0);
    near(exact(answers.wait_p50), mean, 1e-3);
    // z of .99 is 2.326348; 1e-4 of probability is .004 sd there.
    near(exact(answers.wait_p99), mean + 2.326_348 * sd, 0.004 * sd);
}

/// The sample lies over the formula: Kolmogorov's distance for 10 000 draws exceeds
/// 2.2/√n once in ten thousand seeds.
#[test]
fn the_sample_follows_the_formula() {
    for spread in [Spread::Full, Spread::Equal, Spread::Share(0.3)] {
        for attempts in [2, 5, 12, 30] {
            let answers = Answers::of(&plan(attempts, spread), 0.6, 9);
            let sum = answers.sum.unwrap();
            let n = answers.sample.draws() as f64;
            for (rank, total) in (1..).zip(answers.sample.totals_ms()) {
                near(f64::from(rank) / n, sum.cdf(*total), 2.2 / n.sqrt());
            }
            let latency = answers.latency.unwrap();
            for (rank, added) in (1..).zip(answers.sample.added_ms()) {
                // The mass at zero is one step of many ranks.
                if *added > 0.0 {
                    near(f64::from(rank) / n, latency.cdf(*added), 2.2 / n.sqrt());
                }
            }
            let zero = answers
                .sample
                .added_ms()
                .iter()
                .filter(|it| **it == 0.0)
                .count();
            near(zero as f64 / n, 0.4, 4.0 * (0.24 / n).sqrt());
        }
    }
}

#[test]
fn added_latency_is_nothing_for_most() {
    let latency = Latency::new(&plan(4, Spread::Full), 0.1).unwrap();
    assert_eq!(latency.none, 0.9);
    assert_eq!(latency.cdf(0.0), 0.9);
    assert_eq!(latency.quantile_ms(0.9), 0.0);
    // 5 % wait longer: half of those who wait at all. One wait of U(0, 100) nearly
    // always, so somewhat over 50 ms.
    let half = latency.quantile_ms(0.95);
    near(latency.cdf(half), 0.95, 1e-9);
    assert!(half > 50.0 && half < 60.0, "{half}");
    near(latency.cdf(700.0), 1.0, 1e-12);
    let fixed = Latency::new(&plan(4, Spread::None), 0.1).unwrap();
    // Steps at 100 (.09), 300 (.009) and 700 (.001).
    for (probability, wanted) in [
        (0.9, 0.0),
        (0.901, 100.0),
        (0.989, 100.0),
        (0.995, 300.0),
        (0.9995, 700.0),
    ] {
        assert_eq!(fixed.quantile_ms(probability), wanted, "{probability}");
    }
    let never = Latency::new(&plan(1, Spread::Full), 0.5).unwrap();
    assert_eq!((never.none, never.quantile_ms(0.99)), (1.0, 0.0));
    let always = Latency::new(&plan(5, Spread::Full), 1.0).unwrap();
    near(always.quantile_ms(0.99), 1298.72, 0.005);
}

#[test]
fn a_deadline_ends_the_sequence() {
    // Attempts at 0, 600, 1300, 2200 without jitter.
    let none = |deadline_ms| Plan {
        deadline_ms: Some(deadline_ms),
        ..plan(4, Spread::None)
    };
    for (deadline, made, wait) in [
        (2200, 4, 700.0),
        (2199, 3, 300.0),
        (1300, 3, 300.0),
        (600, 2, 100.0),
        (599, 1, 0.0),
        (1, 1, 0.0),
    ] {
        let answers = Answers::of(&none(deadline), 0.5, 1);
        near(exact(answers.success), 1.0 - 0.5_f64.powi(made), 1e-15);
        near(
            exact(answers.expected_attempts),
            2.0 - 0.5_f64.powi(made - 1),
            1e-15,
        );
        assert_eq!(exact(answers.wait_p99), wait, "{deadline}");
        assert_eq!(exact(answers.worst_wait), wait, "{deadline}");
        assert_eq!(exact(answers.worst_total), f64::from(made) * 500.0 + wait);
    }
    let all_fail = Answers::of(&none(2199), 1.0, 1);
    assert_eq!(exact(all_fail.expected_wait), 300.0);
    assert_eq!(exact(all_fail.expected_attempts), 3.0);
}

/// Full jitter under a deadline: the chance that each attempt starts has a closed
/// form, the rest is drawn, and the two agree.
#[test]
fn a_deadline_under_jitter_is_exact_where_it_can_be() {
    let tight = Plan {
        deadline_ms: Some(1300),
        ..plan(4, Spread::Full)
    };
    let answers = Answers::of(&tight, 1.0, 3);
    // The second always starts by 600; the third by 1300 even if both waits are at
    // their most; the fourth needs the three waits to stay below −200: never.
    assert_eq!(exact(answers.expected_attempts), 3.0);
    let tighter = Plan {
        deadline_ms: Some(1100),
        ..tight
    };
    let answers = Answers::of(&tighter, 1.0, 3);
    // U(0, 100) + U(0, 200) ≤ 100 in a quarter of the cases.
    near(exact(answers.expected_attempts), 2.25, 1e-9);
    let reach: Vec<_> = answers.reach.iter().map(|it| exact(*it)).collect();
    assert_eq!((reach[0], reach[1], reach[3]), (1.0, 1.0, 0.0));
    near(reach[2], 0.25, 1e-9);
    let drawn = answers.sample.reach(2);
    near(drawn.value, 0.25, 4.0 * standard_error(drawn));
    near(
        answers.sample.attempts().value,
        2.25,
        4.0 * standard_error(answers.sample.attempts()),
    );
    assert!(!answers.expected_wait.is_exact() && !answers.wait_p99.is_exact());
    // 50 ms for the first wait, and the second where both fit:
    // ∫ over a+b ≤ 100 of b = 100³/6, over 100·200.
    near(
        answers.expected_wait.value,
        50.0 + 100.0_f64.powi(3) / 6.0 / 20_000.0,
        4.0 * standard_error(answers.expected_wait),
    );
    assert_eq!(exact(answers.worst_wait), 100.0);
    assert_eq!(exact(answers.worst_total), 1600.0);
    let idle = Plan {
        deadline_ms: Some(100_000),
        ..tight
    };
    assert!(
        Answers::of(&idle, 0.5, 3).wait_p99.is_exact(),
        "it never bites"
    );
}

/// Decorrelated jitter under a deadline: everything is drawn, and says so.
#[test]
fn a_deadline_under_decorrelated_jitter_is_drawn() {
    let tight = Plan {
        deadline_ms: Some(800),
        ..plan(4, Spread::Decorrelated)
    };
    let answers = Answers::of(&tight, 1.0, 3);
    // 500 and a wait of U(100, 300) are within 800 always; the third attempt would
    // start at 1200 at the earliest.
    let reach: Vec<_> = answers.reach.iter().map(|it| it.value).collect();
    assert_eq!(reach, [1.0, 1.0, 0.0, 0.0]);
    assert!(!answers.success.is_exact() && !answers.wait_p50.is_exact());
    near(answers.expected_attempts.value, 2.0, 1e-12);
    // U(100, 300): sd 200/√12.
    near(answers.expected_wait.value, 200.0, 4.0 * 57.74 / 100.0);
}

#[test]
fn the_time_line_adds_up() {
    let slots = schedule(&Plan {
        deadline_ms: Some(1300),
        ..plan(4, Spread::Full)
    });
    let starts: Vec<_> = slots
        .iter()
        .map(|it| (it.attempt, it.starts.low_ms, it.starts.high_ms, it.fits))
        .collect();
    assert_eq!(
        starts,
        [
            (1, 0.0, 0.0, Fits::Always),
            (2, 500.0, 600.0, Fits::Always),
            (3, 1000.0, 1300.0, Fits::Always),
            (4, 1500.0, 2200.0, Fits::Never),
        ]
    );
    assert_eq!(slots[3].nominal_ms, Some(400.0));
    let tight = schedule(&Plan {
        deadline_ms: Some(1200),
        ..plan(4, Spread::Full)
    });
    assert_eq!(tight[2].fits, Fits::Perhaps);
}

#[test]
fn the_histogram_counts_every_draw_once() {
    let answers = Answers::of(&plan(5, Spread::Full), 0.5, 1);
    let counts = answers.sample.histogram(0.0, 1500.0, 30);
    assert_eq!(counts.iter().sum::<u32>() as usize, answers.sample.draws());
    let sum = answers.sum.unwrap();
    for (bin, count) in counts.into_iter().enumerate() {
        let share = sum.cdf((bin as f64 + 1.0) * 50.0) - sum.cdf(bin as f64 * 50.0);
        let n = answers.sample.draws() as f64;
        // A binomial: five standard deviations for thirty bins, and one draw.
        near(
            f64::from(count) / n,
            share,
            5.0 * (share * (1.0 - share) / n).sqrt() + 1.0 / n,
        );
    }
    assert_eq!(
        answers.sample.histogram(0.0, 0.0, 3).iter().sum::<u32>(),
        10_000
    );
    assert!(answers.sample.histogram(0.0, 1.0, 0).is_empty());
}

#[test]
fn the_same_seed_gives_the_same_sample() {
    let one = Answers::of(&plan(5, Spread::Decorrelated), 0.5, 1);
    let same = Answers::of(&plan(5, Spread::Decorrelated), 0.5, 1);
    let other = Answers::of(&plan(5, Spread::Decorrelated), 0.5, 2);
    assert_eq!(one.sample.totals_ms(), same.sample.totals_ms());
    assert_ne!(one.sample.totals_ms(), other.sample.totals_ms());
}

fn finite(figure: Figure) -> bool {
    figure.value.is_finite()
        && figure.value >= 0.0
        && match figure.basis {
            Basis::Exact => true,
            Basis::Within { most: error }
            | Basis::Sampled {
                standard_error: error,
            } => error.is_finite() && error >= 0.0,
        }
}

/// Plans whose waits do not depend on each other: each has a window of its own.
fn with_windows() -> impl Strategy<Value = Plan> {
    good_plan().prop_map(|plan| Plan {
        spread: match plan.spread {
            Spread::Decorrelated => Spread::Full,
            spread => spread,
        },
        ..plan
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    /// Never NaN, never a panic, never an endless loop; and every figure within what
    /// the plan allows.
    #[test]
    fn any_plan_has_answers(plan in good_plan(), p in prop_oneof![Just(0.0), Just(1.0), 0.0..=1.0_f64, Just(f64::NAN)], seed: u64) {
        let answers = Answers::of(&plan, p, seed);
        let waits = [answers.wait_p50, answers.wait_p90, answers.wait_p95, answers.wait_p99];
        for figure in waits {
            prop_assert!(finite(figure), "{figure:?}");
            // Rounding of a sum of up to a thousand waits.
            prop_assert!(figure.value <= answers.worst_wait.value * (1.0 + 1e-9) + 1e-6, "{figure:?} {:?}", answers.worst_wait);
        }
        prop_assert!(waits.is_sorted_by(|a, b| a.value <= b.value));
        for figure in [answers.success, answers.expected_attempts, answers.expected_wait, answers.worst_wait, answers.worst_total] {
            prop_assert!(finite(figure), "{figure:?}");
        }
        prop_assert!(answers.success.value <= 1.0);
        prop_assert!(answers.expected_attempts.value <= f64::from(plan.attempts) * (1.0 + 1e-12));
        prop_assert!(answers.expected_wait.value <= answers.worst_wait.value * (1.0 + 1e-9) + 1e-6);
        if let Some(latency) = answers.latency {
            for q in [0.0, 0.5, 0.99, 1.0, f64::NAN] {
                let ms = latency.quantile_ms(q);
                prop_assert!((0.0..=latency.high_ms()).contains(&ms), "{q} {ms}");
            }
        }
    }

    #[test]
    fn a_distribution_rises_and_its_quantiles_invert_it(plan in with_windows(), q in 0.001..0.999_f64) {
        let sum = Sum::new(&plan.windows());
        let (low, high) = (sum.low_ms(), sum.high_ms());
        let mut before = 0.0;
        for step in 0..=40 {
            let now = sum.cdf(low + (high - low) * f64::from(step) / 40.0);
            prop_assert!((0.0..=1.0).contains(&now));
            prop_assert!(now >= before - 3e-10, "{now} < {before}");
            before = now;
        }
        if sum.point_ms().is_none() {
            // Where the windows are tiny beside the fixed part, a position is only
            // known to the last place of the whole.
            let width = high - low;
            let blur = high * f64::EPSILON * 8.0 / width;
            let ms = sum.quantile_ms(q);
            prop_assert!((sum.cdf(ms) - q).abs() <= 3e-10 + 1e4 * blur, "{} {q}", sum.cdf(ms));
        }
    }

    #[test]
    fn a_schedule_is_in_order(plan in good_plan()) {
        let slots = schedule(&plan);
        prop_assert_eq!(slots.len() as u32, plan.attempts);
        for pair in slots.windows(2) {
            prop_assert!(pair[0].starts.low_ms < pair[1].starts.low_ms);
            prop_assert!(pair[0].fits as u8 <= pair[1].fits as u8);
        }
    }
}
