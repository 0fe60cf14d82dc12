use super::*;
use proptest::prelude::*;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

fn near(given: f64, wanted: f64, within: f64) {
    assert!(
        (given - wanted).abs() <= within,
        "{given} is not {wanted} ± {within}"
    );
}

fn stack(layers: &[u32], p: f64) -> Stack {
    Stack {
        layers: layers.to_vec(),
        p,
        ..Stack::start()
    }
}

/// 27 and 64: SRE book, ch. 22; 243: Amazon Builders' Library.
#[test]
fn attempts_multiply_over_layers() {
    for (layers, wanted) in [
        (vec![3, 3, 3], 27),
        (vec![4, 4, 4], 64),
        (vec![3; 5], 243),
        (vec![4, 4], 16),
        (vec![1], 1),
        (vec![1, 1, 5], 5),
    ] {
        let stack = stack(&layers, 1.0);
        assert_eq!(stack.worst_calls(), wanted);
        assert_eq!(stack.expected_calls(), Count::Exact(wanted), "all fail");
        assert_eq!(stack.worst_rps(), wanted * 1000);
        assert_eq!(stack.expected_rps(), Count::Exact(wanted * 1000));
        assert_eq!(stack.success(), 0.0);
    }
}

/// SRE book, ch. 21: up to three attempts is just under three times the load, with a
/// client budget of 10 % 1.1 times.
#[test]
fn a_budget_takes_the_growth_away() {
    let one = stack(&[3], 0.99);
    let grown = one.expected_calls().value();
    // 1 + .99 + .9801: rounding only.
    near(grown, 2.9701, 1e-12);
    near(one.worst_with_budget(0.1), 1.1, 1e-15);
    near(stack(&[3, 3, 3], 1.0).worst_with_budget(0.1), 1.331, 1e-12);
    near(stack(&[1, 3], 1.0).worst_with_budget(0.1), 1.1, 1e-15);
    near(stack(&[2], 1.0).worst_with_budget(10.0), 2.0, 0.0);
    assert_eq!(stack(&[3], 1.0).worst_with_budget(f64::NAN), 1.0);
}

#[test]
fn one_layer_and_a_deadline_take_away_their_part() {
    let all = stack(&[3, 4, 5], 1.0);
    assert_eq!(all.worst_calls(), 60);
    for (layer, wanted) in [(0, 3), (1, 4), (2, 5), (9, 1)] {
        assert_eq!(all.only(layer).worst_calls(), wanted);
    }
    // 500 ms a call: 0, 500, 1000 start by 1000.
    assert_eq!(all.worst_with_deadline(1000), 3);
    assert_eq!(all.worst_with_deadline(999), 2);
    assert_eq!(all.worst_with_deadline(u64::MAX), 60);
    let at_once = Stack {
        timeout_ms: 0,
        ..all
    };
    assert_eq!(at_once.worst_with_deadline(10), 11);
}

/// One success anywhere ends it all: the layers together are one client with the
/// product of the attempts.
#[test]
fn layer_by_layer_comes_to_one_client_with_all_attempts() {
    for layers in [vec![3, 3, 3], vec![2, 5], vec![4, 1, 2, 3]] {
        for p in [0.0, 0.1, 0.5, 0.9, 0.999] {
            let stack = stack(&layers, p);
            let all = stack.worst_calls() as i32;
            let wanted = (1.0 - p.powi(all)) / (1.0 - p);
            // Products of a few sums; the closed form loses digits to 1 − p itself.
            near(stack.expected_calls().value(), wanted, 1e-11 * wanted);
            near(stack.success(), 1.0 - p.powi(all), 1e-12);
        }
    }
}

#[test]
fn the_mean_is_what_drawn_calls_come_to() {
    fn call(layers: &[u32], p: f64, random: &mut Xoshiro256PlusPlus, calls: &mut u32) -> bool {
        let Some((attempts, below)) = layers.split_first() else {
            *calls += 1;
            return random.random::<f64>() >= p;
        };
        (0..*attempts).any(|_| call(below, p, random, calls))
    }
    let (layers, p, n) = ([3, 2, 2], 0.7, 40_000);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(4);
    let (mut sum, mut squares) = (0.0, 0.0);
    for _ in 0..n {
        let mut calls = 0;
        call(&layers, p, &mut random, &mut calls);
        sum += f64::from(calls);
        squares += f64::from(calls).powi(2);
    }
    let n = f64::from(n);
    let sd = (squares / n - (sum / n).powi(2)).sqrt();
    // Four standard errors.
    near(
        sum / n,
        stack(&layers, p).expected_calls().value(),
        4.0 * sd / n.sqrt(),
    );
}

#[test]
fn the_tree_grows_level_by_level() {
    let levels = stack(&[3, 4], 1.0).levels();
    let worst: Vec<_> = levels
        .iter()
        .map(|it| (it.layer, it.attempts, it.worst))
        .collect();
    assert_eq!(
        worst,
        [
            (0, 1, Count::Exact(1)),
            (1, 3, Count::Exact(3)),
            (2, 4, Count::Exact(12)),
        ]
    );
    let half = stack(&[2, 2], 0.5).levels();
    // The service fails in a half, layer 2 in a quarter, the request in a sixteenth.
    assert_eq!(
        half.iter().map(|it| it.fails).collect::<Vec<_>>(),
        [0.0625, 0.25, 0.5]
    );
    assert_eq!(half[1].expected, Count::Mean(1.25));
    assert_eq!(half[2].expected, Count::Mean(1.875));
}

#[test]
fn large_numbers_stay_exact_or_say_that_they_are_rounded() {
    let most = Stack {
        rps: Stack::MOST_RPS,
        ..stack(&[1000; 8], 1.0)
    };
    assert_eq!(most.worst_calls(), 10_u128.pow(24));
    assert_eq!(most.worst_rps(), 10_u128.pow(33));
    assert_eq!(most.expected_rps(), Count::Exact(10_u128.pow(33)));
    // 3^34 is past 2^53 and odd: floating point would lose its last digit.
    let odd = stack(&[243, 243, 243, 243, 243, 243, 81], 1.0);
    assert_eq!(odd.worst_calls(), 3_u128.pow(34));
    assert_eq!(
        Count::Exact(odd.worst_calls())
            .to_string()
            .replace('\u{202f}', ""),
        "16677181699666569"
    );
    let nearly = stack(&[1000; 8], 1.0 - 1e-15);
    assert!(nearly.expected_rps().is_rounded());
    assert!(!stack(&[3, 3], 0.5).expected_calls().is_rounded());
    for (count, wanted) in [
        (Count::Exact(7), "7"),
        (Count::Exact(1000), "1 000"),
        (Count::Exact(1_234_567), "1 234 567"),
        (Count::Mean(1.875), "1.88"),
        (Count::Mean(1.5), "1.5"),
        (Count::Mean(27.0), "27"),
        (Count::Mean(1234.5), "1 234.5"),
    ] {
        assert_eq!(count.to_string().replace('\u{202f}', " "), wanted);
    }
}

#[test]
fn nine_to_eighty_is_a_good_guess_at_twenty_seven() {
    for (guess, wanted) in [
        (27, Guess::Exact),
        (9, Guess::Good),
        (80, Guess::Good),
        (8, Guess::TooLow),
        (1, Guess::TooLow),
        (81, Guess::TooHigh),
        (u128::MAX, Guess::TooHigh),
    ] {
        assert_eq!(grade(guess, 27), wanted, "{guess}");
    }
    assert_eq!(guess(" 27 "), Ok(27));
    for text in ["", "0", "-3", "1.5", "many", "NaN"] {
        assert!(guess(text).is_err(), "{text}");
    }
}

#[test]
fn the_working_multiplies_step_by_step() {
    let steps = working(&stack(&[3, 1, 3], 1.0));
    let sums: Vec<_> = steps.iter().map(|it| it.sum.as_str()).collect();
    assert_eq!(sums, ["", "1 × 3 = 3", "3 × 1 = 3", "3 × 3 = 9"]);
    assert_eq!(
        steps[1].text,
        "Layer 1 calls layer 2 up to 3 times for the request: once, and 2 more."
    );
    assert_eq!(
        steps[2].text,
        "Layer 2 calls layer 3 once for each of the 3."
    );
    assert!(steps[3].text.contains("the service at the bottom"));
    assert_eq!(steps.last().unwrap().calls, 9);
}

fn read(query: &str) -> AmplifyForm {
    AmplifyForm::read(query.split('&').filter_map(|pair| pair.split_once('=')))
}

#[test]
fn the_address_is_read_and_written() {
    let query = "layers=3,3,3&p=1&rps=1000&budget=";
    assert_eq!(read(query).stack, Stack::start());
    assert_eq!(Stack::start().query(), query);
    let query = "layers=4,2&p=0.5&rps=10&budget=7&deadline=2000&timeout=250";
    let form = read(query);
    assert_eq!(form.problems, []);
    near(form.stack.budget.unwrap(), 0.07, 1e-15);
    assert_eq!(form.stack.query(), query);
    assert_eq!(read("layers=3x3x3").stack.layers, [3, 3, 3]);
    assert_eq!(read("layers=3, 3 ,3").stack.layers, [3, 3, 3]);
    assert_eq!(read("layers=3 4&p=0,5").stack.layers, [3, 4]);
}

#[test]
fn out_of_range_is_told_beside_the_field_and_the_rest_is_kept() {
    for (field, text) in [
        (AmplifyField::Layers, ""),
        (AmplifyField::Layers, "0"),
        (AmplifyField::Layers, "3,0,3"),
        (AmplifyField::Layers, "1001"),
        (AmplifyField::Layers, "-3"),
        (AmplifyField::Layers, "1,1,1,1,1,1,1,1,1"),
        (AmplifyField::Layers, "3,x"),
        (AmplifyField::Layers, "3,y"),
        (AmplifyField::Layers, "3,,3"),
        (AmplifyField::Layers, "3,1.5"),
        (AmplifyField::P, "2"),
        (AmplifyField::P, "NaN"),
        (AmplifyField::Rps, "-1"),
        (AmplifyField::Rps, "1000000001"),
        (AmplifyField::Budget, "-1"),
        (AmplifyField::Budget, "1001"),
        (AmplifyField::Deadline, "0"),
        (AmplifyField::Timeout, "0"),
        (AmplifyField::Timeout, "2147483648"),
    ] {
        let other = if field == AmplifyField::Rps {
            "p=0.25"
        } else {
            "rps=77"
        };
        let form = read(&format!("{}={text}&{other}", field.name()));
        assert_eq!(form.problems.len(), 1, "{field:?} {text}");
        assert!(!form.problem(field).unwrap().to_string().is_empty());
        assert_eq!(form.text(field), text);
        assert!(form.stack.rps == 77 || form.stack.p == 0.25);
    }
}

proptest! {
    #[test]
    fn any_stack_has_figures(layers in prop::collection::vec(1_u32..=1000, 1..=8), p in 0.0..=1.0_f64, rps in 0..=Stack::MOST_RPS) {
        let stack = Stack { layers, p, rps, ..Stack::start() };
        let expected = stack.expected_calls().value();
        prop_assert!(expected.is_finite() && expected >= 1.0);
        prop_assert!(expected <= stack.worst_calls() as f64 * (1.0 + 1e-9));
        prop_assert!((0.0..=1.0).contains(&stack.success()));
        prop_assert!(stack.expected_rps().value().is_finite());
        prop_assert_eq!(working(&stack).len(), stack.layers.len() + 1);
        let form = read(&stack.query());
        prop_assert_eq!(&form.problems, &[]);
        prop_assert_eq!(form.stack, stack);
    }

    #[test]
    fn any_text_is_survived(texts in prop::collection::vec((0_usize..6, "\\PC*|[-+0-9.,x ]{0,12}"), 0..8)) {
        let pairs: Vec<_> = texts.iter().map(|(index, text)| (AmplifyField::ALL[*index].name(), text.as_str())).collect();
        let form = AmplifyForm::read(pairs);
        prop_assert!(form.stack.expected_calls().value().is_finite());
        for (_, text) in &texts {
            if let Ok(calls) = guess(text) {
                let _ = grade(calls, form.stack.worst_calls());
            }
        }
    }
}
