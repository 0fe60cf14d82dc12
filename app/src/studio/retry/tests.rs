//! The page against the reference results, and inputs that broke others.

use super::*;
use crate::studio::pairs;
use crate::studio::testing::figure;

fn outputs(query: &str, wanted: &[(&str, &str)]) {
    let html = draw(&pairs(query)).results.0;
    for (name, value) in wanted {
        assert_eq!(figure(&html, name), *value, "{name} of {query}");
    }
}

#[test]
fn the_reference_results_are_on_the_page() {
    outputs(
        "attempts=3&p=.5",
        &[("success", "0.875"), ("expected-attempts", "1.75")],
    );
    outputs(
        "attempts=4&p=.5",
        &[("success", "0.9375"), ("expected-attempts", "1.875")],
    );
    outputs(
        "attempts=3&p=.1",
        &[("success", "0.999"), ("expected-attempts", "1.11")],
    );
    for (p, wait) in [("0.1", "6.24"), ("0.5", "100"), ("1", "750")] {
        outputs(
            &format!("base=100&attempts=5&jitter=full&p={p}"),
            &[("expected-wait", wait)],
        );
    }
    outputs(
        "base=100&attempts=5&jitter=full&p=0,5&timeout=500",
        &[
            ("attempts", "5"),
            ("retries", "4"),
            ("wait-p50", "750"),
            ("wait-p90", "1105.39"),
            ("wait-p95", "1183.17"),
            ("wait-p99", "1298.72"),
            ("worst-wait", "1500"),
            ("worst-total", "4000"),
        ],
    );
    outputs(
        "base=100&attempts=5&jitter=equal",
        &[("wait-p99", "1399.36")],
    );
    outputs(
        "base=100&cap=1000&attempts=7&jitter=full",
        &[("wait-p99", "2834.41")],
    );
    outputs(
        "base=100&cap=1000&attempts=9&jitter=decorrelated",
        &[("stays-on-cap", "68.97 %")],
    );
    outputs(
        "attempts=4&p=1",
        &[("success", "0"), ("expected-attempts", "4")],
    );
    outputs(
        "attempts=1",
        &[
            ("retries", "0"),
            ("worst-wait", "0"),
            ("worst-total", "500"),
        ],
    );
}

/// No figure and no place in a chart is out of bounds. The exported code, which comes
/// last, may speak of NaN.
fn sound(html: &str, query: &str) {
    let (figures, _) = html.split_once("id=\"code\"").expect("the code");
    for word in ["NaN", "inf ", "out of range"] {
        assert!(!figures.contains(word), "{word} for {query}");
    }
}

#[test]
fn what_broke_others_leaves_a_page_that_says_so() {
    for (query, field) in [
        ("attempts=0", "attempts"),
        ("attempts=1025", "attempts"),
        ("attempts=-1", "attempts"),
        ("attempts=4.5", "attempts"),
        ("attempts=NaN", "attempts"),
        ("base=1e400", "base"),
        ("factor=0.5", "factor"),
        ("factor=-2", "factor"),
        ("factor=inf", "factor"),
        ("base=3000&cap=2000", "cap"),
        ("p=1.5", "p"),
        ("p=", "p"),
        ("jitter=maybe", "jitter"),
        ("jitter=share&share=2", "share"),
        ("timeout=0", "timeout"),
        ("deadline=soon", "deadline"),
        ("retry-after=1.5", "retry-after"),
        ("p99=x", "p99"),
        ("layers=0", "layers"),
        ("trouble=rain", "trouble"),
        ("seed=-1", "seed"),
    ] {
        let query = format!("attempts=4&p=0.25&{query}");
        let drawn = draw(&pairs(&query));
        let wrong: Vec<_> = drawn
            .fields
            .iter()
            .filter(|it| it.is_wrong)
            .map(|it| it.name)
            .collect();
        assert_eq!(wrong, [field], "{query}");
        // The rest is kept.
        if field != "p" {
            let p = drawn.fields.iter().find(|it| it.name == "p").expect("p");
            assert_eq!(p.value, "0.25");
        }
        sound(&drawn.results.0, &query);
    }
    // Over the limit of its own and over the cap: both are said.
    let drawn = draw(&pairs("base=99999999999999999999"));
    let wrong = drawn.fields.iter().filter(|it| it.is_wrong);
    assert_eq!(wrong.map(|it| it.name).collect::<Vec<_>>(), ["base", "cap"]);
    sound(&drawn.results.0, "a base past 2^64");
    for query in [
        "attempts=64&base=1&factor=2&cap=2147483647",
        "attempts=100&jitter=decorrelated",
        "attempts=1000&base=1&factor=1&cap=1&jitter=equal",
        "attempts=1000&p=1&deadline=1000",
        "base=0&cap=1&jitter=decorrelated",
        "base=0&factor=1&attempts=50&jitter=none",
        "timeout=1&deadline=1",
        "jitter=share&share=0",
        "attempts=100&factor=1000000&cap=2147483647&p=0.999999",
    ] {
        let drawn = draw(&pairs(query));
        assert!(drawn.fields.iter().all(|it| !it.is_wrong), "{query}");
        sound(&drawn.results.0, query);
        assert!(csv(&pairs(query)).lines().count() > 12);
        assert!(!charts(&pairs(query)).is_empty());
    }
}

#[test]
fn the_address_comes_back_as_it_was() {
    for query in [
        "attempts=4&base=100&factor=2&cap=2000&jitter=full&timeout=500&p=0.1&deadline=",
        "attempts=4&base=100&factor=2&cap=2000&jitter=share&share=0.5&timeout=500&p=0.1&deadline=9000&retry-after=ignore&p99=80&trouble=away&away=5&seed=3",
    ] {
        assert_eq!(draw(&pairs(query)).query, query);
    }
}

#[test]
fn the_critic_is_heard_with_its_severity_and_its_place_in_the_lesson() {
    let html = draw(&pairs("attempts=4&jitter=none&p99=800&layers=3"))
        .results
        .0;
    for flaw in ["timeout-below-p99", "no-jitter", "several-layers"] {
        assert!(html.contains(&format!("data-flaw=\"{flaw}\"")), "{flaw}");
    }
    assert!(html.contains("href=\"/#timeout\"") && html.contains("<b>Fault</b>"));
    // What is not known is not judged.
    let html = draw(&pairs("attempts=4")).results.0;
    assert!(!html.contains("timeout-below-p99"));
}

#[test]
fn the_sample_lies_over_the_exact_curve() {
    let charts = charts(&pairs("attempts=5&p=0.5"));
    let added = charts
        .iter()
        .find(|it| it.id == "c-added")
        .expect("c-added");
    assert_eq!(added.marks.len(), 2);
    for row in &added.table.rows {
        let [exact, drawn] = [1, 2].map(|column| {
            let text = row.cells.get(column).expect("a cell");
            text.trim_end_matches(" %")
                .parse::<f64>()
                .expect("a number")
        });
        // Four standard errors of a share among 10,000 are at most 2 %.
        assert!((exact - drawn).abs() <= 2.0, "{exact} and {drawn}");
    }
}

#[test]
fn the_spike_is_drawn_for_decorrelated_jitter_only() {
    let on = |query: &str| charts(&pairs(query)).iter().any(|it| it.id == "c-spike");
    assert!(on("jitter=decorrelated"));
    for jitter in ["none", "full", "equal", "share"] {
        assert!(!on(&format!("jitter={jitter}")));
    }
}

#[test]
fn every_language_is_there_in_both_ways_and_counts_what_its_library_counts() {
    let html = draw(&pairs("attempts=4")).results.0;
    assert_eq!(html.matches("href=\"/retry/code/").count(), 12);
    assert!(html.contains("<code>retries</code> counts retries: 3 for 4 attempts."));
    assert!(html.contains("<code>maxAttempts</code> counts attempts: 4 for 4 attempts."));
    assert!(target("python", "library").is_some() && target("cobol", "library").is_none());
}

#[test]
fn a_preset_is_known_again() {
    for preset in PRESETS {
        let inputs = model::retry::form::Inputs {
            plan: preset.plan,
            p: 0.1,
        };
        let html = draw(&pairs(&inputs.query())).results.0;
        assert!(html.contains("This is <b>"), "{}", preset.id);
    }
}
