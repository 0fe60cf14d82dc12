use super::*;
use crate::retry::plan::any::good_plan;
use proptest::prelude::*;

fn read(query: &str) -> Form {
    Form::read(query.split('&').filter_map(|pair| pair.split_once('=')))
}

const START: &str = "attempts=4&base=100&factor=2&cap=2000&jitter=full&timeout=500&p=0.1&deadline=";

#[test]
fn the_address_of_the_calculator_is_its_own_canonical_form() {
    let form = read(START);
    assert_eq!(form.inputs, Inputs::START);
    assert_eq!(form.problems, []);
    assert_eq!(form.inputs.query(), START);
    assert_eq!(read("").inputs.query(), START);
}

#[test]
fn every_field_is_read_and_written() {
    let query = "attempts=7&base=50&factor=1.5&cap=20000&jitter=share&share=0.25&timeout=3000\
                 &p=0.5&deadline=60000&retry-after=ignore";
    let form = read(query);
    assert_eq!(form.problems, []);
    assert_eq!(form.inputs.plan.spread, Spread::Share(0.25));
    assert_eq!(form.inputs.plan.deadline_ms, Some(60_000));
    assert_eq!(form.inputs.plan.retry_after, RetryAfter::Ignore);
    assert_eq!(form.inputs.query(), query);
}

#[test]
fn a_decimal_comma_is_understood_and_shown_back() {
    let form = read("p=0,5&factor=1,5");
    assert_eq!(form.problems, []);
    assert_eq!((form.inputs.p, form.inputs.plan.factor), (0.5, 1.5));
    assert_eq!(form.text(Field::P), "0.5");
}

/// The inputs that broke others, over the address: a message beside the field, what
/// was typed stays in it, the others keep their values.
#[test]
fn a_bad_field_keeps_its_text_and_the_others_their_values() {
    for (field, text) in [
        (Field::Attempts, "0"),
        (Field::Attempts, "-1"),
        (Field::Attempts, "1025"),
        (Field::Attempts, "2.5"),
        (Field::Attempts, "99999999999999999999"),
        (Field::Attempts, "4294967297"),
        (Field::Attempts, ""),
        (Field::Base, "-1"),
        (Field::Base, "2001"),
        (Field::Base, "1,000"),
        (Field::Base, "2147483648"),
        (Field::Factor, "0"),
        (Field::Factor, "0.5"),
        (Field::Factor, "-2"),
        (Field::Factor, "NaN"),
        (Field::Factor, "inf"),
        (Field::Factor, "1e999"),
        (Field::Factor, "two"),
        (Field::Cap, "0"),
        (Field::Cap, "99"),
        (Field::Cap, "2147483648"),
        (Field::Jitter, "some"),
        (Field::Jitter, ""),
        (Field::Timeout, "0"),
        (Field::Timeout, "2147483648"),
        (Field::P, "-0.1"),
        (Field::P, "1.1"),
        (Field::P, "NaN"),
        (Field::P, ""),
        (Field::Deadline, "0"),
        (Field::Deadline, "soon"),
        (Field::RetryAfter, "-3"),
        (Field::RetryAfter, "1.5"),
        (Field::RetryAfter, ""),
    ] {
        let other = if field == Field::Timeout {
            "p=0.25"
        } else {
            "timeout=750"
        };
        let query = format!("{other}&{}={text}", field.name());
        let form = read(&query);
        assert!(!form.problems.is_empty(), "{query}");
        // The base above the cap is a matter of both; it is said beside the cap.
        let at = if text == "2001" { Field::Cap } else { field };
        let problem = form
            .problem(at)
            .unwrap_or_else(|| panic!("{query} {form:?}"));
        assert!(!problem.to_string().is_empty());
        if at == field {
            assert_eq!(form.text(field), text, "{query}");
        }
        assert_eq!(form.inputs.problems(), [], "{query}");
        let kept = if field == Field::Timeout {
            form.inputs.p == 0.25
        } else {
            form.inputs.plan.timeout_ms == 750
        };
        assert!(kept, "{query}");
    }
}

#[test]
fn all_problems_are_told_at_once_each_in_its_place() {
    let form = read("attempts=x&factor=0&jitter=share&share=2&p=7&deadline=0&cap=50");
    let fields: Vec<_> = form.problems.iter().map(|it| it.field).collect();
    assert_eq!(
        fields,
        [
            Field::Attempts,
            Field::Factor,
            Field::Cap,
            Field::Share,
            Field::P,
            Field::Deadline
        ]
    );
    assert_eq!(form.inputs.problems(), []);
}

#[test]
fn a_share_matters_only_to_its_own_jitter() {
    let form = read("share=7&jitter=full");
    assert_eq!(
        (form.problems.len(), form.inputs.plan.spread),
        (0, Spread::Full)
    );
    let form = read("jitter=share");
    assert_eq!(form.inputs.plan.spread, Spread::Share(0.2));
}

#[test]
fn strangers_are_left_alone_and_the_later_value_counts() {
    let form = read("utm=x&attempts=2&attempts=3&seed=7");
    assert_eq!((form.problems.len(), form.inputs.plan.attempts), (0, 3));
}

proptest! {
    #[test]
    fn good_inputs_survive_the_round_trip(plan in good_plan(), p in 0.0..=1.0_f64) {
        let inputs = Inputs { plan, p };
        let form = read(&inputs.query());
        prop_assert_eq!(&form.problems, &[]);
        prop_assert_eq!(form.inputs, inputs);
        prop_assert_eq!(form.inputs.query(), inputs.query());
    }

    #[test]
    fn any_text_in_any_field_leaves_something_to_reckon_with(texts in prop::collection::vec((0_usize..10, "\\PC*|[-+0-9.,eE ]{0,12}"), 0..12)) {
        let pairs: Vec<_> = texts.iter().map(|(index, text)| (Field::ALL[*index].name(), text.as_str())).collect();
        let form = Form::read(pairs);
        prop_assert_eq!(form.inputs.problems(), []);
        for field in Field::ALL {
            let _ = form.text(field);
        }
    }
}
