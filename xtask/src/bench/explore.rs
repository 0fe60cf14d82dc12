//! The explorer: beside stateright, and in Chromium beside itself.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{self, cargo};
use crate::error::{AtPath as _, Error};
use crate::paths::Paths;
use crate::test::browser;
use crate::wasm::{TARGET, Toolchain};
use crate::{bundle, compress};

/// The crate that is measured in the browser.
const CRATE: &str = "explore-browser";
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

/// A world that was searched: what it is called, how long it took at best in ms, and
/// everything that came of it.
#[derive(Clone, Debug, PartialEq)]
struct Searched {
    name: String,
    took_ms: f64,
    verdict: String,
}

impl Searched {
    /// Reads a line of either program.
    fn read(line: &str) -> Option<Self> {
        let mut parts = line.split('\t');
        let (name, took, verdict) = (parts.next()?, parts.next()?, parts.next()?);
        Some(Self {
            name: name.to_owned(),
            took_ms: took.parse().ok()?,
            verdict: verdict.to_owned(),
        })
    }

    /// How many states the verdict speaks of.
    fn states(&self) -> Option<f64> {
        let (before, _) = self.verdict.split_once(" states")?;
        before.rsplit(' ').next()?.parse().ok()
    }

    fn columns(&self) -> String {
        let rate = self.states().unwrap_or(0.0) / self.took_ms / 1e3;
        format!("{:>9.3} ms {rate:>6.2} M/s", self.took_ms)
    }
}

/// The same worlds natively and in Chromium, which have to come to the same.
fn in_chromium(paths: &Paths) -> Result<(), Error> {
    let mut native = Vec::new();
    println!("\n==> The explorer natively");
    command::run_keeping(
        cargo(paths).args(["run", "--release", "--quiet", "--package", CRATE]),
        &mut native,
        |line| line.contains('\t'),
    )?;
    let native: Vec<_> = native.iter().filter_map(|it| Searched::read(it)).collect();
    let toolchain = Toolchain::find(paths)?;
    let chromium = browser::tools()?;
    let tests = paths.browser_tests();
    browser::packages(&tests)?;
    let mut there = Vec::new();
    for profile in PROFILES {
        println!("\n==> The explorer in Chromium, profile `{profile}`");
        let folder = module(paths, &toolchain, profile)?;
        let mut lines = Vec::new();
        command::run_keeping(
            Command::new("node")
                .current_dir(&tests)
                .arg("bench/explore.mjs")
                .arg(&folder)
                .env("CHROMIUM", &chromium),
            &mut lines,
            |line| line.contains('\t'),
        )?;
        let lines: Vec<_> = lines.iter().filter_map(|it| Searched::read(it)).collect();
        same(&native, &lines)?;
        there.push(lines);
    }
    report(&native, &there);
    Ok(())
}

/// Compiles the module and its glue, and gives the folder that they are in.
fn module(paths: &Paths, toolchain: &Toolchain, profile: &str) -> Result<PathBuf, Error> {
    let target = paths.client_target();
    command::run(
        toolchain
            .cargo(paths, "build")
            .args(["--package", CRATE, "--lib", "--profile", profile])
            .arg("--target-dir")
            .arg(&target),
    )?;
    let file = format!("{}.wasm", CRATE.replace('-', "_"));
    let wasm = target.join(TARGET).join(profile).join(file);
    let raw = fs::read(&wasm).at(&wasm)?;
    let folder = paths.root.join("target/bench/explore").join(profile);
    bundle::fresh(&folder)?;
    bundle::glue("explore", raw, &folder)?;
    size(&folder.join("explore.wasm"))?;
    Ok(folder)
}

fn size(module: &Path) -> Result<(), Error> {
    let bytes = fs::read(module).at(module)?;
    compress::write(module, &bytes)?;
    let small = compress::sibling(module, "br");
    let small = fs::metadata(&small).at(small)?.len();
    println!("    {} bytes, {small} with brotli", bytes.len());
    Ok(())
}

/// Checks that both sides came to the same in every world.
fn same(native: &[Searched], there: &[Searched]) -> Result<(), Error> {
    if native.is_empty() || native.len() != there.len() {
        return Err(Error::Differs(format!(
            "{} worlds were searched natively and {} in Chromium",
            native.len(),
            there.len()
        )));
    }
    for (here, there) in native.iter().zip(there) {
        if (&here.name, &here.verdict) != (&there.name, &there.verdict) {
            return Err(Error::Differs(format!(
                "natively {}: {}\nin Chromium {}: {}",
                here.name, here.verdict, there.name, there.verdict
            )));
        }
    }
    Ok(())
}

fn report(native: &[Searched], there: &[Vec<Searched>]) {
    println!("\nThe explorer, the best of 15 runs (states a second in millions):");
    print!("{:<32} {:>8} {:>25}", "", "states", "native");
    for profile in PROFILES {
        print!("{:>26}", format!("Chromium, {profile}"));
    }
    println!();
    for (no, here) in native.iter().enumerate() {
        let states = here.states().unwrap_or(0.0);
        print!("{:<32} {states:>8} {:>25}", here.name, here.columns());
        for lines in there {
            let columns = lines.get(no).map_or_else(String::new, Searched::columns);
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

    fn line(text: &str) -> Searched {
        Searched::read(text).expect("a line")
    }

    #[test]
    fn a_line_is_read_with_its_states() {
        let read = line("(2, 3, 2, 2)\t12.5\tholds: 27000 states, 90000 transitions, depth 29");
        assert_eq!(read.states(), Some(27000.0));
        assert_eq!((read.name.as_str(), read.took_ms), ("(2, 3, 2, 2)", 12.5));
        assert_eq!(Searched::read("Chromium 140"), None);
    }

    #[test]
    fn any_difference_stops_the_measurement() {
        let here = [line("a\t1\tholds: 1 states"), line("b\t1\tholds: 2 states")];
        let slower = [line("a\t9\tholds: 1 states"), line("b\t9\tholds: 2 states")];
        assert!(same(&here, &slower).is_ok());
        let other = [line("a\t1\tholds: 1 states"), line("b\t1\tholds: 3 states")];
        assert!(same(&here, &other).is_err());
        assert!(same(&here, &here[..1]).is_err());
        assert!(same(&[], &[]).is_err());
    }
}
