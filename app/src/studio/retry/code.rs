//! The policy as code, to copy or to take as a file.

use crate::studio::{Pairs, borrowed};
use maud::{Markup, html};
use model::retry::export::{Language, Style, Target, export};
use model::retry::form::Form;
use model::retry::plan::Plan;

/// Every language, by hand and with a library. Folded, since it is long.
pub(super) fn draw(plan: &Plan, query: &str) -> Markup {
    html! {
        section class="studio__part" aria-labelledby="code" {
            h2 id="code" { "As code" }
            p {
                "Each is a whole file with one entry, " code { "send(url, body)" } ". All attempts carry the same key, there is no wait after the last one, and a reply that will not change is not asked for again."
            }
            @for language in Language::ALL {
                (in_language(plan, language, query))
            }
        }
    }
}

fn in_language(plan: &Plan, language: Language, query: &str) -> Markup {
    let library = language.library();
    html! {
        details class="code" data-keep={ "code-" (slug(language)) } {
            summary { (language.name()) }
            @for style in [Style::ByHand, Style::Library] {
                @let target = Target { language, style };
                @let id = format!("code-{}-{}", slug(language), word(style));
                div class="code__one" {
                    div class="code__bar" {
                        h3 id={ (id) "-t" } {
                            @match style {
                                Style::ByHand => { "By hand" },
                                Style::Library => { "With " (library.name) },
                            }
                        }
                        // Only a script can copy.
                        button class="btn btn--sm" type="button" data-copy=(id) hidden { "Copy" }
                        a class="btn btn--sm" href={ "/retry/code/" (slug(language)) "/" (word(style)) "?" (query) } {
                            "Download " (target.file_name())
                        }
                    }
                    @if style == Style::Library {
                        p class="hint" {
                            code { (library.limit) } " counts "
                            @if library.counts_attempts { "attempts" } @else { "retries" }
                            ": " (library.limit_for(plan)) " for " (plan.attempts) " attempts."
                        }
                    }
                    pre id=(id) tabindex="0" role="group" aria-labelledby={ (id) "-t" } { (export(plan, target)) }
                }
            }
        }
    }
}

const fn slug(language: Language) -> &'static str {
    match language {
        Language::JavaScript => "javascript",
        Language::TypeScript => "typescript",
        Language::Python => "python",
        Language::Go => "go",
        Language::Java => "java",
        Language::Rust => "rust",
    }
}

const fn word(style: Style) -> &'static str {
    match style {
        Style::ByHand => "by-hand",
        Style::Library => "library",
    }
}

/// The target that two segments of an address name.
#[must_use]
pub fn target(language: &str, style: &str) -> Option<Target> {
    Target::all()
        .into_iter()
        .find(|it| slug(it.language) == language && word(it.style) == style)
}

/// The file for a target.
#[must_use]
pub fn download(pairs: &Pairs, target: Target) -> String {
    export(&Form::read(borrowed(pairs)).inputs.plan, target)
}
