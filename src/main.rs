//! Tabiya: chess games in, a neural chess engine out. One subcommand per file in `commands/`.

mod board;
mod commands;
mod engine;
mod game_folder;
mod machine;
mod match_options;
mod player;
mod shelf;

use std::{ffi::OsString, io::IsTerminal as _, process::ExitCode};

use clap::Parser;

fn main() -> ExitCode {
    let command_line = commands::CommandLine::parse_from(arguments(std::io::stdin().is_terminal()));
    match commands::run(command_line) {
        Ok(code) => code,
        Err(error) => {
            report_error(&error);
            ExitCode::FAILURE
        }
    }
}

/// The command line; without any argument and with a program on the other end of stdin, that program is a chess GUI.
fn arguments(stdin_is_terminal: bool) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    if arguments.len() == 1 && !stdin_is_terminal {
        arguments.push("uci".into());
    }
    arguments
}

/// The one place that talks to stderr about failures: the whole chain of causes on one line.
fn report_error(error: &anyhow::Error) {
    use std::io::Write as _;
    // Nothing is left to do when stderr itself is closed.
    let _ = writeln!(std::io::stderr(), "error: {}", causes(error));
}

/// The error and its causes. A library's message may hold its cause already; saying it again would help nobody.
fn causes(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_said_once() {
        let error =
            anyhow::anyhow!("no such file").context("cannot read a.pgn: no such file").context("no store");
        assert_eq!(causes(&error), "no store: cannot read a.pgn: no such file");
    }
}
