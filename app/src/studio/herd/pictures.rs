//! The pictures: small ones on one scale, each with its points as a table.

use super::draw::{waves, words};
use crate::studio::panels::{Ink, MOST_COLUMNS, Panel, Scale, Series, percent, short};
use crate::studio::sim::count;
use maud::{Markup, html};
use model::Ms;
use model::outage::{Bin, Herd, HerdInputs, Herds, Kind};

/// How a kind draws a wait.
const fn rule(kind: Kind) -> &'static str {
    match kind {
        Kind::None => "Each waits the whole window.",
        Kind::Full => "Each waits anything from 0 to the window.",
        Kind::Equal => "Half of the window, and anything up to the other half.",
        Kind::Decorrelated => {
            "Anything from the first window to three times the last wait, cut at the longest window."
        }
    }
}

/// Bins put together so that there are not too many columns.
pub(crate) struct Columns {
    /// How many bins a column has.
    pub(crate) bins: usize,
    pub(crate) all: Vec<Bin>,
}

pub(super) fn columns(bins: &[Bin], together: usize) -> Columns {
    let all = bins
        .chunks(together.max(1))
        .map(|chunk| {
            chunk.iter().fold(Bin::default(), |sum, bin| Bin {
                arrivals: sum.arrivals.saturating_add(bin.arrivals),
                rejected: sum.rejected.saturating_add(bin.rejected),
                served: sum.served.saturating_add(bin.served),
                wasted: sum.wasted.saturating_add(bin.wasted),
                timed_out: sum.timed_out.saturating_add(bin.timed_out),
                gave_up: sum.gave_up.saturating_add(bin.gave_up),
            })
        })
        .collect();
    Columns {
        bins: together.max(1),
        all,
    }
}

/// The scales that the four pictures share, and how many bins a column has.
pub(crate) struct Scales {
    pub(crate) x: Scale,
    y: Scale,
    together: usize,
    column: f64,
}

pub(crate) fn scales(inputs: &HerdInputs, herds: &Herds) -> Scales {
    let longest = herds
        .all()
        .iter()
        .map(|herd| herd.bins().len())
        .max()
        .unwrap_or(0);
    let together = longest.div_ceil(MOST_COLUMNS).max(1);
    let most = herds
        .all()
        .iter()
        .flat_map(|herd| columns(herd.bins(), together).all)
        .map(|bin| bin.arrivals.max(bin.served).max(bin.wasted))
        .max()
        .unwrap_or(1);
    let column = together as f64 * inputs.bin_ms as f64;
    let count = longest.div_ceil(together).max(1);
    Scales {
        x: Scale::new(column * count as f64, "ms"),
        y: Scale::new(f64::from(most), ""),
        together,
        column,
    }
}

/// Marks of the first waves. A wave close to the one before shares its word.
pub(super) fn marks(waves: &[(Ms, u32)], x: &Scale) -> Vec<(f64, String)> {
    const CLOSE: f64 = 0.08;
    let mut marks: Vec<(f64, String)> = Vec::new();
    let mut word = 0;
    for (at, _) in waves.iter().take(3) {
        let here = *at as f64;
        let close = marks
            .get(word)
            .is_some_and(|(before, _)| x.share(here) - x.share(*before) < CLOSE);
        if close {
            marks[word].1.push_str(&format!(", {at}"));
            marks.push((here, String::new()));
        } else {
            word = marks.len();
            marks.push((here, at.to_string()));
        }
    }
    marks
}

pub(super) fn panel<'a>(
    inputs: &HerdInputs,
    herd: &Herd,
    scales: &'a Scales,
    id: &'a str,
    up: &'a str,
) -> Panel<'a> {
    let sum = herd.summary();
    let columns = columns(herd.bins(), scales.together).all;
    let series = |class, ink, of: &dyn Fn(&Bin) -> u32| Series {
        class,
        ink,
        values: columns.iter().map(|bin| Some(f64::from(of(bin)))).collect(),
    };
    let mut all = vec![
        series("in", Ink::Fill, &|bin| {
            bin.arrivals.saturating_sub(bin.rejected)
        }),
        series("out", Ink::Fill, &|bin| bin.rejected),
        series("good", Ink::Step, &|bin| bin.served),
    ];
    if sum.wasted > 0 {
        all.push(series("waste", Ink::Step, &|bin| bin.wasted));
    }
    let marks = if herd.kind() == Kind::None {
        marks(&waves(inputs, herd), &scales.x)
    } else {
        Vec::new()
    };
    Panel {
        id,
        title: format!(
            "{}: arrivals over time. {} calls, the busiest {} ms have {}",
            words(herd.kind()),
            count(sum.calls),
            inputs.bin_ms,
            count(sum.peak.into())
        ),
        up,
        x: &scales.x,
        y: &scales.y,
        column: scales.column,
        series: all,
        bands: Vec::new(),
        marks,
    }
}

pub(super) fn up(scales: &Scales) -> String {
    format!("calls in {} ms", short(scales.column))
}

pub(super) fn pictures(inputs: &HerdInputs, herds: &Herds) -> Markup {
    let scales = scales(inputs, herds);
    let up = up(&scales);
    let kept = (HerdInputs::MOST_BINS as u64).saturating_mul(inputs.bin_ms);
    let cut = herds
        .all()
        .iter()
        .any(|herd| herd.bins().len() >= HerdInputs::MOST_BINS);
    html! {
        section.sim__pictures aria-labelledby="pictures" {
            h2 id="pictures" { "The same herd, four ways to wait" }
            p.sim__legend {
                span.key.key--in { "let in" } span.key.key--out { "rejected, on top" }
                span.key.key--good { "served" } span.key.key--waste { "wasted" }
            }
            (player(&scales))
            div.sim__grid {
                @for herd in herds.all() {
                    @let kind = herd.kind().name();
                    @let (id, rows) = (format!("herd-{kind}"), format!("herd-{kind}-rows"));
                    figure.sim__one data-kind=(kind) {
                        figcaption { h3 { (words(herd.kind())) } p { (rule(herd.kind())) } }
                        (panel(inputs, herd, &scales, &id, &up).figure(&rows))
                        (crowd(inputs, herd))
                        (rows_of(inputs, herd, &scales, &rows))
                    }
                }
            }
            @if cut {
                p.sim__note {
                    "The pictures end at " (count(kept)) " ms, which is as much as is kept; the figures count everything. "
                    "Wider columns show more."
                }
            }
        }
    }
}

/// Buttons and scrubber; they come alive with the island.
pub(super) fn player(scales: &Scales) -> Markup {
    html! {
        div.sim__player data-player="" hidden {
            button.btn type="button" data-play="" { "Play" }
            label.sim__scrub {
                span.vh { "Time" }
                input type="range" min="0" max="1000" value="1000" step="1" data-scrub=""
                    data-most=(scales.x.most) aria-valuetext=(format!("{} ms, the end", short(scales.x.most)));
            }
            output.sim__time name="time" data-time="" { (short(scales.x.most)) " ms" }
            p.sim__still data-still="" hidden {
                "Your system asks for less motion, so nothing plays: this is the whole run in one still picture. "
                "The slider still goes through it by hand."
            }
        }
    }
}

/// What has become of the clients by the end.
pub(super) fn crowd(inputs: &HerdInputs, herd: &Herd) -> Markup {
    let sum = herd.summary();
    crowd_at(inputs.clients.into(), sum.served, sum.gave_up)
}

/// What has become of the clients: served, gave up, still waiting.
pub(crate) fn crowd_at(clients: u64, served: u64, gave_up: u64) -> Markup {
    let share = |part: u64| part as f64 / clients.max(1) as f64;
    let waiting = clients.saturating_sub(served + gave_up);
    html! {
        div.crowd data-crowd="" {
            svg width="100%" height="10" aria-hidden="true" {
                rect.crowd__all x="0" y="0" width="100%" height="10" {}
                rect.s-good x="0" y="0" width=(percent(share(served))) height="10" {}
                rect.s-out x=(percent(1.0 - share(gave_up))) y="0" width=(percent(share(gave_up))) height="10" {}
            }
            p { b { (count(served)) } " served, " b { (count(waiting)) } " waiting, " b { (count(gave_up)) } " gave up" }
        }
    }
}

/// The points of a picture as a table.
pub(super) fn rows_of(inputs: &HerdInputs, herd: &Herd, scales: &Scales, id: &str) -> Markup {
    let columns = columns(herd.bins(), scales.together);
    let width = columns.bins as u64 * inputs.bin_ms;
    html! {
        details.sim__table {
            summary { "The points as a table" }
            div.sim__scroll tabindex="0" role="region" aria-label=(format!("Points: {}", words(herd.kind()))) {
                table {
                    thead { tr { th scope="col" { "from, ms" } th scope="col" { "arrivals" } th scope="col" { "rejected" }
                        th scope="col" { "served" } th scope="col" { "wasted" } th scope="col" { "timed out" } th scope="col" { "gave up" } } }
                    tbody id=(id) {
                        @for (at, bin) in columns.all.iter().enumerate().filter(|(_, bin)| **bin != Bin::default()) {
                            tr data-x=(at) {
                                th scope="row" { (at as u64 * width) }
                                @for it in [bin.arrivals, bin.rejected, bin.served, bin.wasted, bin.timed_out, bin.gave_up] {
                                    td { (it) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
