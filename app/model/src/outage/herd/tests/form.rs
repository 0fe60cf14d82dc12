//! The address.

use super::laws::any_inputs;
use super::*;
use crate::outage::form::{Fields, Inputs, pairs};
use proptest::prelude::*;

proptest! {
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
