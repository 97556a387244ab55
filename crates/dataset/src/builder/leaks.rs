//! Removes validation samples whose position also occurs in the training split.

use std::{fs, path::Path};

use crate::{
    DatasetError,
    key_set::KeySet,
    store::{
        self,
        manifest::{Counts, StoreFile},
        writer::SplitWriter,
    },
};

/// Name of the files of the validation split before the removal.
pub(super) const HELD_OUT: &str = "held-out";

/// Rewrites the validation split without the samples whose position also occurs in the training split, and
/// updates its counts.
pub(super) fn drop_leaks(
    folder: &Path,
    files: &[StoreFile],
    trained: &mut KeySet,
    mut validation: SplitWriter,
    counts: &mut Counts,
) -> Result<Vec<StoreFile>, DatasetError> {
    counts.positions -= counts.validation_positions;
    counts.games -= counts.validation_games;
    let before = std::mem::take(&mut counts.validation_positions);
    counts.validation_games = 0;
    let mut last_game = None;
    for file in files {
        let path = folder.join(&file.name);
        for samples in store::read_file(&path)? {
            let mut kept = Vec::new();
            for sample in samples? {
                if !trained.contains(sample.position.key())? {
                    // The samples of a game follow each other.
                    counts.validation_games += u64::from(sample.game.is_none() || sample.game != last_game);
                    last_game = sample.game;
                    kept.push(sample);
                }
            }
            counts.validation_positions += kept.len() as u64;
            validation.write(&mut kept)?;
        }
        fs::remove_file(&path).map_err(DatasetError::io("remove", &path))?;
    }
    counts.leaks = before - counts.validation_positions;
    counts.positions += counts.validation_positions;
    counts.games += counts.validation_games;
    validation.finish()
}
