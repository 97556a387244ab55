//! Listing of folders.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{OutputError, if_there};

/// Paths of the files and folders in a folder, sorted; empty for a folder that does not exist. A folder that cannot be listed
/// is an error, because its contents would otherwise count as missing.
///
/// # Errors
/// [`OutputError::Io`].
pub fn entries(folder: &Path) -> Result<Vec<PathBuf>, OutputError> {
    let paths = || fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>();
    let mut paths = if_there(paths()).map_err(OutputError::io("list", folder))?.unwrap_or_default();
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
