//! Removal of folders that need not exist.

use std::{fs, io, path::Path};

use crate::if_there;

/// Removes a folder with all its contents, if it exists.
///
/// # Errors
/// Those of [`fs::remove_dir_all`] except [`io::ErrorKind::NotFound`].
pub fn remove_folder(folder: &Path) -> io::Result<()> {
    if_there(fs::remove_dir_all(folder)).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
