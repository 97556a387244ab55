//! The reviews kept in a folder.

use std::{collections::BTreeMap, fmt, io, path::PathBuf};

use files::OutputError;

use super::view::ReviewView;
use crate::documents::{DocumentError, DocumentFolder};

/// Shorter reviews are of single moves, such as an attempt in "find better", and are not kept.
const LEAST_MOVES: usize = 2;

/// Files with a larger number are not reviews: reviews count from 1, and the number after any of them must exist.
const LARGEST_NUMBER: u64 = 1 << 32;

/// The reviews that have ended.
#[derive(Clone, Debug)]
pub(crate) struct ReviewStore {
    documents: DocumentFolder<ReviewView>,
}

/// Content of a folder of reviews.
#[derive(Debug, Default)]
pub(super) struct StoredReviews {
    /// By their numbers.
    pub(super) views: BTreeMap<u64, ReviewView>,
    /// The files that do not hold a review: damaged, of another version, or unreadable.
    pub(super) damaged: Vec<DamagedReview>,
}

/// Its number stays taken, so no new review replaces it.
#[derive(Debug)]
pub(super) struct DamagedReview {
    pub(super) number: u64,
    pub(super) path: PathBuf,
    reason: DocumentError,
}

impl ReviewStore {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { documents: DocumentFolder::new(folder, |id| number_of(id).is_some()) }
    }

    /// Writes a review that has ended.
    pub(super) fn keep(&self, view: &ReviewView) -> io::Result<()> {
        if view.moves.len() < LEAST_MOVES { Ok(()) } else { self.documents.write(&view.id, view) }
    }

    /// Reads all reviews.
    pub(super) fn load(&self) -> Result<StoredReviews, OutputError> {
        let mut stored = StoredReviews::default();
        for id in self.documents.ids()? {
            let Some(number) = number_of(&id) else { continue };
            match self.documents.load(&id) {
                Ok(Some(view)) => _ = stored.views.insert(number, ReviewView { running: false, ..view }),
                // Deleted since the folder was read.
                Ok(None) => {}
                Err(reason) => {
                    stored.damaged.push(DamagedReview { number, path: self.documents.file(&id), reason });
                }
            }
        }
        Ok(stored)
    }

    /// Deletes the file of a review, if it has one.
    pub(super) fn forget(&self, id: &str) {
        // At worst, a file that stays is read again.
        let _ = self.documents.remove(id);
    }
}

/// The number of a review from its id; `None` if the text is not an id.
fn number_of(id: &str) -> Option<u64> {
    id.parse().ok().filter(|number| *number <= LARGEST_NUMBER)
}

impl fmt::Display for DamagedReview {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "review {} cannot be read: ", self.path.display())?;
        match &self.reason {
            DocumentError::File(error) => write!(formatter, "{error}"),
            DocumentError::Content(error) => write!(formatter, "found no review ({error})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_folder_that_cannot_be_listed_is_not_one_without_reviews() {
        let folder = tempfile::tempdir().unwrap();
        let [none, file] = ["none", "file"].map(|name| folder.path().join(name));
        assert!(ReviewStore::new(none).load().unwrap().views.is_empty());
        fs::write(&file, "x").unwrap();
        assert!(ReviewStore::new(file).load().unwrap_err().to_string().contains("file"));
    }

    #[test]
    fn damaged_and_unreadable_reviews_are_told_and_stay() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        fs::write(file("1.json"), "{").unwrap();
        fs::create_dir(file("2.json")).unwrap();
        fs::write(file(".tmp1"), "half written").unwrap();
        fs::write(file("18446744073709551615.json"), "{").unwrap();
        let StoredReviews { views, damaged } = ReviewStore::new(folder.path().to_owned()).load().unwrap();
        let [first, second] = damaged.as_slice() else { panic!("{damaged:?}") };
        let told = format!("review {} cannot be read: found no review (EOF", file("1.json").display());
        assert!(views.is_empty() && first.to_string().starts_with(&told), "{first}");
        assert_eq!((first.number, second.number, &second.path), (1, 2, &file("2.json")));
        assert!(file("1.json").exists() && file("2.json").exists());
    }
}
