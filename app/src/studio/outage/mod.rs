//! The outage: the same arrivals under nine ways to retry.

mod draw;
mod fields;
#[cfg(feature = "hydrate")]
pub(crate) mod live;
mod pictures;
mod words;

use super::{Drawn, Pairs, borrowed, csv_line, panels, sim};
use model::outage::{OutageForm, OutageInputs, Outages, Strategy, Tipping};
use std::fmt::Write;

/// The page's query: the form, and whose tipping point is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) form: OutageForm,
    pub(crate) tip: Option<Strategy>,
    /// What was asked for and is no strategy.
    pub(crate) unknown: Option<String>,
}

/// The parameter that asks for a tipping point.
pub(crate) const TIP: &str = "tip";

impl Asked {
    /// Reads the pairs of a query, already unescaped.
    pub(crate) fn read<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)> + Clone) -> Self {
        let word = pairs
            .clone()
            .into_iter()
            .filter(|(name, _)| *name == TIP)
            .last()
            .map(|(_, value)| value.trim().to_ascii_lowercase())
            .filter(|word| !word.is_empty());
        let tip = word
            .as_ref()
            .and_then(|word| Strategy::ALL.into_iter().find(|it| it.name() == word));
        Self {
            form: OutageForm::read(pairs),
            tip,
            unknown: if tip.is_none() { word } else { None },
        }
    }

    /// The canonical query string.
    pub(crate) fn query(&self) -> String {
        sim::query(&self.form, &[(TIP, self.tip.map_or("", Strategy::name))])
    }
}

/// What the server does for one page at the most, in events of the model: a tenth of
/// a second. A browser has no such limit.
pub(crate) const SERVER_EVENTS: u32 = 1_000_000;

/// What was found of the tipping point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tip {
    /// Nobody asked.
    NotAsked,
    /// The least load that is not come back from, if there is one.
    Found(Strategy, Option<u32>, u32),
    /// Over the server's limit.
    TooMuch(Strategy),
}

/// Runs all strategies on the server, if they come to an end within its limit.
pub(crate) fn within_limit(inputs: &OutageInputs) -> Option<Outages> {
    let mut outages = Outages::new(inputs);
    let mut left = SERVER_EVENTS;
    while left > 0 {
        let slice = left.min(SERVER_EVENTS / 10);
        left -= slice;
        if outages.run(slice).done {
            return Some(outages);
        }
    }
    None
}

fn tip_within_limit(asked: &Asked) -> Tip {
    let Some(strategy) = asked.tip else {
        return Tip::NotAsked;
    };
    let mut tipping = Tipping::new(&asked.form.inputs, strategy);
    for _ in 0..100 {
        if tipping.run(SERVER_EVENTS / 100) {
            return Tip::Found(strategy, tipping.rate(), tipping.tried());
        }
    }
    Tip::TooMuch(strategy)
}

/// Draws it, with the runs where they are within the server's limit.
#[must_use]
pub fn draw(pairs: &Pairs) -> Drawn {
    let asked = Asked::read(borrowed(pairs));
    let (results, said) = match within_limit(&asked.form.inputs) {
        Some(outages) => {
            let tip = tip_within_limit(&asked);
            (
                draw::results(&asked, &outages, tip, "server"),
                draw::said(&outages),
            )
        }
        None => (draw::too_large(&asked), String::new()),
    };
    Drawn {
        query: asked.query(),
        fields: fields::fields(&asked),
        results,
        said,
    }
}

/// What a file says where there is no run to write down.
const OVER: &str = "This run is over the server's limit: ask for fewer requests or attempts";

/// All strategies in one file, or a word about the limit.
#[must_use]
pub fn svg(pairs: &Pairs) -> String {
    let asked = Asked::read(borrowed(pairs));
    match within_limit(&asked.form.inputs) {
        Some(outages) => draw::svg(&asked, &outages),
        None => panels::file(OVER, &[]),
    }
}

/// The bins of all strategies as CSV, or a word about the limit.
#[must_use]
pub fn csv(pairs: &Pairs) -> String {
    let asked = Asked::read(borrowed(pairs));
    let Some(outages) = within_limit(&asked.form.inputs) else {
        return csv_line([OVER]);
    };
    let mut csv = "strategy,from_ms,to_ms,offered,sent,completed,failed,held,errors,rejected,timed_out,wasted,inside,p50_ms,p95_ms,p99_ms\r\n".to_owned();
    let width = asked.form.inputs.bin_ms;
    for outage in outages.all() {
        let latencies = outage.latency_by_bin();
        for (at, bin) in outage.bins().iter().enumerate() {
            let from = at as u64 * width;
            let _ = write!(csv, "{},{from},{}", outage.strategy().name(), from + width);
            for it in [
                bin.offered,
                bin.sent,
                bin.completed,
                bin.failed,
                bin.held,
                bin.errors,
                bin.rejected,
                bin.timed_out,
                bin.wasted,
                bin.inside,
            ] {
                let _ = write!(csv, ",{it}");
            }
            match latencies.get(at).copied().flatten() {
                Some(it) => {
                    let _ = write!(csv, ",{},{},{}\r\n", it.p50_ms, it.p95_ms, it.p99_ms);
                }
                // No request succeeded, so there is no latency.
                None => csv.push_str(",,,\r\n"),
            }
        }
    }
    csv
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studio::pairs;
    use crate::studio::testing::figure;

    fn results(query: &str) -> String {
        draw(&pairs(query)).results.into_string()
    }

    #[test]
    fn fixed_retries_do_not_come_back_and_a_budget_does() {
        let html = results("");
        assert_eq!(figure(&html, "recovery-fixed"), "does not come back");
        assert!(
            figure(&html, "recovery-budget").starts_with("back"),
            "{html}"
        );
        assert!(figure(&html, "recovery-none").starts_with("back"));
        for strategy in Strategy::ALL.map(Strategy::name) {
            for name in [
                "load",
                "success",
                "completed",
                "goodput",
                "p50",
                "p95",
                "p99",
                "wasted",
            ] {
                assert!(!figure(&html, &format!("{name}-{strategy}")).is_empty());
            }
        }
    }

    #[test]
    fn the_tipping_point_of_a_strategy_is_told_where_it_is_asked_for() {
        assert!(!results("").contains(r#"name="tipping""#));
        let html = results("tip=fixed");
        let rate: u32 = figure(&html, "tipping").parse().expect("a load");
        let inputs = OutageInputs::default();
        assert_eq!(
            model::outage::tipping_rate(&inputs, Strategy::Fixed),
            Some(rate)
        );
        assert_eq!(figure(&results("tip=breaker"), "tipping"), "none");
    }

    #[test]
    fn what_makes_no_sense_is_said_beside_its_field_and_nothing_is_nan() {
        for query in [
            "rate=abc&from=10&until=5&factor=NaN&cap=1",
            "rate=99999999999999&seconds=600&attempts=1025",
            "factor=inf&base=0&cap=0&bin=0&timeout=0&capacity=0",
            "relief=pray",
            "tip=all",
            "seconds=100000",
        ] {
            let drawn = draw(&pairs(query));
            let html = drawn.results.into_string();
            for word in ["NaN", "inf<", "Infinity", "style="] {
                assert!(!html.contains(word), "{query}: {word}");
            }
            assert!(drawn.fields.iter().any(|field| field.is_wrong), "{query}");
        }
        // The cause lasts to the end: there is nothing to divide by.
        let html = results("rate=1&seconds=1&from=0&until=600&fail=100&loss=100");
        assert!(!html.contains("NaN"));
        let fields = draw(&pairs("rate=abc&seed=5")).fields;
        let of = |name| {
            fields
                .iter()
                .find(|field| field.name == name)
                .expect("a field")
        };
        assert_eq!(
            (of("rate").value.as_str(), of("seed").value.as_str()),
            ("abc", "5")
        );
    }

    #[test]
    fn a_run_over_the_servers_limit_is_left_to_the_browser() {
        let over = "rate=1000&seconds=100&attempts=10&capacity=900&fail=100&until=100";
        let html = results(over);
        assert!(html.contains("data-pending") && !html.contains("load-fixed"));
        assert!(csv(&pairs(over)).contains("limit") && svg(&pairs(over)).contains("limit"));
    }

    #[test]
    fn the_query_says_everything_and_reads_back() {
        let one = draw(&pairs("rate=60&factor=1,5&relief=shed&tip=aws"));
        let two = draw(&pairs(&one.query));
        assert_eq!((&two.query, &two.fields), (&one.query, &one.fields));
        assert_eq!(two.query.split('&').count(), one.fields.len());
    }

    #[test]
    fn the_csv_adds_up_to_the_figures() {
        let query = pairs("seed=2");
        let csv = csv(&query);
        let asked = Asked::read(borrowed(&query));
        let outages = within_limit(&asked.form.inputs).expect("within the limit");
        for outage in outages.all() {
            let name = format!("{},", outage.strategy().name());
            let sent: u64 = csv
                .lines()
                .filter(|line| line.starts_with(&name))
                .filter_map(|row| row.split(',').nth(4)?.parse::<u64>().ok())
                .sum();
            assert_eq!(sent, outage.summary().sent, "{name}");
        }
    }
}
