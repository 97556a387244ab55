//! Objects as files of a folder.

use std::{
    fs::{self, File},
    io::{self, Read, Seek as _, SeekFrom},
    ops::Range,
    path::{Path, PathBuf},
};

use bytes::Bytes;
use files::{LARGEST_FILE, if_there, read_at_most};

use super::{Backend, Cause, PutResult};

pub(super) struct Folder(PathBuf);

impl Folder {
    /// A folder, which is created if it is missing.
    pub(super) fn open(place: &str) -> Result<Box<dyn Backend>, String> {
        fs::create_dir_all(place).map_err(|error| error.to_string())?;
        Ok(Box::new(Self(place.into())))
    }

    /// The path of an object to be written; creates its folder.
    fn target(&self, name: &str) -> io::Result<PathBuf> {
        let path = self.0.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        Ok(path)
    }
}

impl Backend for Folder {
    fn put_new(&self, name: &str, bytes: Vec<u8>) -> Result<PutResult, Cause> {
        let written = files::write_new(&self.target(name)?, bytes)?;
        Ok(if written { PutResult::Written } else { PutResult::Taken })
    }

    fn replace(&self, name: &str, bytes: Vec<u8>) -> Result<(), Cause> {
        Ok(files::write(&self.target(name)?, bytes)?)
    }

    fn copy_from(&self, name: &str, bytes: &mut dyn Read) -> Result<u64, Cause> {
        Ok(files::copy(&self.target(name)?, bytes)?)
    }

    fn remove(&self, name: &str) -> Result<(), Cause> {
        if_there(fs::remove_file(self.0.join(name)))?;
        Ok(())
    }

    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, Cause> {
        Ok(whole(&self.0.join(name))?)
    }

    fn range(&self, name: &str, range: Range<u64>) -> Result<Bytes, Cause> {
        Ok(read_range(&self.0.join(name), range)?)
    }

    fn length(&self, name: &str) -> Result<u64, Cause> {
        Ok(fs::metadata(self.0.join(name))?.len())
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, Cause> {
        let mut names = Vec::new();
        collect(&self.0.join(folder), "", &mut names)?;
        Ok(names)
    }

    fn remove_partial(&self) -> Result<(), Cause> {
        let mut folders = vec![self.0.clone()];
        while let Some(folder) = folders.pop() {
            files::remove_partial(&folder)?;
            for entry in fs::read_dir(&folder)? {
                let entry = entry?;
                if entry.file_type()?.is_dir() {
                    folders.push(entry.path());
                }
            }
        }
        Ok(())
    }
}

/// The bytes of a file of at most [`LARGEST_FILE`]; `None` if it does not exist.
pub(crate) fn whole(path: &Path) -> io::Result<Option<Vec<u8>>> {
    if_there(read_at_most(path, LARGEST_FILE))
}

/// Bytes of a file, fewer if it ends before.
pub(crate) fn read_range(path: &Path, range: Range<u64>) -> io::Result<Bytes> {
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(range.start))?;
    file.take(range.end.saturating_sub(range.start)).read_to_end(&mut bytes)?;
    Ok(bytes.into())
}

/// The names of the files below a folder. Another process may remove one meanwhile.
fn collect(folder: &Path, prefix: &str, names: &mut Vec<String>) -> io::Result<()> {
    // A folder that does not exist has no objects, as in a bucket, where there are no folders at all.
    for entry in if_there(fs::read_dir(folder))?.into_iter().flatten() {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let named = if prefix.is_empty() { name.clone() } else { format!("{prefix}/{name}") };
        if entry.path().is_dir() {
            collect(&entry.path(), &named, names)?;
        } else if !files::is_partial(&name) {
            names.push(named);
        }
    }
    Ok(())
}
