//! PostgreSQL's server programs, for the tests, which start it themselves.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::error::Error;
use crate::{command, debian};

/// Where Debian and its children keep one folder for each version.
const DEBIAN: &str = "/usr/lib/postgresql";
/// While this file says so, Debian's package makes no server of its own that would
/// run from then on.
const NO_SERVER: (&str, &str) = (
    "/etc/postgresql-common/createcluster.d/charge-once-tests.conf",
    "create_main_cluster = false\n",
);

/// Sees to it that they are there.
///
/// # Errors
/// [`Error::Missing`] where this tool may not install them itself.
pub(crate) fn ensure() -> Result<(), Error> {
    if is_there() {
        return Ok(());
    }
    let path = Path::new(NO_SERVER.0);
    // Who may not write there may not install either, and is told so.
    let folder = path.parent().filter(|folder| !folder.exists());
    let _ = folder.map(fs::create_dir_all);
    let _ = fs::write(path, NO_SERVER.1);
    // Of whatever version the system offers.
    let installed = debian::ensure("PostgreSQL", &["postgresql"]);
    let _ = fs::remove_file(path);
    let _ = folder.map(fs::remove_dir);
    installed
}

/// Whether the tests will find them: they look in the same places.
fn is_there() -> bool {
    let versions = fs::read_dir(DEBIAN).into_iter().flatten().flatten();
    versions
        .map(|version| version.path().join("bin"))
        .chain(command::output(Command::new("pg_config").arg("--bindir")).map(Into::into))
        .any(|bin| bin.join("initdb").exists())
        || command::succeeds(Command::new("initdb").arg("--version"))
}
