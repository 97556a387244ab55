//! What can be wrong with a line of UCI.

/// A line that is no UCI message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UciError {
    /// The line has no token at all.
    #[error("empty line")]
    Empty,
    /// No token of the line names a message.
    #[error("unknown {kind} {found:?}")]
    Unknown {
        /// `command` or `response`.
        kind: &'static str,
        /// The line found.
        found: String,
    },
    /// A message lacks a part without which it means nothing.
    #[error("{message}: expected {expected}, found {found:?}")]
    Malformed {
        /// The message's keyword.
        message: &'static str,
        /// What should stand there.
        expected: &'static str,
        /// What stands there; empty at the end of the line.
        found: String,
    },
}
