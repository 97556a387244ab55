//! The list of subcommands. A new one is a file in `commands/`, a module line and a variant here.

pub(crate) mod bench;
pub(crate) mod book;
pub(crate) mod calibrate;
pub(crate) mod compare;
pub(crate) mod data;
mod engine_arguments;
pub(crate) mod explore;
pub(crate) mod ladder;
pub(crate) mod lichess;
mod machine;
pub(crate) mod match_;
mod match_options;
pub(crate) mod metrics;
mod named;
pub(crate) mod net;
pub(crate) mod play;
pub(crate) mod reinforce;
pub(crate) mod report;
pub(crate) mod review;
pub(crate) mod run;
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
    Run(run::Arguments),
    Compare(compare::Arguments),
    Tune(tune::Arguments),
    Net(net::Arguments),
    Match(match_::Arguments),
    Ladder(ladder::Arguments),
    Suite(suite::Arguments),
    Metrics(metrics::Arguments),
    Calibrate(calibrate::Arguments),
    Review(review::Arguments),
    Report(report::Arguments),
    Book(book::Arguments),
    Explore(explore::Arguments),
    Lichess(lichess::Arguments),
    Bench(bench::Arguments),
}

/// Whether these arguments are a command of this program, without running it.
///
/// # Errors
/// What the command line would say.
pub(crate) fn check(arguments: &[String]) -> Result<(), String> {
    let words = std::iter::once("tabiya").chain(arguments.iter().map(String::as_str));
    CommandLine::try_parse_from(words).map(drop).map_err(|error| {
        let text = error.to_string();
        let message = text.split("\n\n").next().unwrap_or(&text);
        message.trim_start_matches("error: ").trim().to_owned()
    })
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
        Command::Run(arguments) => run::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Tune(arguments) => tune::run(&arguments),
        Command::Net(arguments) => net::run(&arguments),
        Command::Match(arguments) => match_::run(&arguments),
        Command::Ladder(arguments) => ladder::run(&arguments),
        Command::Suite(arguments) => suite::run(&arguments),
        Command::Metrics(arguments) => metrics::run(&arguments),
        Command::Calibrate(arguments) => calibrate::run(&arguments),
        Command::Review(arguments) => review::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Lichess(arguments) => lichess::run(&arguments),
        Command::Book(arguments) => book::run(&arguments),
        Command::Explore(arguments) => explore::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
    }
}
