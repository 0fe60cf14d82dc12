//! The retry studio: herd and calculator, natively and in Chromium, against limits.

use super::chromium::{self, Browser, Measured, Module};
use crate::command::{self, cargo};
use crate::error::Error;
use crate::paths::Paths;

/// What is measured in the browser.
const MODULE: Module = Module {
    package: "retry-browser",
    name: "retry",
};
/// How the studio's client is compiled.
const PROFILE: &str = "client-studio";

/// A herd of a million clients, all four kinds, in the browser, in ms.
const MILLION_MS: f64 = 3000.0;
/// A change of the calculator, in ms: a frame.
const CHANGE_MS: f64 = 16.0;
/// The page never stands still for longer, in ms: an answer still feels instant. Slices
/// end after 8 ms, but a million calls at one moment are sorted in one step.
const SLICE_MS: f64 = 100.0;

/// Runs all measurements. Both sides have to come to the same digests.
pub(super) fn run(paths: &Paths) -> Result<(), Error> {
    command::run(cargo(paths).args(["bench", "--package", "model", "--bench", "retry"]))?;
    println!("\n==> The retry studio natively");
    let native = chromium::native(paths, &MODULE)?;
    println!("\n==> The retry studio in Chromium, profile `{PROFILE}`");
    let there = Browser::find(paths)?.measure(paths, &MODULE, PROFILE)?;
    chromium::same(&native, &there)?;
    report(&native, &there)
}

/// The limit of a case in the browser, in ms, if it has one.
fn limit(name: &str) -> Option<f64> {
    if name.starts_with("calculator") {
        Some(CHANGE_MS)
    } else if name.starts_with("herd, 1000000 clients") {
        Some(MILLION_MS)
    } else {
        None
    }
}

fn report(native: &[Measured], there: &[Measured]) -> Result<(), Error> {
    println!("\nThe retry studio, the best of 3 runs, in ms:");
    println!(
        "{:<44} {:>10} {:>10} {:>8} {:>14}",
        "", "native", "Chromium", "limit", "longest slice"
    );
    for (here, there) in native.iter().zip(there) {
        let limit = limit(&here.name).map_or_else(String::new, |it| it.to_string());
        println!(
            "{:<44} {:>10.2} {:>10.2} {limit:>8} {:>14.1}",
            here.name,
            here.took_ms,
            there.took_ms,
            there.longest_ms.unwrap_or(0.0)
        );
    }
    println!("What came of it is the same in all {} cases.", native.len());
    over(there)
}

/// What is over its limit, as an error.
fn over(there: &[Measured]) -> Result<(), Error> {
    let mut over = Vec::new();
    for it in there {
        if let Some(limit) = limit(&it.name).filter(|limit| it.took_ms > *limit) {
            over.push(format!("{}: {:.1} ms, limit {limit}", it.name, it.took_ms));
        }
        if let Some(longest) = it.longest_ms.filter(|longest| *longest > SLICE_MS) {
            over.push(format!(
                "{}: a slice of {longest:.1} ms, limit {SLICE_MS}",
                it.name
            ));
        }
    }
    if over.is_empty() {
        Ok(())
    } else {
        Err(Error::OverLimit(over.join("\n")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_over_its_limit_stops_the_measurement() {
        let lines = |took: f64, longest: f64| {
            [
                Measured::read(&format!(
                    "herd, 1000000 clients, four kinds\t{took}\tx\t{longest}"
                )),
                Measured::read("calculator, as the page opens\t1\tx\t1"),
            ]
            .map(|it| it.expect("a line"))
        };
        assert!(over(&lines(2999.0, 20.0)).is_ok());
        assert!(over(&lines(3001.0, 20.0)).is_err());
        assert!(over(&lines(100.0, 101.0)).is_err());
    }
}
