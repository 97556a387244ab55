//! Tabiya: chess games in, a neural chess engine out. One subcommand per file in `commands/`.

mod commands;
mod player;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let command_line = commands::CommandLine::parse();
    match commands::run(command_line) {
        Ok(code) => code,
        Err(error) => {
            // The one place that talks to stderr about failures; `{:#}` prints the whole chain of causes on one line.
            report_error(&error);
            ExitCode::FAILURE
        }
    }
}

fn report_error(error: &anyhow::Error) {
    use std::io::Write as _;
    // Nothing is left to do when stderr itself is closed.
    let _ = writeln!(std::io::stderr(), "error: {error:#}");
}
