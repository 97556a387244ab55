//! Files that commands write when their work is done.

use std::{
    fs::File,
    io::Write as _,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, ensure};

/// A file that is the old or the new one, whenever the program is killed. It is opened before the work begins, so that a wrong
/// path costs nothing.
#[derive(Debug)]
pub(crate) struct OutputFile {
    path: PathBuf,
    aside: PathBuf,
    file: File,
}

impl OutputFile {
    /// Opens the file beside its final place.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        ensure!(!path.is_dir(), "cannot write {}: it is a folder", path.display());
        let mut aside = path.as_os_str().to_owned();
        aside.push(".partial");
        let file = File::create(&aside).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self { path: path.into(), aside: aside.into(), file })
    }

    /// Writes the content and puts the file into its place.
    pub(crate) fn finish(mut self, content: impl AsRef<[u8]>) -> Result<()> {
        let written = self.file.write_all(content.as_ref()).and_then(|()| self.file.sync_all());
        written
            .and_then(|()| std::fs::rename(&self.aside, &self.path))
            .with_context(|| format!("cannot write {}", self.path.display()))
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        // After `finish` there is none; otherwise the first error is the one to report.
        let _ = std::fs::remove_file(&self.aside);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.json");
        drop(OutputFile::open(&path).unwrap());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        OutputFile::open(&path).unwrap().finish("text").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "text");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn wrong_paths_are_named_at_once() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path().to_path_buf(), folder.path().join("no/such/table.json")] {
            let error = format!("{:#}", OutputFile::open(&path).unwrap_err());
            assert!(error.contains(&path.display().to_string()), "{error}");
        }
    }
}
