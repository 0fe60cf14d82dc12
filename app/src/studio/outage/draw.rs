//! The outage's results as HTML text: the same on the server and in the browser.

use super::words::{self, recovery, relief, rule, told};
use super::{Asked, SERVER_EVENTS, TIP, Tip};
use crate::studio::Field;
use crate::studio::panels::{self, Band, Ink, MOST_COLUMNS, Panel, Scale, Series, short};
use crate::studio::sim::{self, count, ms, output, per_cent};
use maud::{Markup, html};
use model::outage::{
    Fields as _, Latency, Outage, OutageBin, OutageField, OutageInputs, OutageSummary, Outages,
    Recovery, Relief, Strategy,
};

/// What a field is called, its unit, and under which heading it stands.
const fn label(field: OutageField) -> (&'static str, &'static str, &'static str) {
    const LOAD: &str = "Load and server";
    const RETRIES: &str = "Retries";
    const OUTAGE: &str = "Outage";
    const RELIEF: &str = "What is done about it";
    const PICTURE: &str = "Picture";
    match field {
        OutageField::Rate => ("Offered load", "requests/s", LOAD),
        OutageField::Seconds => ("Requests arrive for", "s", LOAD),
        OutageField::Clients => ("Client processes", "", LOAD),
        OutageField::Capacity => ("Capacity", "calls/s", LOAD),
        OutageField::Queue => ("Room in the queue", "calls", LOAD),
        OutageField::Service => ("A call needs besides its turn", "ms", LOAD),
        OutageField::Timeout => ("Time-out of a call", "ms", RETRIES),
        OutageField::Attempts => ("Attempts, the first included", "", RETRIES),
        OutageField::Base => ("First window", "ms", RETRIES),
        OutageField::Factor => ("Windows grow by", "times", RETRIES),
        OutageField::Cap => ("Longest window", "ms", RETRIES),
        OutageField::From => ("Outage starts at", "s", OUTAGE),
        OutageField::Until => ("Its cause is gone at", "s", OUTAGE),
        OutageField::Loss => ("Capacity lost meanwhile", "%", OUTAGE),
        OutageField::Fail => ("Calls that fail meanwhile", "%", OUTAGE),
        OutageField::Relief => ("Relief", "", RELIEF),
        OutageField::ReliefAt => ("At", "s", RELIEF),
        OutageField::ReliefFor => ("Shedding lasts", "s", RELIEF),
        OutageField::ReliefShare => ("Share shed, or added", "%", RELIEF),
        OutageField::Bin => ("Width of a column", "ms", PICTURE),
        OutageField::Seed => ("Seed", "", PICTURE),
    }
}

/// The fields of the form.
pub(crate) fn fields(asked: &Asked) -> Vec<Field> {
    let mut fields: Vec<_> = OutageField::ALL
        .iter()
        .map(|field| {
            let (label, unit, group) = label(*field);
            let it = sim::field(&asked.form, *field, label, unit).under(group);
            if *field == OutageField::Relief {
                let choices = Relief::ALL.map(|it| (it.name(), relief(it)));
                let choice =
                    Field::choice(it.name, it.label, choices.into(), it.value).under(group);
                return choice.wrong(it.is_wrong.then_some(it.note));
            }
            it
        })
        .collect();
    let mut choices = vec![("", "of none")];
    choices.extend(Strategy::ALL.map(|it| (it.name(), words::strategy(it))));
    let unknown = asked.unknown.as_ref();
    let value = unknown.map_or(asked.tip.map_or("", Strategy::name), String::as_str);
    fields.push(
        Field::choice(TIP, "Find the tipping point", choices, value.to_owned())
            .under("Picture")
            .wrong(unknown.map(|_| {
                let words = Strategy::ALL.map(Strategy::name).join(", ");
                format!("Write one of these: {words}.")
            })),
    );
    fields
}

/// Where the server leaves the run to the browser.
pub(crate) fn too_large(asked: &Asked) -> Markup {
    html! {
        (sim::problems(&asked.form, |field| label(field).0))
        p.sim__pending data-pending="" {
            "This run takes more than " (count(SERVER_EVENTS.into()))
            " events, which is what the server does for one page. A browser with JavaScript runs it here. "
            "Without JavaScript, ask for fewer requests or attempts: " a href="/outage" { "4200 requests" } "."
        }
    }
}

/// Everything that came of runs that are done.
pub(crate) fn results(asked: &Asked, outages: &Outages, tip: Tip, by: &str) -> Markup {
    let inputs = &asked.form.inputs;
    let sums: Vec<_> = outages
        .all()
        .iter()
        .map(|it| (it.strategy(), it.summary()))
        .collect();
    html! {
        (sim::problems(&asked.form, |field| label(field).0))
        (gist(inputs, &sums))
        (pictures(inputs, outages, &sums))
        (table(inputs, &sums))
        (tipping(asked, tip))
        (sim::digest(outages.digest(), by))
    }
}

fn named(
    sums: &[(Strategy, OutageSummary)],
    which: impl Fn(&OutageSummary) -> bool,
) -> Vec<&'static str> {
    sums.iter()
        .filter(|(_, sum)| which(sum))
        .map(|(strategy, _)| words::strategy(*strategy))
        .collect()
}

/// Which of them came back, in a sentence.
pub(crate) fn said(outages: &Outages) -> String {
    let sums: Vec<_> = outages
        .all()
        .iter()
        .map(|it| (it.strategy(), it.summary()))
        .collect();
    let down = named(&sums, |sum| sum.recovery == Recovery::Never);
    if down.is_empty() {
        return "Every strategy comes back, as far as this run can tell.".to_owned();
    }
    format!(
        "{} of {} do not come back: {}.",
        down.len(),
        sums.len(),
        down.join(", ")
    )
}

fn gist(inputs: &OutageInputs, sums: &[(Strategy, OutageSummary)]) -> Markup {
    let down = named(sums, |sum| sum.recovery == Recovery::Never);
    let utilised = f64::from(inputs.rate) / f64::from(inputs.capacity.max(1));
    html! {
        section.sim__large aria-labelledby="large" {
            h2 id="large" {
                @if down.is_empty() { "Every strategy comes back, as far as this run can tell." }
                @else if down.len() == sums.len() { "Nothing comes back, not even without retries." }
                @else { (down.len()) " of " (sums.len()) " do not come back: " (down.join(", ")) "." }
            }
            p.sim__note {
                "The same " (count(inputs.requests().into())) " requests arrive under each strategy, "
                (count(inputs.rate.into())) " a second at a server for " (count(inputs.capacity.into())) ": a load of "
                (per_cent(utilised)) ". From " (inputs.from_s) " to " (inputs.until_s) " s it has lost " (inputs.loss)
                " % of its capacity and " (inputs.fail) " % of the calls fail at once."
                @if inputs.relief != Relief::None {
                    " At " (inputs.relief_at_s) " s: " (relief(inputs.relief).to_lowercase())
                    @match inputs.relief {
                        Relief::Shed => { " (" (inputs.relief_share.min(100)) " % for " (inputs.relief_for_s) " s)" }
                        Relief::Capacity => { " (" (inputs.relief_share) " % more)" }
                        _ => {}
                    }
                    "."
                }
            }
        }
    }
}

/// The scales that all pictures share, and how many bins a column has.
struct Scales {
    x: Scale,
    calls: Scale,
    latency: Scale,
    together: usize,
    column: f64,
}

/// Calls a second in a column of so many ms.
fn a_second(number: u32, column_ms: f64) -> f64 {
    f64::from(number) * 1000.0 / column_ms
}

/// The bins of a column as one.
fn columns(bins: &[OutageBin], together: usize) -> Vec<OutageBin> {
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
fn latencies(outage: &Outage, together: usize) -> Vec<Option<Latency>> {
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

fn scales(inputs: &OutageInputs, outages: &Outages) -> Scales {
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
fn load<'a>(
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

fn band(inputs: &OutageInputs) -> Band {
    Band {
        from: inputs.from_s.into(),
        until: inputs.until_s.into(),
    }
}

fn relief_mark(inputs: &OutageInputs) -> Vec<(f64, String)> {
    if inputs.relief == Relief::None {
        Vec::new()
    } else {
        vec![(f64::from(inputs.relief_at_s), "relief".to_owned())]
    }
}

/// Latency percentiles of one strategy.
fn latency<'a>(
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

fn pictures(
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
fn rows_of(outage: &Outage, strategy: Strategy, scales: &Scales, id: &str) -> Markup {
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

/// All strategies beside each other in figures.
fn table(inputs: &OutageInputs, sums: &[(Strategy, OutageSummary)]) -> Markup {
    let latency = |of: &OutageSummary, pick: fn(&Latency) -> f64| {
        of.latency
            .as_ref()
            .map_or_else(|| "none".to_owned(), |it| ms(pick(it)))
    };
    html! {
        section.sim__side aria-labelledby="side" {
            h2 id="side" { "Side by side" }
            div.sim__scroll tabindex="0" role="region" aria-label="Side by side: all figures" {
                table {
                    thead { tr {
                        th scope="col" { "strategy" } th scope="col" { "after the outage" } th scope="col" { "succeeded" }
                        th scope="col" { "of all" } th scope="col" { "calls a request" } th scope="col" { "goodput after, /s" }
                        th scope="col" { "wasted calls" } th scope="col" { "held back" }
                        th scope="col" { "p50, ms" } th scope="col" { "p95, ms" } th scope="col" { "p99, ms" }
                    } }
                    tbody {
                        @for (strategy, sum) in sums {
                            tr {
                                th scope="row" { (words::strategy(*strategy)) }
                                @for (name, value) in [
                                    ("recovery", recovery(inputs, sum.recovery)),
                                    ("completed", count(sum.completed)),
                                    ("success", per_cent(sum.success)),
                                    ("load", short((sum.load * 100.0).round() / 100.0)),
                                    ("goodput", sum.goodput_after.map_or_else(|| "none".to_owned(), |it| short((it * 10.0).round() / 10.0))),
                                    ("wasted", count(sum.wasted)),
                                    ("held", count(sum.held)),
                                    ("p50", latency(sum, |it| it.p50_ms)),
                                    ("p95", latency(sum, |it| it.p95_ms)),
                                    ("p99", latency(sum, |it| it.p99_ms)),
                                ] {
                                    td { (output(&format!("{name}-{}", strategy.name()), &value, "")) }
                                }
                            }
                        }
                    }
                }
            }
            p.sim__note {
                "It works while nine of ten requests that arrive succeed in the end, looked at a second at a time "
                "(longer where fewer than twenty arrive in one). Goodput after counts the requests that arrived once the cause was gone."
            }
        }
    }
}

/// The load from which on it does not come back.
fn tipping(asked: &Asked, tip: Tip) -> Markup {
    html! {
        section.sim__tip aria-labelledby="tip" {
            h2 id="tip" { "The tipping point" }
            p {
                "From which offered load on does the system stay down although the cause is gone? "
                "Everything else stays as it is in the form; each load that is tried is a whole run."
            }
            p.sim__tips {
                @for strategy in Strategy::ALL {
                    a.btn.btn--sm data-tip=(strategy.name()) href={ "/outage?" (sim::query(&asked.form, &[(TIP, strategy.name())])) "#tip" }
                        aria-label={ "Find the tipping point: " (words::strategy(strategy)) }
                        aria-current=[(asked.tip == Some(strategy)).then_some("true")] { (words::strategy(strategy)) }
                }
            }
            @match tip {
                Tip::NotAsked => {}
                Tip::Found(strategy, None, tried) => p.sim__verdict {
                    (words::strategy(strategy)) ": " (output("tipping", "none", "")) ". It comes back at every load below the capacity of "
                    (count(asked.form.inputs.capacity.into())) " a second, or the run is too short to tell. " (tried) " loads were tried."
                },
                Tip::Found(strategy, Some(rate), tried) => p.sim__verdict data-down="" {
                    (words::strategy(strategy)) ": " (output("tipping", &count(rate.into()), "requests a second"))
                    ". At that load, " (per_cent(f64::from(rate) / f64::from(asked.form.inputs.capacity.max(1))))
                    " of the capacity, it does not come back; one request a second less, and it does. "
                    (tried) " loads were tried on this seed; near the point the seed matters. "
                    a href={ "/outage?" (at_rate(asked, rate)) } { "See it there" } "."
                },
                Tip::TooMuch(strategy) => p.sim__verdict {
                    (words::strategy(strategy)) ": finding it takes more runs than the server does for one page. A browser with JavaScript finds it here."
                },
            }
        }
    }
}

fn at_rate(asked: &Asked, rate: u32) -> String {
    use model::outage::Inputs as _;
    OutageInputs {
        rate,
        ..asked.form.inputs
    }
    .query()
}

/// All pictures in one file.
pub(crate) fn svg(asked: &Asked, outages: &Outages) -> String {
    let inputs = &asked.form.inputs;
    let scales = scales(inputs, outages);
    let mut pictures = Vec::new();
    for outage in outages.all() {
        let (sum, name) = (outage.summary(), outage.strategy().name());
        let one = load(inputs, outage, &sum, &scales, &format!("load-{name}")).svg();
        let two = latency(inputs, outage, &sum, &scales, &format!("latency-{name}")).svg();
        let title = words::strategy(outage.strategy());
        pictures.push((
            format!(
                "{title}: calls sent and requests that succeed, a second. {}",
                told(inputs, &sum)
            ),
            one,
        ));
        pictures.push((
            format!("{title}: latency of what succeeds, ms (p50, p95, p99)"),
            two,
        ));
    }
    panels::file(
        &format!(
            "The outage: {} requests a second at {}, seed {}",
            inputs.rate, inputs.capacity, inputs.seed
        ),
        &pictures,
    )
}
