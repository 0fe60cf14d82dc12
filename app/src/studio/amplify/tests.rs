//! The page as text.

use super::*;
use crate::studio::testing::figure;
use crate::studio::{Tool, pairs};

fn page(query: &str) -> String {
    draw(&pairs(query)).results.into_string()
}

#[test]
fn the_published_figures_stand_in_their_outputs() {
    for (layers, calls) in [
        ("3,3,3", "27"),
        ("4,4,4", "64"),
        ("3,3,3,3,3", "243"),
        ("4,4", "16"),
        ("1", "1"),
    ] {
        let html = page(&format!("layers={layers}&p=1&rps=1000&budget="));
        assert_eq!(figure(&html, "worst-calls"), calls);
        assert_eq!(figure(&html, "expected-calls"), calls);
        assert_eq!(figure(&html, "worst-rps"), format!("{calls}000"));
        assert_eq!(figure(&html, "expected-rps"), format!("{calls}000"));
        assert_eq!(figure(&html, "success"), "0 %");
    }
    let html = page("layers=2,2&p=0.5&rps=10");
    assert_eq!(figure(&html, "worst-calls"), "4");
    assert_eq!(figure(&html, "expected-calls"), "1.88");
    assert_eq!(figure(&html, "expected-rps"), "18.75");
}

#[test]
fn each_relief_has_its_figures() {
    let html = page("layers=3,3,3&p=1&rps=1000&budget=10&deadline=2000&timeout=500");
    for layer in 1..=3 {
        assert_eq!(figure(&html, &format!("only-{layer}-calls")), "3");
    }
    assert_eq!(figure(&html, "budget-calls"), "1.33");
    assert_eq!(figure(&html, "budget-rps"), "1331");
    assert_eq!(figure(&html, "deadline-calls"), "5");
    assert!(!html.contains("for example"));
    let html = page("layers=3&p=1");
    assert_eq!(figure(&html, "budget-calls"), "1.1");
    // One layer is one layer; what the form does not name is an example.
    assert!(!html.contains("only-1-calls"));
    assert_eq!(html.matches("for example").count(), 2);
}

#[test]
fn the_question_comes_first_and_the_answer_is_folded() {
    for query in ["", "guess=", "layers=4,4&guess="] {
        let drawn = draw(&pairs(query));
        let html = drawn.results.into_string();
        assert!(html.contains("Commit to it"), "{query}");
        let (before, _) = html.split_once("<details").unwrap();
        assert!(!before.contains("<output"), "{query}");
        assert!(drawn.query.ends_with("&guess="));
        assert!(!drawn.said.contains(char::is_numeric), "{}", drawn.said);
    }
    // The layers that are asked about are sent along.
    assert!(page("layers=4,4&guess=").contains(r#"name="layers" value="4,4""#));
    for (guess, words) in [
        ("27", "to the call"),
        ("9", "good"),
        ("80", "good"),
        ("8", "too low"),
        ("81", "too high"),
    ] {
        let drawn = draw(&pairs(&format!("guess={guess}")));
        let html = drawn.results.into_string();
        assert!(figure(&html, "guess-grade").contains(words), "{guess}");
        assert!(!html.contains("Commit to it"));
        assert!(drawn.query.ends_with(&format!("&guess={guess}")));
    }
    for guess in ["many", "0", "-3", "1.5"] {
        let html = page(&format!("guess={guess}"));
        assert!(html.contains(r#"aria-invalid="true""#), "{guess}");
        assert!(html.contains(&format!(r#"value="{guess}""#)), "{guess}");
    }
}

#[test]
fn what_is_wrong_stands_beside_its_field_and_the_rest_is_kept() {
    for (name, text) in [
        ("layers", "0"),
        ("layers", "3,,3"),
        ("layers", "1,1,1,1,1,1,1,1,1"),
        ("p", "2"),
        ("p", "NaN"),
        ("rps", "-1"),
        ("budget", "-1"),
        ("deadline", "0"),
    ] {
        let other = if name == "rps" {
            ("p", "0.25")
        } else {
            ("rps", "77")
        };
        let drawn = draw(&pairs(&format!("{name}={text}&{}={}", other.0, other.1)));
        let field = |name| drawn.fields.iter().find(|it| it.name == name).unwrap();
        assert!(
            field(name).is_wrong && !field(name).is_idle,
            "{name}={text}"
        );
        assert_eq!(field(name).value, text);
        assert!(!field(other.0).is_wrong);
        assert_eq!(field(other.0).value, other.1);
        let html = drawn.results.into_string();
        assert!(
            !html.contains("NaN") && !html.contains("inf"),
            "{name}={text}"
        );
    }
}

#[test]
fn large_numbers_are_exact_or_said_to_be_rounded_and_the_tree_is_bounded() {
    let layers = ["1000"; 8].join(",");
    let html = page(&format!("layers={layers}&p=1&rps=1000000000"));
    assert_eq!(figure(&html, "worst-calls"), format!("1{}", "0".repeat(24)));
    assert_eq!(figure(&html, "worst-rps"), format!("1{}", "0".repeat(33)));
    assert!(!html.contains("rounded: past"));
    assert!(html.contains("too many to draw"));
    assert!(html.len() < 60_000, "{}", html.len());
    let html = page(&format!(
        "layers={layers}&p=0.999999999999999&rps=1000000000"
    ));
    assert!(html.contains("rounded: past"));
    assert!(page("layers=3,3,3,3").contains("Every call of the worst case is drawn"));
    let most = (1..=81)
        .map(|n| page(&format!("layers={n},{n}")).len())
        .max();
    assert!(most.unwrap() < 60_000, "{most:?}");
}

#[test]
fn the_query_is_canonical_and_the_csv_has_a_line_for_each_level() {
    let drawn = draw(&pairs("layers=3 4&p=0,5&rps=7"));
    assert_eq!(drawn.query, "layers=3,4&p=0.5&rps=7&budget=");
    assert_eq!(draw(&pairs(&drawn.query)).query, drawn.query);
    let csv = csv(&pairs("layers=3,4&p=1&rps=1000"));
    let lines: Vec<_> = csv.lines().collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[3], "layer 2,4,12,12,12000,12000,1");
    assert!(!charts(&pairs("layers=3,4")).is_empty());
    assert_eq!(Tool::Amplify.slug(), "amplify");
}
