//! Paths as text, and the file or folder behind a path.

use std::path::{Path, PathBuf};

use crate::{OutputError, if_there};

/// A path as text, for people and for JSON. U+FFFD stands for bytes that are not UTF-8, so the text may not lead back to the
/// file; serde refuses to write such paths at all.
pub fn path_text(path: &Path) -> String {
    path.display().to_string()
}

/// True for the name of a file or folder alone, which cannot lead out of the folder that it is joined to.
pub fn is_name(path: &Path) -> bool {
    path.file_name() == Some(path.as_os_str())
}

/// A path to be written to `place`, a text file or an address from which it will be read again.
///
/// # Errors
/// [`OutputError::NotUtf8`] if the text would not lead back to the file.
pub fn utf8<'path>(path: &'path Path, place: &'static str) -> Result<&'path str, OutputError> {
    path.to_str().ok_or_else(|| OutputError::NotUtf8 { path: path.into(), place })
}

/// The canonical path of a file or folder that may have many names: absolute, without links, `.` and `..`. For a file or folder
/// that does not exist yet, it is the path at which it would be created.
pub(crate) fn resolve(path: &Path) -> Result<PathBuf, OutputError> {
    if let Some(resolved) = if_there(path.canonicalize()).map_err(OutputError::io("use the path", path))? {
        return Ok(resolved);
    }
    let absolute = std::path::absolute(path).map_err(OutputError::io("use the path", path))?;
    let Some(parent) = absolute.parent() else { return Err(OutputError::Nameless { path: path.into() }) };
    let Some(name) = absolute.file_name() else {
        // The path ends in `..` of a folder that does not exist.
        let mut resolved = resolve(parent)?;
        resolved.pop();
        return Ok(resolved);
    };
    // Without a trailing slash, which would follow the link.
    match parent.join(name).read_link() {
        // A link whose target does not exist yet. `canonicalize` fails for a cycle of links, so the recursion ends.
        Ok(target) => resolve(&parent.join(target)),
        Err(_) => Ok(resolve(parent)?.join(name)),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt as _, os::unix::fs::symlink};

    use super::*;

    #[test]
    fn all_names_of_a_folder_lead_to_one_path() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        let folder = root.join("m");
        symlink("m", root.join("link")).unwrap();
        symlink("link", root.join("link-of-link")).unwrap();
        symlink(".", root.join("here")).unwrap();
        for exists in [false, true] {
            if exists {
                fs::create_dir(&folder).unwrap();
            }
            for name in ["m", "./m", "m/", "m/.", "link", "link-of-link", "here/link", "here/here/m"] {
                assert_eq!(resolve(&root.join(name)).unwrap(), folder, "{name}, exists: {exists}");
            }
        }
        assert_eq!(resolve(&root.join("m/../m/new/deep")).unwrap(), folder.join("new/deep"));
        symlink("circle", root.join("circle")).unwrap();
        assert!(resolve(&root.join("circle")).is_err());
    }

    #[test]
    fn names_that_are_not_text_are_shown_but_not_written_down() {
        let path = Path::new(OsStr::from_bytes(b"g\xffmes.pgn"));
        assert_eq!(path_text(path), "g\u{fffd}mes.pgn");
        let error = utf8(path, "a recipe").unwrap_err().to_string();
        assert!(error.contains("not UTF-8") && error.contains("a recipe"), "{error}");
        assert_eq!(utf8(Path::new("games.pgn"), "a recipe").unwrap(), "games.pgn");
    }
}
