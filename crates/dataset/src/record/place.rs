//! Lines of source files, for messages.

use std::{path::PathBuf, sync::Arc};

/// A line of a source file. Lines and bytes are those of the decompressed text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The file under the name it was opened by.
    pub file: Arc<PathBuf>,
    /// Line number, from 1.
    pub line: u64,
}

impl std::fmt::Display for Place {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}:{}", self.file.display(), self.line)
    }
}
