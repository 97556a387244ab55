//! Files and folders that need not exist.

use std::io;

/// `None` if something does not exist, such as a file that a command writes later or a folder that it has already removed. Any
/// other error stays an error, because unreadable files would otherwise count as missing.
///
/// # Errors
/// Those of `done` except [`io::ErrorKind::NotFound`].
pub fn if_there<T>(done: io::Result<T>) -> io::Result<Option<T>> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        done => done.map(Some),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::read_text;

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
