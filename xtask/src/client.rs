//! The client: compiled for the browser, bound, bundled.

use crate::bundle;
use crate::command;
use crate::error::Error;
use crate::paths::Paths;
use crate::steps::Steps;
use crate::wasm::{TARGET, Toolchain};

/// Builds the client bundle into `target/site`.
pub(crate) fn build(paths: &Paths, steps: &mut Steps) -> Result<(), Error> {
    let toolchain = steps.step("WASM toolchain", || Toolchain::find(paths))?;
    let target = paths.client_target();
    steps.step("Client: compile", || {
        command::run(
            toolchain
                .cargo(paths, "build")
                .args(["--package", "app", "--lib", "--features", "hydrate"])
                .args(["--profile", "client", "--target-dir"])
                .arg(&target),
        )
    })?;
    let wasm = target.join(TARGET).join("client/app.wasm");
    steps.step("Client: bundle", || bundle::build(paths, &wasm))
}
