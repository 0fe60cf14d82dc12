//! The client: compiled for the browser, bound, bundled.

use std::path::Path;
use std::process::Command;
use std::{fs, io};

use crate::bundle;
use crate::command;
use crate::error::{AtPath as _, Error};
use crate::paths::Paths;
use crate::steps::Steps;
use crate::wasm::{TARGET, Toolchain};

/// The clients: the name of each, the feature that has its islands, and the profile
/// that it is compiled with. A page loads only the client that holds its own, so that
/// the lab and the studio do not weigh on those who read. The studio's model is made
/// for speed.
const CLIENTS: [(&str, &str, &str); 3] = [
    ("charge-once", "islands-lesson", "client"),
    ("charge-once-lab", "islands-lab", "client"),
    ("charge-once-studio", "islands-studio", "client-studio"),
];

/// What a client is made of, below the workspace.
const SOURCES: [&str; 4] = ["app", "Cargo.toml", "Cargo.lock", ".cargo/config.toml"];

/// Builds the client bundle into `target/site`.
pub(crate) fn build(paths: &Paths, steps: &mut Steps) -> Result<(), Error> {
    let toolchain = steps.step("WASM toolchain", || Toolchain::find(paths))?;
    let target = paths.client_target();
    let inputs = inputs(paths)?;
    let mut clients = Vec::new();
    for (name, feature, profile) in CLIENTS {
        let bound = steps.step(&format!("Client: compile {name}"), || {
            // Both clients come out under one name, so Cargo would link each of them
            // again every time. What it is given tells whether that can be spared.
            if let Some(bound) = bundle::kept(paths, name, &inputs) {
                println!("    unchanged");
                return Ok(bound);
            }
            command::run(
                toolchain
                    .cargo(paths, "build")
                    .args(["--package", "app", "--lib", "--features", feature])
                    .args(["--profile", profile, "--target-dir"])
                    .arg(&target),
            )?;
            let wasm = target.join(TARGET).join(profile).join("app.wasm");
            bundle::bind(paths, name, &wasm, &inputs)
        })?;
        clients.push(bound);
    }
    steps.step("Client: bundle", || bundle::build(paths, &clients))
}

/// A hash over everything that a client is compiled from and with.
fn inputs(paths: &Paths) -> Result<String, Error> {
    let mut parts = Vec::new();
    for source in SOURCES {
        read(&paths.root.join(source), &mut parts)?;
    }
    for variable in ["RUSTFLAGS", "RUSTC", "CARGO_BUILD_RUSTFLAGS"] {
        let value = std::env::var_os(variable).unwrap_or_default();
        parts.push(value.into_encoded_bytes());
    }
    let version = Command::new("rustc").arg("-vV").output();
    parts.push(version.map(|output| output.stdout).unwrap_or_default());
    Ok(bundle::hash(parts.iter().map(Vec::as_slice)))
}

/// Reads a file, or every file of a folder in the order of their names.
fn read(path: &Path, parts: &mut Vec<Vec<u8>>) -> Result<(), Error> {
    if path.is_dir() {
        let mut entries = fs::read_dir(path)
            .and_then(|entries| {
                entries
                    .map(|entry| Ok(entry?.path()))
                    .collect::<io::Result<Vec<_>>>()
            })
            .at(path)?;
        entries.sort();
        return entries.iter().try_for_each(|entry| read(entry, parts));
    }
    parts.push(path.as_os_str().as_encoded_bytes().to_vec());
    parts.push(fs::read(path).at(path)?);
    Ok(())
}
