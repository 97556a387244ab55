//! Errors in a line of UCI.

/// Why a line is not a UCI message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum UciError {
    #[error("empty line")]
    Empty,
    /// No token of the line names a message.
    #[error("unknown {kind} {found:?}")]
    Unknown {
        /// `command` or `response`.
        kind: &'static str,
        found: String,
    },
    /// A required part of a message is missing or malformed.
    #[error("{message}: expected {expected}, found {found:?}")]
    Malformed {
        /// First word of the message, such as `go`.
        message: &'static str,
        expected: &'static str,
        /// The text in its place; empty at the end of the line.
        found: String,
    },
}

impl UciError {
    pub(crate) fn malformed(message: &'static str, expected: &'static str, found: &str) -> Self {
        Self::Malformed { message, expected, found: found.into() }
    }
}
