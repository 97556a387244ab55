//! `tabiya net`: inspection, evaluation and conversion of networks.

mod bench;
mod calibrate;
mod compare;
mod convert;
mod eval;
mod extract;
mod info;
mod output;
mod planes;
mod position;
mod validate;
mod verify;

use std::process::ExitCode;

/// Inspect, evaluate and convert networks (.tabiya, lc0's .pb.gz).
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
