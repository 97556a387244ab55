//! Hashes of files, folders and bytes, as texts that provenance, manifests and setups store and compare.

use std::{
    fs::{File, Metadata},
    io::{self, Read},
    path::Path,
    time::UNIX_EPOCH,
};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use crate::{OutputError, entries, path_text};

/// Number of bytes that are hashed at a time.
const BLOCK: usize = 1 << 16;

/// A 128-bit hash as every file of this program stores it: 32 hexadecimal digits.
pub fn hash_text(hash: u128) -> String {
    format!("{hash:032x}")
}

/// The XXH3-128 hash of bytes, as text.
pub fn bytes_hash(bytes: &[u8]) -> String {
    hash_text(xxh3_128(bytes))
}

/// The content of a file or folder, with size and time of change, by which an unchanged file is recognised cheaply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownContent {
    /// See [`content_hash`].
    pub hash: String,
    /// Length in bytes, and modification time in nanoseconds since 1970; `None` for a folder.
    stamp: Option<(u64, u64)>,
}

impl KnownContent {
    /// The content of a path, not hashed again if its length and modification time are those of `before`; `None` as for
    /// [`content_hash`].
    ///
    /// # Errors
    /// [`OutputError::Io`].
    pub fn of(path: &Path, before: Option<&Self>) -> Result<Option<Self>, OutputError> {
        // Before the hash: a file that is replaced in between is hashed the next time.
        let stamp = stamp(path);
        if let Some(before) = before.filter(|before| stamp.is_some() && before.stamp == stamp) {
            return Ok(Some(before.clone()));
        }
        Ok(content_hash(path)?.map(|hash| Self { hash, stamp }))
    }
}

fn stamp(path: &Path) -> Option<(u64, u64)> {
    let data = path.metadata().ok().filter(Metadata::is_file)?;
    let modified = data.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some((data.len(), u64::try_from(modified.as_nanos()).ok()?))
}

/// XXH3 of what a path holds, 128 bits, hexadecimal. A folder has the hash of the names and hashes of all files in it, a sample store
/// that of its manifest, which holds the hashes of its files. `None` for anything that is not a file or folder of this machine, such
/// as stdin (`-`), a device or an address.
///
/// # Errors
/// [`OutputError::Io`].
pub fn content_hash(path: &Path) -> Result<Option<String>, OutputError> {
    let Ok(data) = path.metadata() else { return Ok(None) };
    let manifest = path.join(crate::run::MANIFEST);
    if data.is_file() {
        file_hash(path).map(Some)
    } else if manifest.is_file() {
        file_hash(&manifest).map(Some)
    } else if data.is_dir() {
        let mut hasher = Xxh3::new();
        add_folder(path, Path::new(""), &mut hasher)?;
        Ok(Some(hash_text(hasher.digest128())))
    } else {
        Ok(None)
    }
}

/// Adds the files below a folder in the order of their names. Links to folders are not followed: they may lead in a circle.
fn add_folder(folder: &Path, name: &Path, hasher: &mut Xxh3) -> Result<(), OutputError> {
    for path in entries(folder)? {
        let name = name.join(path.file_name().unwrap_or_default());
        let is_link = path.is_symlink();
        if path.is_dir() && !is_link {
            add_folder(&path, &name, hasher)?;
        } else if path.is_file() {
            hasher.update(path_text(&name).as_bytes());
            hasher.update(file_hash(&path)?.as_bytes());
        }
    }
    Ok(())
}

/// True for what can be read only once, so that its content cannot be known before it is used: standard input (`-`), a pipe, a device.
pub fn is_stream(path: &Path) -> bool {
    path == Path::new("-") || path.metadata().is_ok_and(|data| !data.is_file() && !data.is_dir())
}

fn file_hash(path: &Path) -> Result<String, OutputError> {
    File::open(path).and_then(reader_hash).map_err(OutputError::io("read", path))
}

/// XXH3 of all that a reader gives, 128 bits, hexadecimal.
///
/// # Errors
/// Those of the reader.
pub fn reader_hash(mut reader: impl Read) -> io::Result<String> {
    let mut hasher = Xxh3::new();
    let mut block = vec![0; BLOCK];
    loop {
        let read = match reader.read(&mut block) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        if read == 0 {
            return Ok(hash_text(hasher.digest128()));
        }
        hasher.update(&block[..read]);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_is_hashed_again_when_its_length_or_time_differs() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("a.pgn");
        fs::write(&file, "x").unwrap();
        let known = KnownContent::of(&file, None).unwrap().unwrap();
        let trusted = KnownContent { hash: "trusted".into(), ..known.clone() };
        assert_eq!(KnownContent::of(&file, Some(&trusted)).unwrap().unwrap().hash, "trusted");
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(1);
        File::options().write(true).open(&file).unwrap().set_modified(later).unwrap();
        assert_eq!(KnownContent::of(&file, Some(&trusted)).unwrap().unwrap().hash, known.hash);
        fs::remove_file(&file).unwrap();
        assert_eq!(KnownContent::of(&file, Some(&trusted)).unwrap(), None);
    }

    #[test]
    fn content_is_known_by_its_bytes_and_names_below_it_and_a_store_by_its_manifest() {
        let place = tempfile::tempdir().unwrap();
        let [folder, file] = ["games", "games/a.pgn"].map(|name| place.path().join(name));
        fs::create_dir(&folder).unwrap();
        fs::write(&file, "x".repeat(BLOCK + 1)).unwrap();
        let hash = |path: &Path| content_hash(path).unwrap();
        let text = "x".repeat(BLOCK + 1);
        assert_eq!(hash(&file), Some(format!("{:032x}", xxh3_128(text.as_bytes()))));
        assert_eq!(hash(&file), Some(bytes_hash(text.as_bytes())));
        let before = hash(&folder);
        fs::rename(&file, folder.join("b.pgn")).unwrap();
        assert!(before.is_some() && hash(&folder) != before, "another name");
        fs::rename(folder.join("b.pgn"), &file).unwrap();
        assert_eq!(hash(&folder), before);
        fs::write(&file, "y").unwrap();
        assert_ne!(hash(&folder), before, "another content");
        fs::write(folder.join(crate::run::MANIFEST), "{}").unwrap();
        let of_store = hash(&folder);
        fs::write(&file, "z").unwrap();
        assert_eq!(hash(&folder), of_store);
        assert_eq!((hash(Path::new("-")), hash(Path::new("s3://chess/games"))), (None, None));
    }
}
