//! `tabiya net`: inspection, evaluation and conversion of networks.

mod bench;
mod calibrate;
mod compare;
mod convert;
mod eval;
mod info;
mod output;
mod planes;
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

#[derive(Debug, clap::Subcommand)]
enum Command {
    Info(info::Arguments),
    Eval(eval::Arguments),
    Planes(planes::Arguments),
    Validate(validate::Arguments),
    Convert(convert::Arguments),
    Verify(verify::Arguments),
    Bench(bench::Arguments),
    Calibrate(calibrate::Arguments),
    Compare(compare::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    match &arguments.command {
        Command::Info(arguments) => info::run(arguments),
        Command::Eval(arguments) => eval::run(arguments),
        Command::Planes(arguments) => planes::run(arguments),
        Command::Validate(arguments) => validate::run(arguments),
        Command::Convert(arguments) => convert::run(arguments),
        Command::Verify(arguments) => verify::run(arguments),
        Command::Bench(arguments) => bench::run(arguments),
        Command::Calibrate(arguments) => calibrate::run(arguments),
        Command::Compare(arguments) => compare::run(arguments),
    }
}
