//! What a command reads, known by content: work does not go on with something else under the same name.

use std::{
    collections::BTreeMap,
    fs::{File, Metadata},
    io::{self, Read as _},
    path::Path,
    time::UNIX_EPOCH,
};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use crate::{OutputError, entries, path_text};

/// Facts that identify an input, as names and values. The first that differs is the one to name.
pub type Facts = Vec<(String, String)>;

/// Number of bytes that are hashed at a time.
const BLOCK: usize = 1 << 16;

/// The inputs of a command by their names (`openings book.pgn`), each with the facts that identify it. They are kept where the work
/// is, and every command that continues or reuses work compares them with [`Inputs::expect_same`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Inputs(BTreeMap<String, Facts>);

impl Inputs {
    /// The value of a fact about something that is no longer there. It differs from nothing: it cannot mix anything in, and results
    /// of finished work can be shown without it.
    pub const GONE: &str = "no longer there";

    /// Adds an input; `name` says what it is used as.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, facts: Facts) -> Self {
        self.0.insert(name.into(), facts);
        self
    }

    /// Adds a file or folder by its content, unless [`content_hash`] knows none.
    ///
    /// # Errors
    /// [`OutputError::Io`].
    pub fn with_path(self, role: &str, path: &Path) -> Result<Self, OutputError> {
        Ok(match content_hash(path)? {
            Some(hash) => self.with(format!("{role} {}", path_text(path)), vec![("hash".into(), hash)]),
            None => self,
        })
    }

    fn facts(&self, name: &str) -> &[(String, String)] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }

    /// Compares the inputs with those with which the work in `place` was begun.
    ///
    /// # Errors
    /// [`OutputError::OtherInput`] with the first input that differs, and what it was and is.
    pub fn expect_same(&self, before: &Self, place: &Path) -> Result<(), OutputError> {
        let is_gone = |fact: Option<&(String, String)>| fact.is_some_and(|(_, value)| value == Self::GONE);
        for name in before.0.keys().chain(self.0.keys()) {
            let (old, new) = (before.facts(name), self.facts(name));
            let mut pairs = (0..old.len().max(new.len())).map(|place| (old.get(place), new.get(place)));
            let Some((was, is)) = pairs.find(|&(was, is)| was != is && !is_gone(is)) else { continue };
            let Some((fact, _)) = is.or(was) else { continue };
            let value = |known: Option<&(String, String)>| {
                let known = known.filter(|(name, _)| name == fact);
                known.map_or("not there", |(_, value)| value.as_str()).into()
            };
            return Err(OutputError::OtherInput {
                place: place.into(),
                input: name.as_str().into(),
                fact: fact.as_str().into(),
                before: value(was),
                now: value(is),
            });
        }
        Ok(())
    }
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
        Ok(Some(text(&hasher)))
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

fn file_hash(path: &Path) -> Result<String, OutputError> {
    let hash = || -> io::Result<String> {
        let (mut file, mut hasher, mut block) = (File::open(path)?, Xxh3::new(), vec![0; BLOCK]);
        loop {
            let read = file.read(&mut block)?;
            if read == 0 {
                return Ok(text(&hasher));
            }
            hasher.update(&block[..read]);
        }
    };
    hash().map_err(OutputError::io("read", path))
}

fn text(hasher: &Xxh3) -> String {
    format!("{:032x}", hasher.digest128())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn facts(hash: &str) -> Facts {
        vec![("search".into(), "puct".into()), ("hash".into(), hash.into())]
    }

    #[test]
    fn the_first_difference_is_named() {
        let place = Path::new("m");
        let refused = |before: &Inputs, now: &Inputs| now.expect_same(before, place).unwrap_err().to_string();
        let before = Inputs::default().with("player a", facts("1"));
        before.clone().expect_same(&before, place).unwrap();
        let other = refused(&before, &Inputs::default().with("player a", facts("2")));
        assert!(
            other.contains("player a is not the one") && other.contains("its hash was 1, now 2"),
            "{other}"
        );
        let more = before.clone().with("openings o", vec![("hash".into(), "3".into())]);
        assert!(
            refused(&before, &more).contains("openings o")
                && refused(&before, &more).contains("was not there, now 3")
        );
        assert!(refused(&more, &before).contains("was 3, now not there"));
        let gone = Inputs::default().with("player a", facts(Inputs::GONE));
        gone.expect_same(&before, place).unwrap();
        let text = serde_json::to_string(&more).unwrap();
        assert_eq!(serde_json::from_str::<Inputs>(&text).unwrap(), more);
    }

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
        let expected = xxhash_rust::xxh3::xxh3_128("x".repeat(BLOCK + 1).as_bytes());
        assert_eq!(hash(&file), Some(format!("{expected:032x}")));
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
