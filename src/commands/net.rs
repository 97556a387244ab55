//! `tabiya net`: inspection, evaluation and conversion of networks.

mod bench;
mod calibrate;
mod compare;
mod convert;
mod eval;
mod extract;
mod info;
mod planes;
mod position;
mod validate;
mod verify;

use std::{io::Write as _, path::Path, process::ExitCode};

use anyhow::Context as _;

/// Inspect, evaluate and convert networks (.tabiya, lc0's .pb.gz, .onnx).
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

subcommands! {
    Info => info,
    Eval => eval,
    Planes => planes,
    Validate => validate,
    Convert => convert,
    Extract => extract,
    Verify => verify,
    Bench => bench,
    Calibrate => calibrate,
    Compare => compare,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    arguments.command.run()
}

/// Writes a drawing whose place was checked, and prints its name.
fn write_drawing(file: &Path, drawing: &str) -> anyhow::Result<()> {
    files::write(file, drawing).with_context(|| format!("cannot write {}", file.display()))?;
    writeln!(std::io::stdout(), "{}", file.display())?;
    Ok(())
}
