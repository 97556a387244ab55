//! The folder of reviews: a JSON file each, so that what was computed once is there after a restart.

use std::{fs, io, path::PathBuf};

use output::{OutputError, entries};

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

    /// All reviews. One that is damaged or of another version is left out, because it can be made again; a file that cannot be
    /// read at all is an error, because what is in it would count as missing.
    pub(super) fn load(&self) -> Result<Vec<ReviewView>, OutputError> {
        let mut views = Vec::new();
        for file in entries(&self.folder)? {
            let bytes = fs::read(&file).map_err(OutputError::io("read", &file))?;
            if let Ok(view) = serde_json::from_slice::<ReviewView>(&bytes) {
                views.push(ReviewView { running: false, ..view });
            }
        }
        Ok(views)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_cannot_be_listed_is_not_one_without_reviews() {
        let folder = tempfile::tempdir().unwrap();
        let load = |name: &str| ReviewStore::new(folder.path().join(name)).load();
        assert!(load("none").unwrap().is_empty());
        fs::write(folder.path().join("file"), "x").unwrap();
        assert!(load("file").unwrap_err().to_string().contains("file"));
    }

    #[test]
    fn a_damaged_review_is_left_out_and_an_unreadable_one_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let store = ReviewStore::new(folder.path().to_owned());
        fs::write(folder.path().join("1.json"), "{").unwrap();
        assert!(store.load().unwrap().is_empty());
        fs::create_dir(folder.path().join("2.json")).unwrap();
        let error = store.load().unwrap_err().to_string();
        assert!(error.starts_with("cannot read ") && error.contains("2.json"), "{error}");
    }
}
