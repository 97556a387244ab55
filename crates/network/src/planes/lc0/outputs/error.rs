//! Errors of reference outputs.

/// Reference outputs that cannot be read, or cannot be compared with a network.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum OutputsError {
    #[error("{file}: not a file of reference outputs: {reason}")]
    Syntax {
        file: String,
        /// The parser's message, with line and column.
        reason: serde_json::Error,
    },
    /// A field has a value with which no network can be compared.
    #[error("{file}: {field} = {found}: expected {expected}")]
    Invalid { file: String, field: &'static str, found: String, expected: &'static str },
    /// A case whose position is not legal, whose moves are not the legal ones, or that the network cannot evaluate.
    #[error("case {number} ({position}): {reason}")]
    Case {
        /// Number of the case, from 1.
        number: usize,
        position: String,
        reason: String,
    },
}
