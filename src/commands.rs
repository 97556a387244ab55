//! The list of subcommands. A new one is a file in `commands/`, a module line and a row here.

/// The enum `Command` for a list of subcommands, each with the module that holds its arguments and its function `run`.
macro_rules! subcommands {
    ($($(#[$attribute:meta])* $name:ident => $module:ident,)+) => {
        #[derive(Debug, clap::Subcommand)]
        enum Command {
            $($(#[$attribute])* $name(Box<$module::Arguments>),)+
        }

        impl Command {
            fn run(&self) -> anyhow::Result<std::process::ExitCode> {
                match self {
                    $(Self::$name(arguments) => $module::run(arguments),)+
                }
            }
        }
    };
}

pub(crate) mod bench;
pub(crate) mod book;
pub(crate) mod calibrate;
mod campaign;
pub(crate) mod compare;
pub(crate) mod data;
mod engine_arguments;
pub(crate) mod explore;
mod file_kinds;
pub(crate) mod ladder;
pub(crate) mod lichess;
mod machine;
pub(crate) mod match_;
mod match_options;
pub(crate) mod metrics;
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

use std::{fmt::Display, io::Write as _, process::ExitCode};

use anyhow::Context as _;
use clap::Parser;
use serde::Serialize;

/// Train a neural chess engine from games, play against it, and measure its strength.
#[derive(Debug, Parser)]
#[command(version, about, propagate_version = true, arg_required_else_help = true)]
pub(crate) struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

subcommands! {
    Play => play,
    Uci => uci,
    Data => data,
    Train => train,
    Selfplay => selfplay,
    Reinforce => reinforce,
    Run => run,
    Compare => compare,
    Tune => tune,
    Net => net,
    Match => match_,
    Ladder => ladder,
    Suite => suite,
    Metrics => metrics,
    Calibrate => calibrate,
    Review => review,
    Report => report,
    Book => book,
    Explore => explore,
    Lichess => lichess,
    Bench => bench,
}

/// The exit code of a command that Ctrl-C ended: a shell reports 128 + 2 for a program that SIGINT (2) killed.
pub(crate) const INTERRUPTED: u8 = 130;

/// Checks that these arguments are a command of this program, without running it.
///
/// # Errors
/// The message of the command line.
pub(crate) fn check(arguments: &[String]) -> Result<(), String> {
    let words = std::iter::once("tabiya").chain(arguments.iter().map(String::as_str));
    CommandLine::try_parse_from(words).map(drop).map_err(|error| {
        let text = error.to_string();
        let message = text.split("\n\n").next().unwrap_or(&text);
        message.trim_start_matches("error: ").trim().to_owned()
    })
}

/// Runs the subcommand and returns the exit code.
pub(crate) fn run(command_line: &CommandLine) -> anyhow::Result<ExitCode> {
    command_line.command.run()
}

/// The value with this name, for a value parser.
///
/// # Errors
/// A clause with the known names, which clap appends to the argument and its value.
pub(crate) fn named<T: Copy>(names: &[(&str, T)], text: &str) -> Result<T, String> {
    if let Some((_, value)) = names.iter().find(|(name, _)| *name == text) {
        return Ok(*value);
    }
    let known: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
    Err(format!("expected one of {}", known.join(", ")))
}

/// Depth from which on an object or array of a result is one line: a match has a line for each game, a validation one for each
/// interval.
const RESULT_DEPTH: usize = 2;

/// The JSON of a result: of `--json`, and of files next to games and networks.
fn json_of(result: &impl Serialize) -> serde_json::Result<String> {
    files::json_to_depth(result, RESULT_DEPTH)
}

/// Prints the result of a command on stdout and ends the command.
fn print_result(text: &dyn Display) -> anyhow::Result<ExitCode> {
    writeln!(std::io::stdout(), "{text}").context("cannot write the result to standard output")?;
    Ok(ExitCode::SUCCESS)
}
