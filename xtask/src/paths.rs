//! Where things are in the workspace.

use std::env;
use std::path::PathBuf;

use crate::error::{AtPath as _, Error};

/// The folders that the tasks read and write.
#[derive(Clone, Debug)]
pub(crate) struct Paths {
    /// The workspace.
    pub(crate) root: PathBuf,
}

impl Paths {
    /// Asks Cargo, which runs this tool, where the workspace is.
    pub(crate) fn find() -> Result<Self, Error> {
        let manifest = env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = manifest.join("..");
        let root = root.canonicalize().at(root)?;
        Ok(Self { root })
    }

    /// Cargo's target folder of the client: another target, profile and at times
    /// another compiler than the server's.
    pub(crate) fn client_target(&self) -> PathBuf {
        self.root.join("target/client")
    }

    /// The finished bundle, which the server embeds.
    pub(crate) fn site(&self) -> PathBuf {
        self.root.join("target/site")
    }

    /// The style sheets and the icon.
    pub(crate) fn style(&self) -> PathBuf {
        self.root.join("style")
    }

    /// The browser tests.
    pub(crate) fn browser_tests(&self) -> PathBuf {
        self.root.join("tests")
    }
}
