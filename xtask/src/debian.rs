//! Packages of the system, installed on Debian and its children as root.

use std::path::Path;
use std::process::Command;

use crate::command;
use crate::error::Error;

/// Sees to it that the packages are there.
///
/// # Errors
/// [`Error::Missing`], naming `what` and the command, where this tool may not
/// install packages itself.
pub(crate) fn ensure(what: &str, packages: &[&str]) -> Result<(), Error> {
    let missing: Vec<_> = packages
        .iter()
        .copied()
        .filter(|name| !installed(name))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    if !has_apt() || !is_root() {
        return Err(Error::Missing {
            what: what.to_owned(),
            command: format!(
                "sudo sh -c 'apt-get update && apt-get install --yes --no-install-recommends {}'",
                missing.join(" ")
            ),
        });
    }
    println!("    installing {} with apt-get", missing.join(", "));
    command::run(Command::new("apt-get").args(["update", "--quiet", "--quiet"]))?;
    command::run(
        Command::new("apt-get")
            .args([
                "install",
                "--yes",
                "--quiet",
                "--quiet",
                "--no-install-recommends",
            ])
            .args(missing)
            .env("DEBIAN_FRONTEND", "noninteractive"),
    )
}

fn installed(package: &str) -> bool {
    command::output(Command::new("dpkg-query").args(["--show", "--showformat=${Status}", package]))
        .is_some_and(|status| status.ends_with(" installed"))
}

fn has_apt() -> bool {
    Path::new("/usr/bin/apt-get").exists()
}

fn is_root() -> bool {
    command::output(Command::new("id").arg("-u")).is_some_and(|id| id == "0")
}
