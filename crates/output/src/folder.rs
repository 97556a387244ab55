use std::{fs, io, path::Path};

/// Removes a folder with everything in it; one that is not there is no error.
///
/// # Errors
/// Whatever keeps it or a part of it.
pub fn remove_folder(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_removed_and_a_missing_one_is_no_error() {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("folder");
        fs::create_dir_all(folder.join("inner")).unwrap();
        for _ in 0..2 {
            remove_folder(&folder).unwrap();
            assert!(!folder.exists());
        }
        let file = outer.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(remove_folder(&file).is_err() && file.exists());
    }
}
