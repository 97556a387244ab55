//! Events of the conversation: the GUI's lines, and news of searches and counts.

use chess::{Decision, Search, SearchInfo};

/// Something the conversation reacts to.
pub(super) enum Event {
    /// The GUI wrote a line.
    Line(String),
    /// The GUI wrote a line longer than anything in UCI.
    OverlongLine,
    /// The GUI closed its end.
    EndOfInput,
    /// The search with this number has news.
    Report(u64, Box<SearchInfo>),
    /// The search is over.
    SearchEnded(Box<SearchEnd>),
    /// A line of `go perft`.
    PerftLine(String),
    /// `go perft` is over.
    PerftEnded,
}

/// Result of a search thread.
pub(super) struct SearchEnd {
    /// The number of the `go`.
    pub(super) number: u64,
    /// The search with its tree, for the next move; gone when it panicked.
    pub(super) search: Option<Box<dyn Search>>,
    /// The decision, or what went wrong.
    pub(super) result: Result<Decision, String>,
}
