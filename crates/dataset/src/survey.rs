//! Estimates of the size of inputs before they are built into a store.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use crate::{
    DatasetError,
    record::Record,
    source::{self, input::Location},
};

/// Records between two checks of the clock.
const RECORDS_BETWEEN_LOOKS: u64 = 64;

/// The number of positions in inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PositionCount {
    /// Positions with a move in games, and positions that are part of no game; what filters and duplicates remove is included.
    pub positions: u64,
    /// True if all were read; otherwise the rest is taken to have as many in a byte.
    pub is_exact: bool,
}

/// Counts the positions of files, folders and archives for about as long as `time`. `None` for standard input, which can be read
/// only once.
///
/// # Errors
/// [`DatasetError`] for an input that cannot be read.
pub fn count_positions(inputs: &[PathBuf], time: Duration) -> Result<Option<PositionCount>, DatasetError> {
    let mut locations = Vec::new();
    for input in inputs {
        locations.extend(Location::all(input)?);
    }
    if !locations.iter().all(Location::reopens) {
        return Ok(None);
    }
    let all: u64 = locations.iter().map(Location::bytes).sum();
    let (begun, mut positions, mut records, mut read) = (Instant::now(), 0, 0_u64, 0);
    for location in &locations {
        let mut source = source::open_at(location)?;
        while let Some(record) = source.next() {
            positions += match record? {
                Ok(Record::Game(game)) => game.moves.len() as u64,
                Ok(Record::Position(_) | Record::Unlabelled(_)) => 1,
                Err(_) => 0,
            };
            records += 1;
            if records.is_multiple_of(RECORDS_BETWEEN_LOOKS) && begun.elapsed() > time {
                let read = (read + source.progress().file_bytes).max(1);
                let share = (all as f64 / read as f64).max(1.0);
                return Ok(Some(PositionCount {
                    positions: (positions as f64 * share) as u64,
                    is_exact: false,
                }));
            }
        }
        read += location.bytes();
    }
    Ok(Some(PositionCount { positions, is_exact: true }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_positions_are_counted_or_as_many_as_the_bytes_that_were_read_tell() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("games.pgn");
        std::fs::write(&file, "1. e4 e5 2. Nf3 *\n\n".repeat(1000)).unwrap();
        let count = |time| count_positions(std::slice::from_ref(&file), time).unwrap().unwrap();
        assert_eq!(count(Duration::MAX), PositionCount { positions: 3000, is_exact: true });
        let early = count(Duration::ZERO);
        assert!(!early.is_exact && early.positions >= 192, "{early:?}");
        assert_eq!(count_positions(&["-".into()], Duration::MAX).unwrap(), None);
        assert!(count_positions(&[folder.path().join("none.pgn")], Duration::MAX).is_err());
    }
}
