//! Ways to take a result along.

use super::Place;
use maud::{Markup, html};

/// The links under the results.
#[must_use]
pub fn share(place: Place, query: &str) -> Markup {
    let slug = place.tool.slug();
    if place.embedded {
        return html! {
            p class="studio__share" {
                a href={ "/" (slug) "?" (query) } target="_blank" rel="noopener" { "Open in Charge Once" }
            }
        };
    }
    // Relative to the site: whoever embeds it knows where that is.
    let frame = format!(
        "<iframe src=\"/embed/{slug}?{query}\" width=\"100%\" height=\"640\" title=\"Charge Once: {}\"></iframe>",
        place.tool.name()
    );
    html! {
        div class="studio__share" {
            ul {
                li { a href={ "/" (slug) "?" (query) } data-copy-link { "Link to these values" } }
                li { a href={ "/" (slug) ".csv?" (query) } { "Figures as CSV" } }
                li { a href={ "/" (slug) ".svg?" (query) } { "Charts as SVG" } }
                li { a href={ "/embed/" (slug) "?" (query) } { "Embedded view" } }
            }
            details data-keep="embed" {
                summary { "Put it on a page of yours" }
                pre tabindex="0" role="group" aria-label="Code to embed" { (frame) }
            }
        }
    }
}
