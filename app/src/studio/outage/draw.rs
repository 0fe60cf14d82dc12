//! The outage's results as HTML text: the same on the server and in the browser.

use super::fields::label;
use super::pictures::{latency, load, pictures, scales};
use super::words::{self, recovery, relief, told};
use super::{Asked, SERVER_EVENTS, TIP, Tip};
use crate::studio::panels::{self, short};
use crate::studio::sim::{self, count, ms, output, per_cent};
use maud::{Markup, html};
use model::outage::{Latency, OutageInputs, OutageSummary, Outages, Recovery, Relief, Strategy};

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
