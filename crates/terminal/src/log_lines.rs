//! Progress without a terminal: a line on standard error from time to time.

use std::{
    cell::Cell,
    io::Write as _,
    time::{Duration, Instant},
};

/// Prints a line and ignores a closed stream.
pub fn print_line(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Schedule of log lines: the first at once, or after a delay, then one per interval.
#[derive(Debug)]
pub struct LogInterval {
    length: Duration,
    due: Cell<Instant>,
}

impl LogInterval {
    /// Lines at once, then one in each interval of this length.
    pub fn new(length: Duration) -> Self {
        Self::beginning_after(Duration::ZERO, length)
    }

    /// Lines that begin after a delay.
    pub fn beginning_after(delay: Duration, length: Duration) -> Self {
        Self { length, due: Cell::new(Instant::now() + delay) }
    }

    /// True if a line is due; if so, the next interval begins.
    pub fn is_due(&self) -> bool {
        let now = Instant::now();
        let is_due = now >= self.due.get();
        if is_due {
            self.due.set(now + self.length);
        }
        is_due
    }
}
