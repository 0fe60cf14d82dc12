//! The client: compiled for the browser, bound, bundled.

use crate::bundle;
use crate::command;
use crate::error::Error;
use crate::paths::Paths;
use crate::steps::Steps;
use crate::wasm::{TARGET, Toolchain};

/// The clients: the name of each, and the feature that has its islands. A page
/// loads only the client that holds its own, so that the lab does not weigh on
/// those who read.
const CLIENTS: [(&str, &str); 2] = [
    ("charge-once", "islands-lesson"),
    ("charge-once-lab", "islands-lab"),
];

/// Builds the client bundle into `target/site`.
pub(crate) fn build(paths: &Paths, steps: &mut Steps) -> Result<(), Error> {
    let toolchain = steps.step("WASM toolchain", || Toolchain::find(paths))?;
    let target = paths.client_target();
    let mut clients = Vec::new();
    for (name, feature) in CLIENTS {
        let bound = steps.step(&format!("Client: compile {name}"), || {
            command::run(
                toolchain
                    .cargo(paths, "build")
                    .args(["--package", "app", "--lib", "--features", feature])
                    .args(["--profile", "client", "--target-dir"])
                    .arg(&target),
            )?;
            // The next client takes the same place.
            bundle::bind(paths, name, &target.join(TARGET).join("client/app.wasm"))
        })?;
        clients.push(bound);
    }
    steps.step("Client: bundle", || bundle::build(paths, &clients))
}
