//! Events of a UCI session: the GUI's lines, and reports of searches and counts.

use std::io;

use chess::{SearchInfo, Thought};

/// Something the conversation reacts to.
pub(super) enum Event {
    /// The GUI wrote a line.
    Line(String),
    /// The GUI wrote a line longer than anything in UCI.
    OverlongLine,
    /// The GUI closed its end.
    EndOfInput,
    /// The GUI's lines can no longer be read.
    ReadFailed(io::Error),
    /// The search with this number has news.
    Report(u64, Box<SearchInfo>),
    /// The search with this number is over.
    SearchEnded(u64, Box<Thought>),
    /// A line of `go perft`.
    PerftLine(String),
    PerftEnded,
}
