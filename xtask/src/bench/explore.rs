//! The explorer: beside stateright, and in Chromium beside itself.

use super::chromium::{self, Browser, Measured, Module};
use crate::command::{self, cargo};
use crate::error::Error;
use crate::paths::Paths;

/// What is measured in the browser.
const MODULE: Module = Module {
    package: "explore-browser",
    name: "explore",
};
/// How it is compiled for the browser: as the product's clients are, small, and for
/// speed.
const PROFILES: [&str; 2] = ["client", "release"];

/// Runs all measurements.
pub(super) fn run(paths: &Paths) -> Result<(), Error> {
    // The same world, each in the form that suits it.
    command::run(cargo(paths).args(["bench", "--package", "model", "--bench", "explore"]))?;
    // The very same states and moves: only the search differs.
    command::run(cargo(paths).args([
        "test",
        "--release",
        "--package",
        "model",
        "--lib",
        "beside_stateright",
        "--",
        "--ignored",
        "--nocapture",
    ]))?;
    in_chromium(paths)
}

/// How many states the verdict of a world speaks of.
fn states(of: &Measured) -> Option<f64> {
    let (before, _) = of.verdict.split_once(" states")?;
    before.rsplit(' ').next()?.parse().ok()
}

fn columns(of: &Measured) -> String {
    let rate = states(of).unwrap_or(0.0) / of.took_ms / 1e3;
    format!("{:>9.3} ms {rate:>6.2} M/s", of.took_ms)
}

/// The same worlds natively and in Chromium, which have to come to the same.
fn in_chromium(paths: &Paths) -> Result<(), Error> {
    println!("\n==> The explorer natively");
    let native = chromium::native(paths, &MODULE)?;
    let browser = Browser::find(paths)?;
    let mut there = Vec::new();
    for profile in PROFILES {
        println!("\n==> The explorer in Chromium, profile `{profile}`");
        let lines = browser.measure(paths, &MODULE, profile)?;
        chromium::same(&native, &lines)?;
        there.push(lines);
    }
    report(&native, &there);
    Ok(())
}

fn report(native: &[Measured], there: &[Vec<Measured>]) {
    println!("\nThe explorer, the best of 15 runs (states a second in millions):");
    print!("{:<32} {:>8} {:>25}", "", "states", "native");
    for profile in PROFILES {
        print!("{:>26}", format!("Chromium, {profile}"));
    }
    println!();
    for (no, here) in native.iter().enumerate() {
        let states = states(here).unwrap_or(0.0);
        print!("{:<32} {states:>8} {:>25}", here.name, columns(here));
        for lines in there {
            let columns = lines.get(no).map_or_else(String::new, columns);
            print!(" {columns:>25}");
        }
        println!();
    }
    println!(
        "Verdict, states, transitions and moves are the same in all {} worlds.",
        native.len()
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_states_of_a_world_stand_in_its_verdict() {
        let read =
            Measured::read("(2, 3, 2, 2)\t12.5\tholds: 27000 states, 90000 transitions, depth 29");
        assert_eq!(read.as_ref().and_then(states), Some(27000.0));
    }
}
