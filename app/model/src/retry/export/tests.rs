//! What natively can be seen: the figures in the text. The code itself runs against a
//! failing server in tests of its own.

use super::*;
use crate::retry::plan::any::good_plan;
use crate::retry::plan::{RetryAfter, Spread};
use proptest::prelude::*;

/// A plan in which no two figures are alike.
fn plan() -> Plan {
    Plan {
        attempts: 7,
        base_ms: 110,
        factor: 2.5,
        cap_ms: 9000,
        spread: Spread::Share(0.35),
        timeout_ms: 1300,
        deadline_ms: Some(60_500),
        retry_after: RetryAfter::Honour { most_ms: 17_000 },
    }
}

fn text(plan: &Plan, language: Language, style: Style) -> String {
    export(plan, Target { language, style })
}

/// Whether these are all in it, and if not, which is missing.
fn holds(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
}

#[test]
fn each_figure_stands_under_its_name() {
    use Language::{Go, Java, JavaScript, Python, Rust, TypeScript};
    use Style::{ByHand, Library};
    for (language, style, parts) in [
        (
            JavaScript,
            ByHand,
            [
                "ATTEMPTS = 7;",
                "BASE_MS = 110;",
                "FACTOR = 2.5;",
                "CAP_MS = 9000;",
                "SHARE = 0.35;",
                "TIMEOUT_MS = 1300;",
                "DEADLINE_MS = 60500;",
                "RETRY_AFTER_MOST_MS = 17000;",
            ],
        ),
        (
            JavaScript,
            Library,
            [
                "retries: 6, // 7 attempts",
                "BASE_MS = 110;",
                "FACTOR = 2.5;",
                "CAP_MS = 9000;",
                "SHARE = 0.35;",
                "TIMEOUT_MS = 1300;",
                "DEADLINE_MS = 60500;",
                "RETRY_AFTER_MOST_MS = 17000;",
            ],
        ),
        (
            TypeScript,
            ByHand,
            [
                "ATTEMPTS = 7;",
                "BASE_MS = 110;",
                "FACTOR = 2.5;",
                "CAP_MS = 9000;",
                "SHARE = 0.35;",
                "TIMEOUT_MS = 1300;",
                "DEADLINE_MS = 60500;",
                "RETRY_AFTER_MOST_MS = 17000;",
            ],
        ),
        (
            TypeScript,
            Library,
            [
                "retries: 6, // 7 attempts",
                "BASE_MS = 110;",
                "FACTOR = 2.5;",
                "CAP_MS = 9000;",
                "SHARE = 0.35;",
                "TIMEOUT_MS = 1300;",
                "DEADLINE_MS = 60500;",
                "RETRY_AFTER_MOST_MS = 17000;",
            ],
        ),
        (
            Python,
            ByHand,
            [
                "ATTEMPTS = 7 ",
                "BASE_MS = 110\n",
                "FACTOR = 2.5\n",
                "CAP_MS = 9000\n",
                "SHARE = 0.35\n",
                "TIMEOUT_MS = 1300\n",
                "DEADLINE_MS = 60500\n",
                "RETRY_AFTER_MOST_MS = 17000\n",
            ],
        ),
        (
            Python,
            Library,
            [
                "ATTEMPTS = 7 ",
                "BASE_S = 110 / 1000",
                "FACTOR = 2.5\n",
                "CAP_S = 9000 / 1000",
                "SHARE = 0.35\n",
                "TIMEOUT_S = 1300 / 1000",
                "DEADLINE_S = 60500 / 1000",
                "RETRY_AFTER_MOST_S = 17000 / 1000",
            ],
        ),
        (
            Go,
            ByHand,
            [
                "attempts = 7 ",
                "baseMS = 110\n",
                "factor = 2.5\n",
                "capMS = 9000\n",
                "share = 0.35\n",
                "timeoutMS = 1300\n",
                "deadlineMS = 60500\n",
                "retryAfterMostMS = 17000\n",
            ],
        ),
        (
            Go,
            Library,
            [
                "retries = 6 // 7 attempts",
                "baseMS = 110\n",
                "factor = 2.5\n",
                "capMS = 9000\n",
                "share = 0.35\n",
                "timeoutMS = 1300\n",
                "deadlineMS = 60500\n",
                "retryAfterMostMS = 17000\n",
            ],
        ),
        (
            Java,
            ByHand,
            [
                "ATTEMPTS = 7;",
                "BASE_MS = 110;",
                "FACTOR = 2.5;",
                "CAP_MS = 9000;",
                "SHARE = 0.35;",
                "ofMillis(1300);",
                "DEADLINE_MS = 60500;",
                "RETRY_AFTER_MOST_MS = 17000;",
            ],
        ),
        (
            Java,
            Library,
            [
                "ATTEMPTS = 7;",
                "BASE_MS = 110;",
                "FACTOR = 2.5;",
                "CAP_MS = 9000;",
                "SHARE = 0.35;",
                "ofMillis(1300);",
                "DEADLINE_MS = 60500;",
                "RETRY_AFTER_MOST_MS = 17000;",
            ],
        ),
        (
            Rust,
            ByHand,
            [
                "ATTEMPTS: u32 = 7;",
                "BASE_MS: f64 = 110.0;",
                "FACTOR: f64 = 2.5;",
                "CAP_MS: f64 = 9000.0;",
                "SHARE: f64 = 0.35;",
                "from_millis(1300);",
                "DEADLINE_MS: f64 = 60500.0;",
                "RETRY_AFTER_MOST_MS: f64 = 17000.0;",
            ],
        ),
        (
            Rust,
            Library,
            [
                ".with_max_times(6) // retries: 7 attempts",
                "with_min_delay(Duration::from_millis(110))",
                "with_factor(2.5)",
                "with_max_delay(Duration::from_millis(9000))",
                "SHARE: f64 = 0.35;",
                "from_millis(1300);",
                "DEADLINE: Duration = Duration::from_millis(60500);",
                "RETRY_AFTER_MOST: Duration = Duration::from_millis(17000);",
            ],
        ),
    ] {
        holds(&text(&plan(), language, style), &parts);
    }
}

/// Max 1 attempt calls once, 4 call four times: who counts retries gets n − 1.
#[test]
fn libraries_that_count_retries_get_one_fewer() {
    for (attempts, retries) in [(1, "0"), (4, "3"), (1000, "999")] {
        let plan = Plan { attempts, ..plan() };
        for language in Language::ALL {
            let library = language.library();
            let wanted = if library.counts_attempts {
                attempts.to_string()
            } else {
                retries.to_owned()
            };
            assert_eq!(library.limit_for(&plan).to_string(), wanted);
            let call = match language {
                Language::JavaScript | Language::TypeScript => format!("retries: {wanted},"),
                Language::Python | Language::Java => format!("ATTEMPTS = {wanted}"),
                Language::Go => format!("const retries = {wanted} "),
                Language::Rust => format!(".with_max_times({wanted})"),
            };
            let text = text(&plan, language, Style::Library);
            holds(&text, &[&call, library.limit]);
        }
    }
    let counting: Vec<_> = Language::ALL
        .into_iter()
        .filter(|it| it.library().counts_attempts)
        .collect();
    assert_eq!(counting, [Language::Python, Language::Java]);
}

#[test]
fn every_file_says_what_it_does_and_keeps_to_it() {
    for target in Target::all() {
        let text = export(&plan(), target);
        holds(
            &text,
            &[
                "7 attempts in all: the first call and 6 retries.",
                "Idempotency-Key",
                "408, 409, 429, 500, 502, 503, 504",
                "Retry-After",
            ],
        );
        // Neither is ever tried again.
        assert!(!text.contains("400") && !text.contains("402"), "{target:?}");
        // Made once, outside of the loop of attempts.
        let made = ["randomUUID()", "uuid4()", "rand.Read(", "new_v4()"]
            .iter()
            .map(|maker| text.matches(maker).count())
            .sum::<usize>();
        assert_eq!(made, 1, "{target:?}");
        assert!(
            text.lines().all(|line| line.trim_end() == line),
            "{target:?}"
        );
        assert!(
            text.lines().all(|line| line.chars().count() <= 100),
            "{target:?}"
        );
    }
    assert_eq!(Target::all().len(), 12);
}

#[test]
fn what_the_plan_has_not_is_not_in_the_file() {
    let bare = Plan {
        deadline_ms: None,
        retry_after: RetryAfter::Ignore,
        spread: Spread::None,
        ..plan()
    };
    for target in Target::all() {
        let text = export(&bare, target);
        let code = text.to_lowercase();
        assert!(!code.contains("deadline"), "{target:?}\n{text}");
        // The sentence that it is ignored, and nothing else.
        assert_eq!(
            code.matches("retry-after").count(),
            if target.language == Language::JavaScript && target.style == Style::Library {
                2
            } else {
                1
            },
            "{target:?}\n{text}"
        );
        assert!(
            !code.contains("httpdate") && !code.contains("previous"),
            "{target:?}"
        );
        if target.style == Style::ByHand {
            assert!(
                !code.contains("math.random") && !code.contains("rand::random"),
                "{target:?}"
            );
        }
    }
}

#[test]
fn each_kind_of_jitter_has_its_formula() {
    for (spread, javascript, rust) in [
        (
            Spread::None,
            "const drawn = nominal;",
            "let wait = nominal;",
        ),
        (
            Spread::Full,
            "nominal * Math.random()",
            "nominal * rand::random::<f64>()",
        ),
        (
            Spread::Equal,
            "nominal / 2 + (nominal / 2) * Math.random()",
            "nominal / 2.0 + nominal / 2.0 * rand::random::<f64>()",
        ),
        (
            Spread::Share(0.5),
            "(1 - SHARE + 2 * SHARE * Math.random())",
            "(1.0 - SHARE + 2.0 * SHARE * rand::random::<f64>())",
        ),
        (
            Spread::Decorrelated,
            "Math.min(CAP_MS, BASE_MS + (3 * previous - BASE_MS) * Math.random())",
            "(BASE_MS + (3.0 * previous - BASE_MS) * rand::random::<f64>()).min(CAP_MS)",
        ),
    ] {
        let plan = Plan { spread, ..plan() };
        holds(
            &text(&plan, Language::JavaScript, Style::ByHand),
            &[javascript],
        );
        holds(&text(&plan, Language::Rust, Style::ByHand), &[rust]);
    }
}

#[test]
fn templates_use_only_flags_that_are_known() {
    let known = [
        "deadline",
        "after",
        "none",
        "full",
        "equal",
        "share",
        "decorrelated",
    ];
    for template in [
        javascript::BY_HAND,
        javascript::LIBRARY,
        typescript::BY_HAND,
        typescript::LIBRARY,
        python::BY_HAND,
        python::LIBRARY,
        go::BY_HAND,
        go::LIBRARY,
        java::BY_HAND,
        java::LIBRARY,
        rust::BY_HAND,
        rust::LIBRARY,
    ] {
        for line in template.lines().filter(|line| line.starts_with('%')) {
            let (flags, _) = line[1..].split_once('|').unwrap();
            for flag in flags.split(',') {
                assert!(known.contains(&flag.trim_start_matches('!')), "{line}");
            }
        }
    }
}

proptest! {
    #[test]
    fn any_plan_can_be_written_in_any_language(plan in good_plan()) {
        for target in Target::all() {
            let text = export(&plan, target);
            prop_assert!(!text.contains("{{") && !text.contains("}}"), "{target:?}");
            prop_assert!(!text.lines().any(|line| line.starts_with('%')));
            prop_assert!(!text.contains("= NaN") && !text.contains("= inf"));
            prop_assert!(text.ends_with('\n') && !text.contains("\n\n\n\n"));
        }
    }
}
