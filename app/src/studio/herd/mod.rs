//! The herd: all clients failed together; how do they come back?

mod draw;
mod fields;
#[cfg(feature = "hydrate")]
pub(crate) mod live;
mod pictures;
#[cfg(feature = "hydrate")]
mod player;

use super::{Drawn, Pairs, borrowed, csv_line, panels, sim};
use model::outage::{HerdForm, HerdInputs, Herds, Kind, Progress};
use std::fmt::Write;

/// The page's query: the form, and which kind stands in the large figures.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) form: HerdForm,
    pub(crate) kind: Kind,
    /// What was asked for and is no kind.
    pub(crate) unknown: Option<String>,
}

/// The parameter that says which kind stands in the large figures.
pub(crate) const KIND: &str = "jitter";

impl Asked {
    /// Reads the pairs of a query, already unescaped.
    pub(crate) fn read<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)> + Clone) -> Self {
        let word = pairs
            .clone()
            .into_iter()
            .filter(|(name, value)| *name == KIND && !value.trim().is_empty())
            .last()
            .map(|(_, value)| value.trim().to_ascii_lowercase());
        let kind = word
            .as_ref()
            .and_then(|word| Kind::ALL.into_iter().find(|kind| kind.name() == word));
        Self {
            form: HerdForm::read(pairs),
            kind: kind.unwrap_or(Kind::None),
            unknown: if kind.is_none() { word } else { None },
        }
    }

    /// The canonical query string.
    pub(crate) fn query(&self) -> String {
        sim::query(&self.form, &[(KIND, self.kind.name())])
    }
}

/// What the server does for one page at the most, in steps of the model: a tenth of
/// a second. A browser has no such limit.
pub(crate) const SERVER_STEPS: u32 = 800_000;

/// Runs all four kinds on the server, if they come to an end within its limit.
pub(crate) fn within_limit(inputs: &HerdInputs) -> Result<Herds, Progress> {
    let mut herds = Herds::new(inputs);
    let progress = herds.run(SERVER_STEPS);
    if progress.done {
        Ok(herds)
    } else {
        Err(progress)
    }
}

/// Draws it, with the run where it is within the server's limit.
#[must_use]
pub fn draw(pairs: &Pairs) -> Drawn {
    let asked = Asked::read(borrowed(pairs));
    let (results, said) = match within_limit(&asked.form.inputs) {
        Ok(herds) => (
            draw::results(&asked, &herds, "server"),
            draw::said(&asked, &herds),
        ),
        Err(_) => (draw::too_large(&asked), String::new()),
    };
    Drawn {
        query: asked.query(),
        fields: fields::fields(&asked),
        results,
        said,
    }
}

/// The four pictures in one file, or a word about the limit.
#[must_use]
pub fn svg(pairs: &Pairs) -> String {
    let asked = Asked::read(borrowed(pairs));
    match within_limit(&asked.form.inputs) {
        Ok(herds) => draw::svg(&asked, &herds),
        Err(_) => panels::file(OVER, &[]),
    }
}

/// What a file says where there is no run to write down.
const OVER: &str = "This run is over the server's limit: ask for fewer clients";

/// The bins of all four kinds as CSV, or a word about the limit.
#[must_use]
pub fn csv(pairs: &Pairs) -> String {
    let asked = Asked::read(borrowed(pairs));
    let Ok(herds) = within_limit(&asked.form.inputs) else {
        return csv_line([OVER]);
    };
    let mut csv =
        "jitter,from_ms,to_ms,arrivals,rejected,served,wasted,timed_out,gave_up\r\n".to_owned();
    let width = asked.form.inputs.bin_ms;
    for herd in herds.all() {
        for (at, bin) in herd.bins().iter().enumerate() {
            let from = at as u64 * width;
            let _ = write!(
                csv,
                "{},{from},{},{},{},{},{},{},{}\r\n",
                herd.kind().name(),
                from + width,
                bin.arrivals,
                bin.rejected,
                bin.served,
                bin.wasted,
                bin.timed_out,
                bin.gave_up
            );
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
    fn the_lessons_waves_stand_at_100_and_300_ms() {
        let html = results("clients=1000&seed=1");
        assert_eq!(figure(&html, "peak"), "1000");
        assert_eq!(figure(&html, "peak-at"), "100");
        assert!(
            html.contains("1000 calls at 100 ms, 899 at 300 ms"),
            "{html}"
        );
        // Four kinds beside each other, each with its figures.
        for kind in Kind::ALL {
            for name in [
                "peak",
                "calls",
                "drained",
                "served",
                "rejected",
                "wasted",
                "recovered",
            ] {
                assert!(!figure(&html, &format!("{name}-{}", kind.name())).is_empty());
            }
        }
        assert_eq!(figure(&html, "peak"), figure(&html, "peak-none"));
    }

    #[test]
    fn the_kind_that_is_chosen_stands_in_the_large_figures() {
        for kind in Kind::ALL.map(Kind::name) {
            let html = results(&format!("seed=3&jitter={kind}"));
            for name in ["peak", "calls", "drained"] {
                assert_eq!(
                    figure(&html, name),
                    figure(&html, &format!("{name}-{kind}"))
                );
            }
        }
    }

    #[test]
    fn what_makes_no_sense_is_said_beside_its_field_and_nothing_is_nan() {
        for query in [
            "clients=abc&base=-1&factor=NaN&cap=1&seed=1e99",
            "clients=99999999999999999999&attempts=1025",
            "factor=inf&base=0&cap=0&bin=0&timeout=0&capacity=0",
            "clients=1&attempts=1",
            "jitter=some",
            "clients=1000000&attempts=100",
            "base=100&cap=50",
        ] {
            let drawn = draw(&pairs(query));
            let html = drawn.results.into_string();
            for word in ["NaN", "inf<", "Infinity", "style="] {
                assert!(!html.contains(word), "{query}: {word}");
            }
            assert_eq!(
                drawn.fields.iter().any(|field| field.is_wrong),
                query != "clients=1&attempts=1",
                "{query}"
            );
        }
        let fields = draw(&pairs("clients=abc&seed=5")).fields;
        let of = |name| {
            fields
                .iter()
                .find(|field| field.name == name)
                .expect("a field")
        };
        assert_eq!(
            (of("clients").value.as_str(), of("seed").value.as_str()),
            ("abc", "5")
        );
        assert!(of("clients").note.contains("not a number"));
    }

    #[test]
    fn a_herd_over_the_servers_limit_is_left_to_the_browser() {
        let over = "clients=1000000&capacity=1000000&queue=100000";
        let html = results(over);
        assert!(html.contains("data-pending") && !html.contains(r#"<output name="peak""#));
        assert!(csv(&pairs(over)).contains("limit") && svg(&pairs(over)).contains("limit"));
        let html = results("clients=50000&capacity=50000&queue=5000");
        assert!(html.contains(r#"<output name="peak""#));
    }

    #[test]
    fn the_query_says_everything_and_reads_back() {
        let one = draw(&pairs("clients=10&factor=1,5&jitter=full&seed=9"));
        let two = draw(&pairs(&one.query));
        assert_eq!((&two.query, &two.fields), (&one.query, &one.fields));
        assert_eq!(two.query.split('&').count(), one.fields.len());
    }

    #[test]
    fn the_csv_adds_up_to_the_figures() {
        let query = pairs("clients=500&seed=2");
        let csv = csv(&query);
        let asked = Asked::read(borrowed(&query));
        let herds = within_limit(&asked.form.inputs).expect("within the limit");
        for herd in herds.all() {
            let kind = format!("{},", herd.kind().name());
            let calls: u64 = csv
                .lines()
                .filter(|line| line.starts_with(&kind))
                .filter_map(|row| row.split(',').nth(3)?.parse::<u64>().ok())
                .sum();
            assert_eq!(calls, herd.summary().calls);
        }
    }
}
