//! Kinds of files that a user names as outputs, so that a slip of the pen replaces nothing else.

use std::{
    fs::File,
    io::Read as _,
    path::{Path, PathBuf},
};

use crate::{OutputError, OutputFile, system::is_same_file};

/// Number of bytes by which an existing file is recognised.
const HEAD: u64 = 1 << 12;

/// A kind of file that a command writes where the user says.
#[derive(Debug)]
pub struct FileKind {
    /// The kind in messages: `an opening book`.
    pub name: &'static str,
    /// The endings of its files, without the dot.
    pub endings: &'static [&'static str],
    /// True for the first bytes of a file of this kind; `None` for a kind of which no file is replaced unasked.
    pub is_own: Option<fn(&[u8]) -> bool>,
}

impl FileKind {
    /// Checks an output before the work that produces it: it is none of the `inputs` and nothing within them, it has an ending of its
    /// kind, and an existing file is one of this kind, unless `force` replaces it; `None` for a command without `--force`. Devices and
    /// FIFOs are written through, and any name is theirs.
    ///
    /// # Errors
    /// [`OutputError::IsInput`], [`OutputError::Ending`] and [`OutputError::OtherFile`]; [`OutputError::Io`] if an existing file cannot
    /// be read.
    pub fn check(&self, path: &Path, inputs: &[PathBuf], force: Option<bool>) -> Result<(), OutputError> {
        if inputs.iter().any(|input| is_same_file(path, input) || is_within(path, input)) {
            return Err(OutputError::IsInput { path: path.into() });
        }
        let there = path.metadata().ok();
        if there.as_ref().is_some_and(|data| !data.is_file() && !data.is_dir()) {
            return Ok(());
        }
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        if !self.endings.contains(&ending.as_str()) {
            let known: Vec<String> = self.endings.iter().map(|ending| format!(".{ending}")).collect();
            return Err(OutputError::Ending {
                path: path.into(),
                found: ending,
                expected: known.join(" or "),
            });
        }
        if there.is_some_and(|data| data.is_file()) && force != Some(true) && !self.is_kind_of(path)? {
            let other = self.is_own.map_or_else(String::new, |_| format!(" and is not {}", self.name));
            let way_out = if force.is_some() { "--force replaces it" } else { "name another file" };
            return Err(OutputError::OtherFile { path: path.into(), other, way_out });
        }
        Ok(())
    }

    /// Opens an output after [`FileKind::check`].
    ///
    /// # Errors
    /// The errors of [`FileKind::check`] and [`OutputFile::open`].
    pub fn open(&self, path: &Path, inputs: &[PathBuf], force: bool) -> Result<OutputFile, OutputError> {
        self.check(path, inputs, Some(force))?;
        OutputFile::open(path)
    }

    fn is_kind_of(&self, path: &Path) -> Result<bool, OutputError> {
        let Some(is_own) = self.is_own else { return Ok(false) };
        let mut head = Vec::new();
        let read = File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
        read.map_err(OutputError::io("read", path))?;
        Ok(is_own(&head))
    }
}

/// True if an existing file lies within a folder.
fn is_within(file: &Path, folder: &Path) -> bool {
    let (Ok(folder), Ok(file)) = (folder.canonicalize(), file.canonicalize()) else { return false };
    folder.is_dir() && file.starts_with(folder)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const PAGE: FileKind = FileKind {
        name: "a page",
        endings: &["html", "htm"],
        is_own: Some(|head| head.starts_with(b"<html")),
    };

    #[test]
    fn only_files_of_the_kind_are_replaced_and_inputs_never() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        fs::create_dir(path("games")).unwrap();
        for (name, content) in [("own.html", "<html>"), ("other.html", "notes"), ("games/a.html", "<html>")] {
            fs::write(path(name), content).unwrap();
        }
        let inputs = [path("games"), path("other.html"), PathBuf::from("-")];
        let check = |name: &str, force: bool| PAGE.check(&path(name), &inputs[..1], Some(force));
        for name in ["own.html", "new.HTM", "own.htm"] {
            check(name, false).unwrap();
        }
        let refused = |name: &str, force| check(name, force).unwrap_err().to_string();
        assert!(
            refused("other.html", false).contains("exists already and is not a page; --force replaces it")
        );
        check("other.html", true).unwrap();
        for (name, expected) in
            [("a.pgn", "ending \"pgn\""), ("html", "ending \"\""), ("games/a.html", "inputs")]
        {
            assert!(refused(name, true).contains(expected), "{name}: {}", refused(name, true));
        }
        assert!(matches!(
            PAGE.check(&path("games/../other.html"), &inputs, Some(true)),
            Err(OutputError::IsInput { .. })
        ));
        let appended = PAGE.check(&path("other.html"), &[], None).unwrap_err().to_string();
        assert!(appended.ends_with("name another file"), "{appended}");
        let bare = FileKind { is_own: None, ..PAGE };
        let error = bare.check(&path("own.html"), &[], Some(false)).unwrap_err().to_string();
        assert!(error.ends_with("own.html: exists already; --force replaces it"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn devices_have_any_name() {
        PAGE.open(Path::new("/dev/null"), &[], false).unwrap().finish("<html>").unwrap();
    }
}
