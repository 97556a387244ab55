//! Why reference outputs cannot be used.

/// Why reference outputs cannot be read, or a network not be compared with them.
#[derive(Debug, thiserror::Error)]
pub enum OutputsError {
    /// The file is not JSON of this kind.
    #[error("{file}: no reference outputs: {reason}")]
    Syntax {
        /// The file.
        file: String,
        /// The parser's message, with line and column.
        reason: serde_json::Error,
    },
    /// A field has a value that no network can be compared with.
    #[error("{file}: {field} = {found}: expected {expected}")]
    Invalid {
        /// The file.
        file: String,
        /// The key.
        field: &'static str,
        /// Its value.
        found: String,
        /// What would be accepted.
        expected: &'static str,
    },
    /// A case with no legal position or other moves than the legal ones, or one that the network cannot evaluate.
    #[error("case {number} ({position}): {reason}")]
    Case {
        /// Its number, from 1.
        number: usize,
        /// As the file names it.
        position: String,
        /// The problem.
        reason: String,
    },
}
