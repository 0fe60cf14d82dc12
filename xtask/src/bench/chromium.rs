//! A part of the model natively and as a module in Chromium, side by side.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{self, cargo};
use crate::error::{AtPath as _, Error};
use crate::paths::Paths;
use crate::test::browser;
use crate::wasm::{TARGET, Toolchain};
use crate::{bundle, compress};

/// A crate that is a program natively and a module for browsers.
pub(super) struct Module {
    /// The package in the workspace.
    pub(super) package: &'static str,
    /// The name of its files, and of the script that runs it.
    pub(super) name: &'static str,
}

/// A case that was run: what it is called, how long it took at best in ms, and
/// everything that came of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Measured {
    pub(super) name: String,
    pub(super) took_ms: f64,
    pub(super) verdict: String,
    /// The longest time in ms for which the page stood still, where it was told.
    pub(super) longest_ms: Option<f64>,
}

impl Measured {
    /// Reads a line of either program.
    pub(super) fn read(line: &str) -> Option<Self> {
        let mut parts = line.split('\t');
        let (name, took, verdict) = (parts.next()?, parts.next()?, parts.next()?);
        Some(Self {
            name: name.to_owned(),
            took_ms: took.parse().ok()?,
            verdict: verdict.to_owned(),
            longest_ms: parts.next().and_then(|text| text.parse().ok()),
        })
    }
}

fn read(lines: &[String]) -> Vec<Measured> {
    lines.iter().filter_map(|it| Measured::read(it)).collect()
}

/// Runs all cases natively.
pub(super) fn native(paths: &Paths, module: &Module) -> Result<Vec<Measured>, Error> {
    let mut lines = Vec::new();
    command::run_keeping(
        cargo(paths).args(["run", "--release", "--quiet", "--package", module.package]),
        &mut lines,
        |line| line.contains('\t'),
    )?;
    Ok(read(&lines))
}

/// What it takes to run a module in Chromium.
pub(super) struct Browser {
    toolchain: Toolchain,
    chromium: PathBuf,
    tests: PathBuf,
}

impl Browser {
    /// Finds it, or installs what is missing.
    pub(super) fn find(paths: &Paths) -> Result<Self, Error> {
        let toolchain = Toolchain::find(paths)?;
        let chromium = browser::tools()?;
        let tests = paths.browser_tests();
        browser::packages(&tests)?;
        Ok(Self {
            toolchain,
            chromium,
            tests,
        })
    }

    /// Runs all cases in Chromium, compiled under a profile.
    pub(super) fn measure(
        &self,
        paths: &Paths,
        module: &Module,
        profile: &str,
    ) -> Result<Vec<Measured>, Error> {
        let folder = self.module(paths, module, profile)?;
        let mut lines = Vec::new();
        command::run_keeping(
            Command::new("node")
                .current_dir(&self.tests)
                .arg(format!("bench/{}.mjs", module.name))
                .arg(&folder)
                .env("CHROMIUM", &self.chromium),
            &mut lines,
            |line| line.contains('\t'),
        )?;
        Ok(read(&lines))
    }

    /// Compiles the module and its glue, and gives the folder that they are in.
    fn module(&self, paths: &Paths, module: &Module, profile: &str) -> Result<PathBuf, Error> {
        let target = paths.client_target();
        command::run(
            self.toolchain
                .cargo(paths, "build")
                .args(["--package", module.package, "--lib", "--profile", profile])
                .arg("--target-dir")
                .arg(&target),
        )?;
        let file = format!("{}.wasm", module.package.replace('-', "_"));
        let wasm = target.join(TARGET).join(profile).join(file);
        let raw = fs::read(&wasm).at(&wasm)?;
        let folder = paths
            .root
            .join("target/bench")
            .join(module.name)
            .join(profile);
        bundle::fresh(&folder)?;
        bundle::glue(module.name, raw, &folder)?;
        size(&folder.join(format!("{}.wasm", module.name)))?;
        Ok(folder)
    }
}

fn size(module: &Path) -> Result<(), Error> {
    let bytes = fs::read(module).at(module)?;
    compress::write(module, &bytes)?;
    let small = compress::sibling(module, "br");
    let small = fs::metadata(&small).at(small)?.len();
    println!("    {} bytes, {small} with brotli", bytes.len());
    Ok(())
}

/// Checks that both sides came to the same in every case.
pub(super) fn same(native: &[Measured], there: &[Measured]) -> Result<(), Error> {
    if native.is_empty() || native.len() != there.len() {
        return Err(Error::Differs(format!(
            "{} cases were run natively and {} in Chromium",
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

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Measured {
        Measured::read(text).expect("a line")
    }

    #[test]
    fn a_line_is_read_with_what_it_has() {
        let read = line("herd\t12.5\t0123 9 calls\t8.25");
        assert_eq!((read.name.as_str(), read.took_ms), ("herd", 12.5));
        assert_eq!(
            (read.verdict.as_str(), read.longest_ms),
            ("0123 9 calls", Some(8.25))
        );
        assert_eq!(line("herd\t1\tx").longest_ms, None);
        assert_eq!(Measured::read("Chromium 140"), None);
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
