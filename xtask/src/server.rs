//! The server: built with the bundle embedded, and run.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command;
use crate::error::Error;
use crate::paths::Paths;
use crate::steps::Steps;

/// How the server is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    /// Quick to build.
    Dev,
    /// Quick to run.
    Release,
}

impl Profile {
    /// The profile that the flag `--release` asks for.
    pub(crate) fn of(release: bool) -> Self {
        if release { Self::Release } else { Self::Dev }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Dev => "dev",
            Self::Release => "release",
        }
    }

    const fn folder(self) -> &'static str {
        match self {
            Self::Dev => "debug",
            Self::Release => "release",
        }
    }
}

/// Builds the server and gives the path of its binary.
pub(crate) fn build(paths: &Paths, steps: &mut Steps, profile: Profile) -> Result<PathBuf, Error> {
    let target = paths.root.join("target");
    steps.step(&format!("Server: compile ({})", profile.name()), || {
        command::run(
            command::cargo(paths)
                .args(["build", "--package", "server", "--bin", "charge-once"])
                .args(["--profile", profile.name(), "--target-dir"])
                .arg(&target),
        )
    })?;
    Ok(target.join(profile.folder()).join("charge-once"))
}

/// Runs the server in the place of this tool: signals reach it directly and its
/// exit code is the tool's.
#[cfg(unix)]
pub(crate) fn run(binary: &Path, args: &[OsString]) -> Result<(), Error> {
    use std::os::unix::process::CommandExt as _;

    let mut command = Command::new(binary);
    command.args(args);
    let source = command.exec();
    Err(Error::Start {
        command: command::line(&command),
        source,
    })
}

/// Runs the server to its end.
#[cfg(not(unix))]
pub(crate) fn run(binary: &Path, args: &[OsString]) -> Result<(), Error> {
    command::run(Command::new(binary).args(args))
}
