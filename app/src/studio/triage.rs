//! Which failures to try again: the learner sorts them, then each is explained.

use maud::{Markup, html};
use model::retry::triage::{CASES, Case, Verdict};

/// The piles, each with the value of its button.
pub const PILES: [(Verdict, &str, &str); 3] = [
    (Verdict::Again, "again", "Try again"),
    (Verdict::Settled, "settled", "It is an answer"),
    (Verdict::Never, "never", "Do not try again"),
];

/// The pile of that value.
#[must_use]
pub fn pile(value: &str) -> Option<Verdict> {
    PILES
        .into_iter()
        .find(|(_, name, _)| *name == value)
        .map(|(verdict, _, _)| verdict)
}

fn words(verdict: Verdict) -> &'static str {
    PILES
        .into_iter()
        .find(|(it, _, _)| *it == verdict)
        .map_or("", |(_, _, words)| words)
}

/// All of it: what is to be sorted, and the table, which a page without JavaScript has
/// folded and a living one shows when everything is sorted.
#[must_use]
pub fn draw() -> Markup {
    html! {
        h2 id="triage" { "Which errors to retry" }
        p {
            "An attempt to pay came to one of these. Sort them before you look: trying again costs a duplicate "
            "only without a key, but it costs the service work every time."
        }
        // Only a script can check it.
        form class="triage" data-sort hidden {
            div class="triage__cases" {
                @for case in &CASES {
                    fieldset class="triage__case" data-case=(case.id) {
                        legend { (case.seen) }
                        div class="triage__piles" {
                            @for (_, value, words) in PILES {
                                label {
                                    input type="radio" name=(case.id) value=(value);
                                    span { (words) }
                                }
                            }
                        }
                    }
                }
            }
            div class="row" {
                button class="btn btn--main" type="submit" { "Check my sorting" }
                p class="triage__said" role="status" data-left {}
            }
        }
        div data-sorted {
            details class="triage__answers" { summary { "The answers as a table" } (table(&[])) }
        }
    }
}

/// The table, beside what the learner chose where there is something.
#[must_use]
pub fn table(chosen: &[(&str, Verdict)]) -> Markup {
    let choice = |case: &Case| chosen.iter().find(|(id, _)| *id == case.id).map(|it| it.1);
    let right = CASES
        .iter()
        .filter(|case| choice(case) == Some(case.verdict()))
        .count();
    html! {
        @if !chosen.is_empty() {
            p class="triage__score" role="status" {
                output name="triage-score" { (right) " of " (CASES.len()) }
                @if right == CASES.len() { " are where they belong: all of them." }
                @else { " are where they belong. The others are marked." }
            }
        }
        div class="studio__scroll" tabindex="0" role="group" aria-label="Which errors to retry" {
            // The roles stay when a narrow page draws its rows as blocks.
            table class="triage__table" role="table" {
                caption class="vh" { "Which errors to retry, and why" }
                thead {
                    tr {
                        th scope="col" { "The client sees" }
                        th scope="col" { "Retry?" }
                        @if !chosen.is_empty() { th scope="col" { "You said" } }
                        th scope="col" { "Why" }
                    }
                }
                tbody {
                    @for case in &CASES {
                        @let missed = choice(case).is_some_and(|it| it != case.verdict());
                        tr role="row" class=[missed.then_some("triage__missed")] data-row=(case.id) {
                            th scope="row" role="rowheader" { (case.seen) }
                            td role="cell" data-head="Retry?" { b { (words(case.verdict())) } }
                            @if !chosen.is_empty() {
                                td role="cell" data-head="You said" {
                                    @match choice(case) {
                                        Some(it) if it == case.verdict() => { "✓ right" },
                                        Some(it) => { "✗ " (words(it)) },
                                        None => { "–" },
                                    }
                                }
                            }
                            td role="cell" data-head="Why" { (case.why) }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_can_be_put_on_every_pile() {
        let html = draw().into_string();
        for case in CASES {
            for (_, value, _) in PILES {
                let radio = format!(r#"name="{}" value="{value}""#, case.id);
                assert_eq!(html.matches(&radio).count(), 1, "{radio}");
            }
            assert_eq!(html.matches(case.why).count(), 1, "{}", case.id);
        }
        // Nothing is chosen for the learner, and the answers are folded.
        assert!(!html.contains("checked") && !html.contains("<details open"));
    }

    #[test]
    fn right_and_wrong_are_told_apart() {
        let right: Vec<_> = CASES.iter().map(|it| (it.id, it.verdict())).collect();
        let html = table(&right).into_string();
        assert!(html.contains("18 of 18") && !html.contains("triage__missed"));
        let always: Vec<_> = CASES.iter().map(|it| (it.id, Verdict::Again)).collect();
        let html = table(&always).into_string();
        assert!(html.contains("9 of 18"));
        assert_eq!(html.matches("triage__missed").count(), 9);
        assert_eq!(pile("never"), Some(Verdict::Never));
        assert_eq!(pile("perhaps"), None);
    }
}
