//! The trait of every source, below the list of them.

use super::{BadRecord, InputProgress};
use crate::{DatasetError, record::Record};

/// A stream of records.
///
/// # Laws
/// 1. A broken record is `Ok(Err(_))`, and the iteration continues with the next one.
/// 2. `Err(_)` is the last item: the rest of the source cannot be read.
/// 3. Memory does not grow with the length of the source.
pub trait Source: Iterator<Item = Result<Result<Record, BadRecord>, DatasetError>> {
    /// Part of the source that was read.
    fn progress(&self) -> InputProgress;

    /// XXH3 of the bytes of the file read so far; of the whole file when the iteration is over.
    fn digest(&self) -> String;
}
