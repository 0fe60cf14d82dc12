//! The tree of calls, growing level by level.
//!
//! A level is a strip with its words on top, between the lines from the level above.
//! Strips are drawn in shares of the width, so the text keeps its size on a narrow
//! page.

use super::calls;
use maud::{Markup, html};
use model::retry::amplify::{Count, Level, Stack};

/// How many calls are drawn one by one: more would be thinner than a line.
const MOST: u128 = 81;

/// px: the lines from the level above, which the words stand on, and the marks.
const LINES: u32 = 32;
const MARKS: u32 = 10;

/// Who makes the calls of a level.
pub(super) fn caller(layer: u32) -> String {
    match layer {
        0 => "The user".to_owned(),
        layer => format!("Layer {layer}"),
    }
}

pub(super) fn draw(stack: &Stack) -> Markup {
    let levels = stack.levels();
    let crowded = levels.iter().find(|level| many(level).is_none());
    html! {
        p {
            "Each mark is a call; filled are as many as are made on average, rounded. "
            @match crowded {
                Some(level) => {
                    "From the calls of layer " (level.layer) " on there are more than " (MOST)
                    ", too many to draw one by one: those levels are bars over the whole width, not to scale."
                },
                None => "Every call of the worst case is drawn.",
            }
        }
        ol class="amp__tree" {
            @for (index, level) in levels.iter().enumerate() {
                @let above = index.checked_sub(1).and_then(|index| levels.get(index));
                li class={ "amp__level amp__level--" (index) } {
                    p class="amp__row" {
                        span class="amp__who" { (caller(level.layer)) }
                        @if level.layer > 0 { span class="amp__times" { "× " (level.attempts) } }
                        span class="amp__calls" { (calls(level.worst)) }
                    }
                    (strip(level, above))
                }
            }
        }
    }
}

/// The calls of a level, where they can be drawn one by one.
fn many(level: &Level) -> Option<u128> {
    match level.worst {
        Count::Exact(calls) if calls <= MOST => Some(calls),
        Count::Exact(_) | Count::Mean(_) => None,
    }
}

/// A level under the one above it.
fn strip(level: &Level, above: Option<&Level>) -> Markup {
    let made = level.expected.value().round();
    html! {
        svg class="amp__strip" width="100%" height=(LINES + MARKS) aria-hidden="true" {
            @match many(level) {
                Some(calls) => {
                    @for call in 0..calls {
                        @let at = share(call, calls);
                        @if let Some(above) = above.and_then(many) {
                            line class="amp__line" x1=(percent(share(call / u128::from(level.attempts), above)))
                                y1="0" x2=(percent(at)) y2=(LINES) {}
                        }
                        @let wide = (60.0 / calls as f64).min(3.0);
                        rect class=(if (call as f64) < made { "amp__call" } else { "amp__call amp__call--not" })
                            x=(percent(at - wide / 2.0)) y=(LINES) width=(percent(wide)) height=(MARKS) {}
                    }
                }
                None => {
                    // From the last level that could be drawn, the tree runs into the bar.
                    @if let Some(above) = above.and_then(many) {
                        @for call in 0..above {
                            @let half = 50.0 / above as f64;
                            @for end in [-half, half] {
                                line class="amp__line" x1=(percent(share(call, above))) y1="0"
                                    x2=(percent(share(call, above) + end)) y2=(LINES) {}
                            }
                        }
                    }
                    rect class="amp__call amp__call--not" x="0" y=(LINES) width="100%" height=(MARKS) {}
                    @let part = (level.expected.value() / level.worst.value() * 100.0).clamp(0.0, 100.0);
                    rect class="amp__call" x="0" y=(LINES) width=(percent(part)) height=(MARKS) {}
                }
            }
        }
    }
}

/// The middle of a call among so many, in percent of the width.
fn share(call: u128, calls: u128) -> f64 {
    (call as f64 + 0.5) * 100.0 / calls as f64
}

fn percent(share: f64) -> String {
    format!("{share:.2}%")
}
