//! The reviews kept in a folder.

use std::{
    collections::BTreeMap,
    fmt, fs, io,
    path::{Path, PathBuf},
};

use files::{OutputError, entries};

use super::view::ReviewView;

/// Shorter reviews are of single moves, such as an attempt in "find better", and are not kept.
const LEAST_MOVES: usize = 2;

/// Files with a larger number are not reviews: reviews count from 1, and the number after any of them must exist.
const LARGEST_NUMBER: u64 = 1 << 32;

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
        files::write_private(&self.path(&view.id), serde_json::to_vec(view)?)
    }

    /// All reviews by their numbers, and the files that do not hold one: damaged, of another version, or
    /// unreadable. These files are kept for repair.
    pub(super) fn load(&self) -> Result<(BTreeMap<u64, ReviewView>, Vec<DamagedReview>), OutputError> {
        let (mut views, mut damaged) = (BTreeMap::new(), Vec::new());
        for path in entries(&self.folder)? {
            let Some(number) = number_of(&path) else { continue };
            match read(&path) {
                Ok(view) => _ = views.insert(number, ReviewView { running: false, ..view }),
                Err(reason) => damaged.push(DamagedReview { number, path, reason }),
            }
        }
        Ok((views, damaged))
    }

    /// Removes the file of a review, if it has one.
    pub(super) fn forget(&self, id: &str) {
        // At worst, a file that stays is read again.
        let _ = fs::remove_file(self.path(id));
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.json"))
    }
}

/// The number of a review from the name of its file; `None` for other files.
fn number_of(path: &Path) -> Option<u64> {
    let number = path.file_name()?.to_str()?.strip_suffix(".json")?.parse().ok();
    number.filter(|number| *number <= LARGEST_NUMBER)
}

fn read(path: &Path) -> Result<ReviewView, String> {
    let text = files::read_text(path).map_err(|error| error.to_string())?;
    serde_json::from_str(&text).map_err(|error| format!("found no review ({error})"))
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_cannot_be_listed_is_not_one_without_reviews() {
        let folder = tempfile::tempdir().unwrap();
        let load = |name: &str| ReviewStore::new(folder.path().join(name)).load();
        assert!(load("none").unwrap().0.is_empty());
        fs::write(folder.path().join("file"), "x").unwrap();
        assert!(load("file").unwrap_err().to_string().contains("file"));
    }

    #[test]
    fn damaged_and_unreadable_reviews_are_told_and_stay() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        fs::write(file("1.json"), "{").unwrap();
        fs::create_dir(file("2.json")).unwrap();
        fs::write(file(".tmp1"), "half written").unwrap();
        fs::write(file("18446744073709551615.json"), "{").unwrap();
        let (views, damaged) = ReviewStore::new(folder.path().to_owned()).load().unwrap();
        let [first, second] = damaged.as_slice() else { panic!("{damaged:?}") };
        let told = format!("review {} cannot be read: found no review (EOF", file("1.json").display());
        assert!(views.is_empty() && first.to_string().starts_with(&told), "{first}");
        assert_eq!((first.number, second.number, &second.path), (1, 2, &file("2.json")));
        assert!(file("1.json").exists() && file("2.json").exists());
    }
}
