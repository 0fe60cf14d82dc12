//! The address.

use super::laws::any_inputs;
use super::*;
use crate::outage::Strategy;
use crate::outage::form::{Fields, Inputs, pairs};
use proptest::prelude::*;

proptest! {
    #[test]
    fn a_query_string_comes_back(inputs in any_inputs()) {
        let form = OutageForm::read(pairs(&inputs.query()));
        prop_assert_eq!(form.inputs, inputs);
        prop_assert_eq!(form.problems, Vec::new());
    }

    #[test]
    fn any_text_is_read(query in "\\PC{0,80}", junk in "[a-z=&%+0-9,.eE-]{0,60}") {
        for query in [query, junk] {
            let inputs = OutageForm::read(pairs(&query)).inputs;
            prop_assert_eq!(inputs, inputs.bounded());
        }
    }

    #[test]
    fn any_value_of_a_field_leaves_the_others_alone(
        field in 0_usize..21,
        text in "[0-9eE.,+NaninfxX -]{1,24}",
    ) {
        let field = OutageField::ALL[field];
        let form = OutageForm::read([("queue", "77"), ("bin", "5"), (field.name(), text.as_str())]);
        prop_assert_eq!(form.inputs, form.inputs.bounded());
        if field != OutageField::Queue {
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
    use OutageField as F;
    for (query, field, said) in [
        ("rate=0", F::Rate, "at least 1"),
        ("rate=-70", F::Rate, "at least 1"),
        ("seconds=601", F::Seconds, "at most 600"),
        (
            "seconds=600&rate=10000&attempts=2",
            F::Seconds,
            "that could be more than 100000 requests; this runs with 10",
        ),
        (
            "attempts=100&rate=1000",
            F::Attempts,
            "that could be more than 1000000 calls; this runs with 50",
        ),
        (
            "attempts=0",
            F::Attempts,
            "at least 1 attempt: the first call is one",
        ),
        ("capacity=1e99", F::Capacity, "at most 1000000"),
        ("factor=0,9", F::Factor, "at least 1"),
        ("factor=NaN", F::Factor, "this has to be a finite number"),
        ("loss=101", F::Loss, "at most 100"),
        ("fail=0.5", F::Fail, "this has to be a whole number"),
        (
            "service=1.000",
            F::Service,
            "is that a thousand or one? Write 1000 or 1",
        ),
        (
            "relief=prayer",
            F::Relief,
            "write one of these: none, retries, shed, restart, capacity, deadlines",
        ),
        (
            "from=7&until=6",
            F::Until,
            "the end lies before the start; this runs with an end at 7 s",
        ),
        (
            "base=3000",
            F::Cap,
            "the cap is below the first wait; this runs with a cap of 3000 ms",
        ),
    ] {
        let query = format!("seconds=20&queue=7&{query}");
        let form = OutageForm::read(pairs(&query));
        let problems: Vec<_> = form
            .problems
            .iter()
            .map(|it| (it.field, it.to_string()))
            .collect();
        assert_eq!(problems, [(field, said.to_owned())], "{query}");
        assert_eq!(form.inputs.queue, 7, "{query}");
        // It runs, whatever was typed.
        let sum = run(&form.inputs, Strategy::Adaptive).summary();
        assert_eq!(
            sum.completed + sum.failed,
            u64::from(form.inputs.requests()),
            "{query}"
        );
    }
}

/// Fields are public: what nobody would type has to be harmless as well.
#[test]
fn inputs_beyond_all_limits_are_bounded() {
    let wild = OutageInputs {
        rate: u32::MAX,
        seconds: u32::MAX,
        clients: 0,
        capacity: 0,
        queue: u32::MAX,
        service_ms: u64::MAX,
        timeout_ms: u64::MAX,
        attempts: u32::MAX,
        base_ms: u64::MAX,
        factor: f64::INFINITY,
        cap_ms: 0,
        from_s: u32::MAX,
        until_s: 0,
        loss: u32::MAX,
        fail: u32::MAX,
        relief: Relief::Restart,
        relief_at_s: u32::MAX,
        relief_for_s: u32::MAX,
        relief_share: u32::MAX,
        bin_ms: 0,
        seed: u64::MAX,
    };
    let bounded = wild.bounded();
    assert_eq!(bounded.mended(), (bounded, Vec::new()));
    assert_eq!(
        OutageForm::read(pairs(&bounded.query())).problems,
        Vec::new()
    );
    let mut outage = Outage::new(&wild, Strategy::Jitter);
    // A hundred thousand requests to a server that takes one a second.
    assert!(!outage.run(1000).done);
    assert!(outage.summary().sent > 0);
}
