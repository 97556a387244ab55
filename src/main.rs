//! The program `tabiya`. Each subcommand is a file in `commands/`.

mod commands;

use std::{ffi::OsString, io::IsTerminal as _, process::ExitCode};

use chess::printable;
use clap::Parser;

fn main() -> ExitCode {
    let command_line = arguments(std::io::stdin().is_terminal());
    let command_line = match commands::CommandLine::try_parse_from(&command_line) {
        Ok(command_line) => command_line,
        Err(error) => return report_usage(&error),
    };
    match commands::run(&command_line) {
        Ok(code) => code,
        // A reader that closes the pipe has read enough: `tabiya data show STORE | head`. The same error also comes from an engine that
        // dies while it is written to, which is a failure; only stdout can tell the two apart, by failing once more.
        Err(error) if is_closed_pipe(&error) && reader_is_gone() => ExitCode::SUCCESS,
        Err(error) => {
            report_error(&error);
            ExitCode::FAILURE
        }
    }
}

/// The command line. Without arguments, and if stdin is not a terminal, the caller is assumed to be a chess GUI: `tabiya uci`.
fn arguments(stdin_is_terminal: bool) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    if arguments.len() == 1 && !stdin_is_terminal {
        arguments.push("uci".into());
    }
    arguments
}

/// True if the error is a broken pipe: of stdout, or of an engine's input.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let kind = error.root_cause().downcast_ref::<std::io::Error>().map(std::io::Error::kind);
    kind == Some(std::io::ErrorKind::BrokenPipe)
}

/// True if stdout is the broken pipe: one more line fails as well.
fn reader_is_gone() -> bool {
    use std::io::Write as _;
    let mut out = std::io::stdout();
    out.write_all(b"\n").and_then(|()| out.flush()).is_err()
}

/// The one place that reports failures on stderr: the whole chain of causes on one line.
fn report_error(error: &anyhow::Error) {
    use std::io::Write as _;
    // Nothing is left to do when stderr itself is closed.
    let _ = writeln!(std::io::stderr(), "error: {}", printable(&causes(error), &['\n', '\t']));
}

/// Prints an error or help text of the command line. If the user's words contain escape sequences, the text
/// is printed without colours, which are escape sequences too.
fn report_usage(error: &clap::Error) -> ExitCode {
    use std::io::Write as _;
    let text = error.to_string();
    let is_plain = printable(&text, &['\n', '\t']) == text;
    // Nothing is left to do when the stream is closed.
    let _ = if is_plain {
        error.print()
    } else {
        write!(std::io::stderr(), "{}", printable(&text, &['\n', '\t']))
    };
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// The error and its causes, without causes that a library's message already contains.
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
    fn only_a_closed_pipe_is_no_failure() {
        let of =
            |kind: std::io::ErrorKind| anyhow::Error::from(std::io::Error::from(kind)).context("writing");
        assert!(is_closed_pipe(&of(std::io::ErrorKind::BrokenPipe)));
        assert!(!is_closed_pipe(&of(std::io::ErrorKind::StorageFull)));
        assert!(!is_closed_pipe(&anyhow::anyhow!("no such file")));
    }

    #[test]
    fn a_cause_is_said_once() {
        let error =
            anyhow::anyhow!("no such file").context("cannot read a.pgn: no such file").context("no store");
        assert_eq!(causes(&error), "no store: cannot read a.pgn: no such file");
    }
}
