//! `tabiya play`.

use std::process::ExitCode;

/// Play against the engine in the terminal.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {}

/// Runs the command.
pub(crate) fn run(_arguments: &Arguments) -> anyhow::Result<ExitCode> {
    anyhow::bail!("this command is not wired up yet")
}
