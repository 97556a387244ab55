//! Lines to the GUI.

use std::io::{self, Write};

use protocol::{Info, Response};

/// Answers and `info string` lines, each complete and sent at once.
pub(super) struct Output<W>(pub(super) W);

impl<W: Write> Output<W> {
    pub(super) fn say(&mut self, response: &Response) -> io::Result<()> {
        self.write_line(&response.to_string())
    }

    pub(super) fn say_text(&mut self, text: &str) -> io::Result<()> {
        self.say(&Response::Info(Box::new(Info::text(text))))
    }

    pub(super) fn say_lines(&mut self, lines: &[String]) -> io::Result<()> {
        lines.iter().try_for_each(|line| self.say_text(line))
    }

    pub(super) fn say_error(&mut self, error: &impl std::fmt::Display) -> io::Result<()> {
        self.say_text(&format!("error: {error}"))
    }

    pub(super) fn write_line(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.0, "{line}")?;
        self.0.flush()
    }
}

pub(super) fn program() -> String {
    format!("Tabiya {}", env!("CARGO_PKG_VERSION"))
}
