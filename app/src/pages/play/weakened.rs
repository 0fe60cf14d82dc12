//! A counterexample on a page of its own: what is weakened, what breaks, and the
//! other designs.

use super::found::{self, Found};
use super::words::{Telling, property, telling};
use maud::{Markup, html};
use model::world::explore::Weakened;

/// What is said over the player.
pub(super) fn finding(found: &Found) -> Markup {
    let Telling { lacks, harm, .. } = telling(found.weakened);
    let example = &found.example;
    html! {
        dt { "Weakened" }
        dd { output name="weakened" { (lacks) } }
        dt { "What breaks" }
        dd {
            b { output name="breaks" data-property=(example.property.slug()) { (property(example.property)) } ". " }
            (harm)
        }
        dt { "How it was found" }
        dd {
            "By running the protocol's own code in every order that it allows. "
            "No way of fewer than " output name="moves" { (example.moves.len()) }
            " moves leads here; the explorer looked at "
            output name="states" { (example.states) } " states to know."
        }
    }
}

/// What is said under the player: every weakened design, and the world of the search.
pub(super) fn others(current: Weakened) -> Markup {
    html! {
        h2 id="guards" { "What guards what" }
        p {
            "Each line is a design that lacks something, with the shortest way to break it. "
            "The search allows one client that pays once and tries twice (or two clients, where "
            "one has to meet another's key), and at any moment one crash, one lost message, one "
            "lease that runs out under a slow owner and one failure of the processor. "
            "With nothing missing, every property holds in every state. "
            "No heartbeat alone and no fencing alone break nothing here: each makes up for the other."
        }
        div class="found__scroll" {
            table class="state found__table" {
                thead {
                    tr {
                        th scope="col" { "Weakened" }
                        th scope="col" { "What breaks" }
                        th scope="col" class="r" { "Moves" }
                        th scope="col" class="r" { "States" }
                    }
                }
                tbody {
                    @for found in found::all() {
                        @let here = found.weakened == current;
                        tr aria-current=[here.then_some("true")] {
                            th scope="row" {
                                @if here {
                                    (telling(found.weakened).lacks)
                                } @else {
                                    a href={ "/play/" (found.weakened.slug()) } { (telling(found.weakened).lacks) }
                                }
                            }
                            td { (property(found.example.property)) }
                            td class="r" { (found.example.moves.len()) }
                            td class="r" { (found.example.states) }
                        }
                    }
                }
            }
        }
        p { "Switch the same mechanisms off in the " a href="/lab#weaken" { "lab" } " and let the real service run into it." }
    }
}
