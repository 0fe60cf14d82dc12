//! A compiler that can build for the browser, wherever it is to be had.
//!
//! In this order: the target is installed; rustup installs it; Debian has a
//! compiler of its own with the sources of the standard library, which is then
//! built along; or the user is told the one command to run.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::Error;
use crate::paths::Paths;
use crate::{command, debian};

/// The target that browsers run.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

const RUSTUP: &str = "rustup target add wasm32-unknown-unknown";

/// A way to compile for the browser.
#[derive(Clone, Debug)]
pub(crate) enum Toolchain {
    /// The toolchain in use has the target.
    Own,
    /// Debian's compiler, its standard library built from source, linked by the
    /// `rust-lld` of the toolchain in use.
    Debian {
        /// The linker.
        linker: PathBuf,
    },
}

impl Toolchain {
    /// Finds a toolchain, or installs what it lacks.
    pub(crate) fn find(paths: &Paths) -> Result<Self, Error> {
        let sysroot = sysroot(paths)?;
        if has_target(&sysroot) {
            println!("    the target {TARGET} is installed");
            return Ok(Self::Own);
        }
        println!("    the target {TARGET} is missing: {RUSTUP}");
        let added = command::run(Command::new("rustup").args(["target", "add", TARGET]));
        if added.is_ok() && has_target(&sysroot) {
            return Ok(Self::Own);
        }
        println!("    rustup cannot fetch it; trying Debian's compiler");
        debian::ensure(
            "The WASM target",
            &["rustc-web", "cargo-web", "rust-web-src"],
        )
        .map_err(|error| with_rustup(paths, error))?;
        match linker(&sysroot) {
            Some(linker) => Ok(Self::Debian { linker }),
            None => Err(Error::Missing {
                what: String::from("The WASM target"),
                command: String::from(RUSTUP),
            }),
        }
    }

    /// A Cargo subcommand that compiles for the browser.
    pub(crate) fn cargo(&self, paths: &Paths, subcommand: &str) -> Command {
        match self {
            Self::Own => {
                let mut command = command::cargo(paths);
                command.args([subcommand, "--target", TARGET]);
                command
            }
            Self::Debian { linker } => {
                let mut command = Command::new("/usr/bin/cargo");
                command
                    .current_dir(&paths.root)
                    .args([
                        subcommand,
                        "-Zbuild-std=std,panic_abort",
                        "--target",
                        TARGET,
                    ])
                    .env("RUSTC", "/usr/bin/rustc")
                    // Lets a stable compiler build its own standard library.
                    .env("RUSTC_BOOTSTRAP", "1")
                    .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker)
                    .env_remove("CARGO")
                    .env_remove("RUSTUP_TOOLCHAIN");
                command
            }
        }
    }
}

fn sysroot(paths: &Paths) -> Result<PathBuf, Error> {
    let mut rustc = Command::new("rustc");
    rustc.current_dir(&paths.root).args(["--print", "sysroot"]);
    command::output(&mut rustc)
        .map(PathBuf::from)
        .ok_or_else(|| Error::Missing {
            what: String::from("Rust"),
            command: String::from("curl --proto '=https' -sSf https://sh.rustup.rs | sh"),
        })
}

fn has_target(sysroot: &Path) -> bool {
    sysroot
        .join("lib/rustlib")
        .join(TARGET)
        .join("lib")
        .is_dir()
}

/// The linker that comes with the toolchain, in the folder of the host's target.
fn linker(sysroot: &Path) -> Option<PathBuf> {
    std::fs::read_dir(sysroot.join("lib/rustlib"))
        .ok()?
        .filter_map(Result::ok)
        .map(|entry| entry.path().join("bin/rust-lld"))
        .find(|path| path.exists())
}

/// With rustup at hand its command is the shorter way than the packages.
fn with_rustup(paths: &Paths, error: Error) -> Error {
    let has_rustup = command::succeeds(
        Command::new("rustup")
            .current_dir(&paths.root)
            .arg("--version"),
    );
    match error {
        Error::Missing { what, .. } if has_rustup => Error::Missing {
            what,
            command: String::from(RUSTUP),
        },
        error => error,
    }
}
