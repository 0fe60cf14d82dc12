//! What can stop the build tool.

use std::io;
use std::path::PathBuf;

/// Why a task stopped. The text is all that the user gets to see.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// A command could not be started.
    #[error("cannot start `{command}`: {source}")]
    Start {
        /// The command line.
        command: String,
        /// What the system said.
        source: io::Error,
    },
    /// A command ran and failed; its own output stands above.
    #[error("`{command}` failed ({status})")]
    Failed {
        /// The command line.
        command: String,
        /// Its exit status.
        status: std::process::ExitStatus,
    },
    /// Something is missing that only the user can install.
    #[error("{what} is missing. Run this, then try again:\n\n    {command}\n")]
    Missing {
        /// What is missing.
        what: String,
        /// The one command that mends it.
        command: String,
    },
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// `wasm-bindgen` refused the client.
    #[error("wasm-bindgen: {0}")]
    Bindgen(String),
    /// A style sheet does not parse.
    #[error("{}:{line}:{column}: {message}", path.display())]
    Style {
        /// The style sheet.
        path: PathBuf,
        /// Counted from 1.
        line: u32,
        /// Counted from 1.
        column: u32,
        /// What the parser said.
        message: String,
    },
    /// The server under test did not come up.
    #[error("the server did not start; its output is in {}", log.display())]
    ServerDown {
        /// Where its output went.
        log: PathBuf,
    },
    /// A measurement came to something else than its peer.
    #[error("{0}")]
    Differs(String),
    /// A measurement is over its stated limit.
    #[error("over the limit:\n{0}")]
    OverLimit(String),
    /// Stages of `test` that failed.
    #[error("failed: {0}")]
    Stages(String),
}

/// Names the file in an I/O error.
pub(crate) trait AtPath<T> {
    /// The same result, with `path` in its error.
    fn at(self, path: impl Into<PathBuf>) -> Result<T, Error>;
}

impl<T> AtPath<T> for io::Result<T> {
    fn at(self, path: impl Into<PathBuf>) -> Result<T, Error> {
        self.map_err(|source| Error::File {
            path: path.into(),
            source,
        })
    }
}
