//! The folder of reviews: a JSON file each, so that what was computed once is there after a restart.

use std::{fs, io, path::PathBuf};

use super::view::ReviewView;

/// Reviews of fewer moves are answers to single questions, such as a try at "find better".
const LEAST_MOVES: usize = 2;

#[derive(Clone, Debug)]
pub(crate) struct ReviewStore {
    folder: PathBuf,
}

impl ReviewStore {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Writes a review that has ended, whole or not at all.
    pub(super) fn keep(&self, view: &ReviewView) -> io::Result<()> {
        if view.moves.len() < LEAST_MOVES {
            return Ok(());
        }
        fs::create_dir_all(&self.folder)?;
        output::write_private(&self.path(&view.id), serde_json::to_vec(view)?)
    }

    /// All reviews that can be read. One that cannot, because it is damaged or of another version, can be made again.
    pub(super) fn load(&self) -> Vec<ReviewView> {
        let files = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        files
            .filter_map(|entry| serde_json::from_slice(&fs::read(entry.path()).ok()?).ok())
            .map(|view: ReviewView| ReviewView { running: false, ..view })
            .collect()
    }

    /// Removes the file of a review, if it has one.
    pub(super) fn forget(&self, id: &str) {
        // A file that stays is at worst read again.
        let _ = fs::remove_file(self.path(id));
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.json"))
    }
}
