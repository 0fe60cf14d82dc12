//! The pictures: small ones on one scale, each with its points as a table.

use super::words::{self, rule, told};
use crate::studio::panels::{Band, Ink, MOST_COLUMNS, Panel, Scale, Series, short};
use crate::studio::sim::ms;
use maud::{Markup, html};
use model::outage::{
    Latency, Outage, OutageBin, OutageInputs, OutageSummary, Outages, Recovery, Relief, Strategy,
};

/// Calls a second in a column of so many ms.
pub(super) fn a_second(number: u32, column_ms: f64) -> f64 {
    f64::from(number) * 1000.0 / column_ms
}

/// The bins of a column as one.
pub(super) fn columns(bins: &[OutageBin], together: usize) -> Vec<OutageBin> {
    let add = |sum: OutageBin, bin: &OutageBin| OutageBin {
        offered: sum.offered + bin.offered,
        sent: sum.sent + bin.sent,
        completed: sum.completed + bin.completed,
        failed: sum.failed + bin.failed,
        held: sum.held + bin.held,
        errors: sum.errors + bin.errors,
        rejected: sum.rejected + bin.rejected,
        timed_out: sum.timed_out + bin.timed_out,
        wasted: sum.wasted + bin.wasted,
        // At the end of the column.
        inside: bin.inside,
    };
    bins.chunks(together)
        .map(|chunk| chunk.iter().fold(OutageBin::default(), add))
        .collect()
}

/// The slowest bin of a column stands for it.
pub(super) fn latencies(outage: &Outage, together: usize) -> Vec<Option<Latency>> {
    outage
        .latency_by_bin()
        .chunks(together)
        .map(|chunk| {
            chunk
                .iter()
                .flatten()
                .max_by(|a, b| a.p99_ms.total_cmp(&b.p99_ms))
                .copied()
        })
        .collect()
}

/// The scales that all pictures share, and how many bins a column has.
pub(super) struct Scales {
    x: Scale,
    calls: Scale,
    latency: Scale,
    together: usize,
    column: f64,
}

pub(super) fn scales(inputs: &OutageInputs, outages: &Outages) -> Scales {
    let longest = outages
        .all()
        .iter()
        .map(|it| it.bins().len())
        .max()
        .unwrap_or(0);
    let together = longest.div_ceil(MOST_COLUMNS).max(1);
    let column = together as f64 * inputs.bin_ms as f64;
    let most = outages
        .all()
        .iter()
        .flat_map(|it| columns(it.bins(), together))
        .map(|bin| bin.sent.max(bin.completed))
        .max()
        .unwrap_or(1);
    let slowest = outages
        .all()
        .iter()
        .flat_map(|it| latencies(it, together))
        .flatten()
        .map(|it| it.p99_ms)
        .fold(1.0, f64::max);
    let count = longest.div_ceil(together).max(1);
    Scales {
        x: Scale::new(column * count as f64 / 1000.0, "s"),
        calls: Scale::new(a_second(most, column).max(f64::from(inputs.capacity)), ""),
        latency: Scale::new(slowest, ""),
        together,
        column,
    }
}

/// Load and goodput of one strategy.
pub(super) fn load<'a>(
    inputs: &OutageInputs,
    outage: &Outage,
    sum: &OutageSummary,
    scales: &'a Scales,
    id: &'a str,
) -> Panel<'a> {
    let columns = columns(outage.bins(), scales.together);
    let series = |class, ink, of: &dyn Fn(&OutageBin) -> u32| Series {
        class,
        ink,
        values: columns
            .iter()
            .map(|bin| Some(a_second(of(bin), scales.column)))
            .collect(),
    };
    Panel {
        id,
        title: format!(
            "{}: load and goodput over time. {}",
            words::strategy(outage.strategy()),
            told(inputs, sum)
        ),
        up: "a second: calls sent, requests that succeed",
        x: &scales.x,
        y: &scales.calls,
        column: scales.column / 1000.0,
        series: vec![
            series("in", Ink::Fill, &|bin| bin.sent),
            series("good", Ink::Step, &|bin| bin.completed),
        ],
        bands: vec![band(inputs)],
        marks: relief_mark(inputs),
    }
}

pub(super) fn band(inputs: &OutageInputs) -> Band {
    Band {
        from: inputs.from_s.into(),
        until: inputs.until_s.into(),
    }
}

pub(super) fn relief_mark(inputs: &OutageInputs) -> Vec<(f64, String)> {
    if inputs.relief == Relief::None {
        Vec::new()
    } else {
        vec![(f64::from(inputs.relief_at_s), "relief".to_owned())]
    }
}

/// Latency percentiles of one strategy.
pub(super) fn latency<'a>(
    inputs: &OutageInputs,
    outage: &Outage,
    sum: &OutageSummary,
    scales: &'a Scales,
    id: &'a str,
) -> Panel<'a> {
    let all = latencies(outage, scales.together);
    let line = |class, of: &dyn Fn(&Latency) -> f64| Series {
        class,
        ink: Ink::Line,
        values: all.iter().map(|it| it.as_ref().map(of)).collect(),
    };
    let whole = sum.latency.map_or_else(
        || "nothing succeeded".to_owned(),
        |it| format!("p99 over all {} ms", ms(it.p99_ms)),
    );
    Panel {
        id,
        title: format!(
            "{}: latency of what succeeds, over time; {whole}",
            words::strategy(outage.strategy())
        ),
        up: "ms until success: p50, p95, p99",
        x: &scales.x,
        y: &scales.latency,
        column: scales.column / 1000.0,
        series: vec![
            line("p50", &|it| it.p50_ms),
            line("p95", &|it| it.p95_ms),
            line("p99", &|it| it.p99_ms),
        ],
        bands: vec![band(inputs)],
        marks: relief_mark(inputs),
    }
}

pub(super) fn pictures(
    inputs: &OutageInputs,
    outages: &Outages,
    sums: &[(Strategy, OutageSummary)],
) -> Markup {
    let scales = scales(inputs, outages);
    html! {
        section.sim__pictures aria-labelledby="pictures" {
            h2 id="pictures" { "The same arrivals, nine ways to retry" }
            p.sim__legend {
                span.key.key--in { "calls sent" } span.key.key--good { "requests that succeed" }
                span.key.key--p50 { "p50" } span.key.key--p95 { "p95" } span.key.key--p99 { "p99" }
                span.key.key--band { "the outage" }
            }
            p.sim__note {
                "All pictures have one scale. A column is " (short(scales.column)) " ms. "
                "Latency counts from a request’s arrival to its success, waits and failed calls included; where nothing succeeds, there is none."
            }
            div.sim__grid.sim__grid--three {
                @for (outage, (strategy, sum)) in outages.all().iter().zip(sums) {
                    @let name = strategy.name();
                    @let (one, two, rows) = (format!("load-{name}-chart"), format!("latency-{name}-chart"), format!("outage-{name}-rows"));
                    figure.sim__one data-strategy=(name) {
                        figcaption {
                            h3 { (words::strategy(*strategy)) }
                            p { (rule(*strategy)) }
                            p.sim__verdict data-down=[(sum.recovery == Recovery::Never).then_some("")] { (told(inputs, sum)) }
                        }
                        (load(inputs, outage, sum, &scales, &one).figure(&rows))
                        (latency(inputs, outage, sum, &scales, &two).figure(&rows))
                        (rows_of(outage, *strategy, &scales, &rows))
                    }
                }
            }
        }
    }
}

/// The points of both pictures of a strategy as a table.
pub(super) fn rows_of(outage: &Outage, strategy: Strategy, scales: &Scales, id: &str) -> Markup {
    let latencies = latencies(outage, scales.together);
    html! {
        details.sim__table {
            summary { "The points as a table" }
            div.sim__scroll tabindex="0" role="region" aria-label=(format!("Points: {}", words::strategy(strategy))) {
                table {
                    thead { tr {
                        th scope="col" { "from, s" } th scope="col" { "sent" } th scope="col" { "succeeded" } th scope="col" { "failed" }
                        th scope="col" { "held back" } th scope="col" { "wasted" } th scope="col" { "in the server" }
                        th scope="col" { "p50, ms" } th scope="col" { "p95, ms" } th scope="col" { "p99, ms" }
                    } }
                    tbody id=(id) {
                        @for (at, bin) in columns(outage.bins(), scales.together).iter().enumerate() {
                            @let it = latencies.get(at).copied().flatten();
                            tr data-x=(at) {
                                th scope="row" { (short(at as f64 * scales.column / 1000.0)) }
                                @for it in [bin.sent, bin.completed, bin.failed, bin.held, bin.wasted, bin.inside] { td { (it) } }
                                @for it in [it.map(|it| it.p50_ms), it.map(|it| it.p95_ms), it.map(|it| it.p99_ms)] {
                                    td { @if let Some(it) = it { (ms(it)) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
