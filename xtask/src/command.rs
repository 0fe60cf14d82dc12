//! Commands: run to the end, a failure is an error.

use std::env;
use std::ffi::OsString;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use crate::error::Error;
use crate::paths::Paths;

/// The Cargo that runs this tool, in the workspace.
pub(crate) fn cargo(paths: &Paths) -> Command {
    let program = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(program);
    command.current_dir(&paths.root);
    command
}

/// The command line as a person would type it.
pub(crate) fn line(command: &Command) -> String {
    let program = command.get_program().to_string_lossy();
    let program = program.rsplit('/').next().unwrap_or_default().to_owned();
    let args = command
        .get_args()
        .map(|arg| arg.to_string_lossy().into_owned());
    std::iter::once(program)
        .chain(args)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Runs the command, its output to the terminal.
pub(crate) fn run(command: &mut Command) -> Result<(), Error> {
    let status = command.status().map_err(|source| start(command, source))?;
    finished(command, status)
}

/// Runs the command, passes its standard output on and keeps the lines that
/// `keep` wants, even when the command fails.
pub(crate) fn run_keeping(
    command: &mut Command,
    kept: &mut Vec<String>,
    keep: impl Fn(&str) -> bool,
) -> Result<(), Error> {
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|source| start(command, source))?;
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            println!("{line}");
            if keep(&line) {
                kept.push(line);
            }
        }
    }
    let status = child.wait().map_err(|source| start(command, source))?;
    finished(command, status)
}

/// Whether the command succeeds; says nothing. A command that is not there fails.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// What the command prints, trimmed; nothing when it fails.
pub(crate) fn output(command: &mut Command) -> Option<String> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

fn start(command: &Command, source: std::io::Error) -> Error {
    Error::Start {
        command: line(command),
        source,
    }
}

fn finished(command: &Command, status: std::process::ExitStatus) -> Result<(), Error> {
    if status.success() {
        Ok(())
    } else {
        Err(Error::Failed {
            command: line(command),
            status,
        })
    }
}
