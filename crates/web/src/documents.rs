//! Documents of one kind in a folder, a JSON file for each.

use std::{fs, io, marker::PhantomData, path::PathBuf};

use files::{OutputError, entries, if_there};
use serde::{Serialize, de::DeserializeOwned};

/// A folder with the document `D` of each id in the file `ID.json`. A missing folder has no documents, and the first one written
/// creates it.
///
/// Nothing is remembered between calls: a file that a person copies, repairs or deletes while the server runs counts from the next
/// call on. A file that is damaged, of another version or unreadable is an error of its id and stays as it is, because it may be
/// the only copy of somebody's game.
#[derive(Clone, Debug)]
pub(crate) struct DocumentFolder<D> {
    folder: PathBuf,
    // Ids come from addresses: an id that it accepts must contain nothing that leads out of the folder, neither a separator nor a
    // dot. It also distinguishes documents from other files, such as the temporary ones of a write that was killed.
    is_id: fn(&str) -> bool,
    kind: PhantomData<D>,
}

/// Why the file of a document has none.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DocumentError {
    #[error(transparent)]
    File(#[from] io::Error),
    /// The text is not JSON, or not this kind of document.
    #[error(transparent)]
    Content(#[from] serde_json::Error),
}

impl<D: Serialize + DeserializeOwned> DocumentFolder<D> {
    pub(crate) fn new(folder: PathBuf, is_id: fn(&str) -> bool) -> Self {
        Self { folder, is_id, kind: PhantomData }
    }

    /// The ids of all documents, in the order of their files.
    pub(crate) fn ids(&self) -> Result<Vec<String>, OutputError> {
        let mut ids = Vec::new();
        for path in entries(&self.folder)? {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if let Some(id) = name.strip_suffix(".json").filter(|id| (self.is_id)(id)) {
                ids.push(id.to_owned());
            }
        }
        Ok(ids)
    }

    /// The document of an id; `None` if there is none, or if the text is not an id.
    pub(crate) fn load(&self, id: &str) -> Result<Option<D>, DocumentError> {
        if !(self.is_id)(id) {
            return Ok(None);
        }
        let Some(text) = if_there(files::read_text(&self.file(id)))? else { return Ok(None) };
        Ok(Some(serde_json::from_str(&text)?))
    }

    /// Writes a document, whole or not at all, in place of an earlier one of this id. Other users of the machine cannot read it.
    pub(crate) fn write(&self, id: &str, document: &D) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        files::write_private(&self.file(id), serde_json::to_vec(document)?)
    }

    /// Deletes a document; `false` if there is none, or if the text is not an id.
    pub(crate) fn remove(&self, id: &str) -> io::Result<bool> {
        if !(self.is_id)(id) {
            return Ok(false);
        }
        Ok(if_there(fs::remove_file(self.file(id)))?.is_some())
    }

    /// The file of a document that has this id or would have it.
    pub(crate) fn file(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.json"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_listed_by_id_and_a_damaged_one_hides_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let documents = DocumentFolder::<Vec<u32>>::new(folder.path().join("new"), |id| id.len() == 1);
        assert_eq!(documents.ids().unwrap(), Vec::<String>::new());
        documents.write("b", &vec![1, 2]).unwrap();
        for (name, text) in [("a.json", "{"), ("long.json", "[3]"), ("c.txt", "[3]")] {
            fs::write(folder.path().join("new").join(name), text).unwrap();
        }
        assert_eq!(documents.ids().unwrap(), ["a", "b"]);
        assert!(matches!(documents.load("a"), Err(DocumentError::Content(_))));
        assert_eq!(documents.load("b").unwrap(), Some(vec![1, 2]));
        assert_eq!((documents.load("c").unwrap(), documents.load("long").unwrap()), (None, None));
        assert!(documents.remove("b").unwrap() && !documents.remove("b").unwrap());
        assert!(!documents.remove("long").unwrap() && folder.path().join("new/long.json").exists());
    }
}
