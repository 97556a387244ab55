//! Location of a text: a file, a member of a zip archive, an object in a bucket, or stdin.

use std::{
    collections::HashSet,
    fs::File,
    io::Read as _,
    path::{Path, PathBuf},
};

use super::{object::Object, zip::Member};
use crate::{
    DatasetError,
    storage::{Storage, is_url},
};

/// A text to be read, wherever it lies.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "self-explanatory variants")]
pub enum Location {
    Stdin,
    File(PathBuf),
    /// A file in a zip archive.
    Member(Member),
    Object(Object),
}

impl Location {
    /// The inputs that a path of the command line stands for: `-` is stdin, a folder all files in it and
    /// below it in the order of their names (hidden ones left out), a zip archive all files in it, an address
    /// (`s3://BUCKET/PREFIX`) the object there or all objects below it.
    ///
    /// # Errors
    /// [`DatasetError`] when there is nothing, it cannot be read, or it is a sample store.
    pub fn all(path: &Path) -> Result<Vec<Self>, DatasetError> {
        let mut locations = Vec::new();
        if path == Path::new("-") {
            return Ok(vec![Self::Stdin]);
        }
        if let Some(address) = path.to_str().filter(|address| is_url(address)) {
            return Ok(Object::all(Storage::open(address)?)?.into_iter().map(Self::Object).collect());
        }
        collect(path, &mut HashSet::new(), &mut locations)?;
        if locations.is_empty() {
            return Err(DatasetError::bad_source(path, "no file in it", "files of games or positions"));
        }
        Ok(locations)
    }

    /// Its name for messages and the manifest.
    pub fn path(&self) -> PathBuf {
        match self {
            Self::Stdin => PathBuf::from("-"),
            Self::File(path) => path.clone(),
            Self::Member(member) => member.path(),
            Self::Object(object) => object.path(),
        }
    }

    /// True if it can be opened more than once.
    pub fn reopens(&self) -> bool {
        match self {
            Self::Stdin => false,
            // Bytes that the first opening reads from a named pipe would be lost.
            Self::File(path) => path.metadata().map_or(true, |data| data.is_file()),
            Self::Member(_) | Self::Object(_) => true,
        }
    }

    /// Bytes to be read, if known.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Stdin => 0,
            Self::File(path) => path.metadata().map_or(0, |data| data.len()),
            Self::Member(member) => member.bytes(),
            Self::Object(object) => object.bytes(),
        }
    }
}

/// Each folder is entered once, because links may lead back to it.
fn collect(
    path: &Path,
    entered: &mut HashSet<PathBuf>,
    locations: &mut Vec<Location>,
) -> Result<(), DatasetError> {
    if path.is_dir() {
        if !entered.insert(path.canonicalize().map_err(DatasetError::io("open", path))?) {
            return Ok(());
        }
        if path.join(files::run::MANIFEST).exists() {
            return Err(DatasetError::bad_source(path, "a sample store", "files of games or positions"));
        }
        let entries = std::fs::read_dir(path).map_err(DatasetError::io("read", path))?;
        let mut paths = Vec::new();
        for entry in entries {
            let entry = entry.map_err(DatasetError::io("read", path))?;
            let path = entry.path();
            // Pipes and devices are read where they are named; one in a folder might never end.
            let special = path.metadata().is_ok_and(|data| !data.is_file() && !data.is_dir());
            if !special && !entry.file_name().to_string_lossy().starts_with('.') {
                paths.push(path);
            }
        }
        paths.sort();
        return paths.iter().try_for_each(|path| collect(path, entered, locations));
    }
    if path.is_file() && begins_with(path, b"PK\x03\x04")? {
        locations.extend(Member::all(path)?.into_iter().map(Location::Member));
    } else {
        locations.push(Location::File(path.into()));
    }
    Ok(())
}

/// True if the first bytes of a file are these.
pub(in crate::source) fn begins_with(path: &Path, magic: &[u8]) -> Result<bool, DatasetError> {
    let mut start = Vec::with_capacity(magic.len());
    let file = File::open(path).map_err(DatasetError::io("open", path))?;
    file.take(magic.len() as u64).read_to_end(&mut start).map_err(DatasetError::io("read", path))?;
    Ok(start == magic)
}
