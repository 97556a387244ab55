//! A file in the folder of reviews that cannot be read as one.

use std::{fmt, path::PathBuf};

/// Its number stays taken, so no new review replaces it.
#[derive(Debug)]
pub(super) struct DamagedReview {
    pub(super) number: u64,
    pub(super) path: PathBuf,
    pub(super) reason: String,
}

impl fmt::Display for DamagedReview {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "review {} cannot be read: {}", self.path.display(), self.reason)
    }
}
