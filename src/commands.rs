//! The list of subcommands. A new one is a file in `commands/`, a module line and a variant here.

pub(crate) mod bench;
pub(crate) mod calibrate;
pub(crate) mod data;
pub(crate) mod ladder;
pub(crate) mod match_;
pub(crate) mod metrics;
pub(crate) mod net;
pub(crate) mod play;
pub(crate) mod reinforce;
pub(crate) mod report;
pub(crate) mod selfplay;
pub(crate) mod suite;
pub(crate) mod train;
pub(crate) mod tune;
pub(crate) mod uci;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Train a neural chess engine from games, play against it, and measure its strength.
#[derive(Debug, Parser)]
#[command(version, about, propagate_version = true, arg_required_else_help = true)]
pub(crate) struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[allow(clippy::large_enum_variant, reason = "one value in the life of the process")]
#[derive(Debug, Subcommand)]
enum Command {
    Play(play::Arguments),
    Uci(uci::Arguments),
    Data(data::Arguments),
    Train(train::Arguments),
    Selfplay(selfplay::Arguments),
    Reinforce(reinforce::Arguments),
    Tune(tune::Arguments),
    Net(net::Arguments),
    Match(match_::Arguments),
    Ladder(ladder::Arguments),
    Suite(suite::Arguments),
    Metrics(metrics::Arguments),
    Calibrate(calibrate::Arguments),
    Report(report::Arguments),
    Bench(bench::Arguments),
}

/// Runs the subcommand and returns the exit code.
pub(crate) fn run(command_line: CommandLine) -> anyhow::Result<ExitCode> {
    match command_line.command {
        Command::Play(arguments) => play::run(&arguments),
        Command::Uci(arguments) => uci::run(&arguments),
        Command::Data(arguments) => data::run(&arguments),
        Command::Train(arguments) => train::run(&arguments),
        Command::Selfplay(arguments) => selfplay::run(&arguments),
        Command::Reinforce(arguments) => reinforce::run(&arguments),
        Command::Tune(arguments) => tune::run(&arguments),
        Command::Net(arguments) => net::run(&arguments),
        Command::Match(arguments) => match_::run(&arguments),
        Command::Ladder(arguments) => ladder::run(&arguments),
        Command::Suite(arguments) => suite::run(&arguments),
        Command::Metrics(arguments) => metrics::run(&arguments),
        Command::Calibrate(arguments) => calibrate::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
    }
}
