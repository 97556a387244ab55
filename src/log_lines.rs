//! Progress where there is no terminal: lines on standard error, now and then.

use std::{
    cell::Cell,
    io::Write as _,
    time::{Duration, Instant},
};

/// Prints a line; work goes on when nobody reads it any more.
pub(crate) fn print_line(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Says when the next line is due: the first at once, then one in each interval.
pub(crate) struct LogInterval {
    length: Duration,
    last: Cell<Option<Instant>>,
}

impl LogInterval {
    pub(crate) fn new(length: Duration) -> Self {
        Self { length, last: Cell::default() }
    }

    /// Whether a line is due; if so, the next interval begins.
    pub(crate) fn is_due(&self) -> bool {
        let is_due = self.last.get().is_none_or(|last| last.elapsed() >= self.length);
        if is_due {
            self.last.set(Some(Instant::now()));
        }
        is_due
    }
}
