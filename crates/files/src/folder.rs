//! Folders, and files that need not exist.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::OutputError;

/// Paths of the files and folders in a folder, sorted; empty for a folder that does not exist. A folder that cannot be listed
/// is an error, because its contents would otherwise count as missing.
///
/// # Errors
/// [`OutputError::Io`].
pub fn entries(folder: &Path) -> Result<Vec<PathBuf>, OutputError> {
    let listed = if_there(paths_in(folder)).map_err(OutputError::io("list", folder))?;
    let mut paths = listed.unwrap_or_default();
    paths.sort();
    Ok(paths)
}

fn paths_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
}

/// Removes a folder with all its contents, if it exists.
///
/// # Errors
/// The errors of [`fs::remove_dir_all`] except [`io::ErrorKind::NotFound`].
pub fn remove_folder(folder: &Path) -> io::Result<()> {
    if_there(fs::remove_dir_all(folder)).map(drop)
}

/// `None` if something does not exist, such as a file that a command writes later or a folder that it has already removed. Any
/// other error stays an error, because unreadable files would otherwise count as missing.
///
/// # Errors
/// The errors of `done` except [`io::ErrorKind::NotFound`].
pub fn if_there<T>(done: io::Result<T>) -> io::Result<Option<T>> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        done => done.map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_text;

    #[test]
    fn a_missing_folder_is_empty_and_one_that_cannot_be_listed_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let [first, second] = ["a", "b"].map(|name| folder.path().join(name));
        fs::create_dir(&second).unwrap();
        fs::write(&first, "x").unwrap();
        assert_eq!(entries(folder.path()).unwrap(), [first.clone(), second]);
        assert!(entries(&folder.path().join("none")).unwrap().is_empty());
        let error = entries(&first).unwrap_err().to_string();
        assert!(error.starts_with(&format!("cannot list {}: ", first.display())), "{error}");
    }

    #[test]
    fn a_folder_is_gone_afterwards_and_a_file_stays() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("samples");
        let file = folder.join("inner").join("notes.txt");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "text").unwrap();
        assert!(remove_folder(&file).is_err() && file.exists());
        for _ in 0..2 {
            remove_folder(&folder).unwrap();
            assert!(!folder.exists());
        }
    }

    #[test]
    fn only_what_is_missing_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.txt");
        assert_eq!(if_there(read_text(&path)).unwrap(), None);
        fs::write(&path, "text").unwrap();
        assert_eq!(if_there(read_text(&path)).unwrap().as_deref(), Some("text"));
        assert!(if_there(read_text(folder.path())).is_err(), "a folder is not a text file");
        assert!(if_there(read_text(&path.join("below"))).is_err(), "a file has nothing below it");
        assert_eq!(if_there(fs::remove_file(&path)).unwrap(), Some(()));
    }
}
