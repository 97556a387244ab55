//! The folder of analyses, a JSON file for each.

use std::{
    cmp::Reverse,
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use files::entries;

use super::view::{AnalysisDraft, AnalysisList, AnalysisSummary, KeptAnalysis};
use crate::error::ApiError;

/// Most analyses that are kept; the one not changed for longest goes first.
const MOST_ANALYSES: usize = 100;
/// Longest text of a title, bytes: a list holds the titles of all analyses.
const LONGEST_TITLE: usize = 1000;

/// The analyses of this server, read from the folder with every request.
#[derive(Debug)]
pub(crate) struct AnalysisStore {
    folder: PathBuf,
    /// Held from the look at a revision until the next one is written.
    changing: Mutex<()>,
}

impl AnalysisStore {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, changing: Mutex::default() }
    }

    /// All analyses, the last changed one first, and the files that do not hold one.
    pub(crate) fn list(&self) -> Result<AnalysisList, ApiError> {
        let mut list = AnalysisList { analyses: Vec::new(), problems: Vec::new() };
        for path in entries(&self.folder)? {
            let Some(id) = id_of(&path) else { continue };
            match self.load(id) {
                Ok(Some(analysis)) => list.analyses.push(analysis.summary),
                // Deleted since the folder was read.
                Ok(None) => {}
                Err(error) => list.problems.push(unreadable(id, &error)),
            }
        }
        list.analyses.sort_by_key(|one| Reverse(one.changed));
        Ok(list)
    }

    /// An analysis; `None` if there is none with this id.
    pub(crate) fn find(&self, id: &str) -> Result<Option<KeptAnalysis>, ApiError> {
        if !is_id(id) {
            return Ok(None);
        }
        self.load(id).map_err(|error| ApiError::failed(unreadable(id, &error)))
    }

    /// Keeps the next revision of an analysis, or the first one under an id that the client chose. A revision that is there already, because
    /// its answer was lost, is not written again.
    pub(crate) fn save(&self, id: &str, draft: AnalysisDraft) -> Result<AnalysisSummary, ApiError> {
        let AnalysisDraft { revision, title, path, pgn } = draft;
        if !is_id(id) {
            let message = "id: expected 1 to 40 lower case letters, digits and hyphens";
            return Err(ApiError::invalid("invalid_analysis", message));
        }
        if title.players.len() + title.result.len() + title.fen.len() > LONGEST_TITLE {
            let message = format!("title: expected texts of at most {LONGEST_TITLE} bytes together");
            return Err(ApiError::invalid("invalid_analysis", message));
        }
        let _changing = self.changing();
        let known = self.find(id)?;
        let is_new = known.is_none();
        if let Some(known) = known {
            if known.pgn == pgn {
                return Ok(known.summary);
            }
            let newest = known.summary.revision;
            if newest != revision {
                let message = format!("revision: found {revision}, but {newest} is the newest one");
                return Err(ApiError::conflict("other_revision", message));
            }
        }
        let id = id.to_owned();
        let summary = AnalysisSummary { id, revision: revision.saturating_add(1), changed: now(), title };
        let analysis = KeptAnalysis { summary, path, pgn };
        self.write(&analysis)
            .map_err(|error| ApiError::failed(format!("the analysis cannot be kept: {error}")))?;
        if is_new {
            self.forget_oldest()?;
        }
        Ok(analysis.summary)
    }

    pub(crate) fn delete(&self, id: &str) -> Result<(), ApiError> {
        let _changing = self.changing();
        let removed = if is_id(id) { files::if_there(fs::remove_file(self.path(id))) } else { Ok(None) };
        let removed =
            removed.map_err(|error| ApiError::failed(format!("cannot delete analysis {id}: {error}")))?;
        removed.ok_or_else(|| ApiError::missing("analysis", id))
    }

    fn forget_oldest(&self) -> Result<(), ApiError> {
        for old in self.list()?.analyses.iter().skip(MOST_ANALYSES) {
            // At worst, there is one more.
            let _ = fs::remove_file(self.path(&old.id));
        }
        Ok(())
    }

    fn load(&self, id: &str) -> io::Result<Option<KeptAnalysis>> {
        let text = files::if_there(files::read_text(&self.path(id)))?;
        text.map(|text| serde_json::from_str(&text).map_err(io::Error::other)).transpose()
    }

    /// Writes the file of an analysis, whole or not at all.
    fn write(&self, analysis: &KeptAnalysis) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        files::write_private(&self.path(&analysis.summary.id), serde_json::to_vec(analysis)?)
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.json"))
    }

    fn changing(&self) -> MutexGuard<'_, ()> {
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unreadable(id: &str, reason: &io::Error) -> String {
    format!("cannot read analysis {id}: {reason}")
}

/// The id of an analysis from the name of its file; `None` for other files.
fn id_of(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()?.strip_suffix(".json").filter(|id| is_id(id))
}

/// Ids have no character that leads out of the folder.
fn is_id(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=40).contains(&text.len()) && text.bytes().all(fits)
}

/// Milliseconds since 1970: a reader may change two analyses within a second.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyses::view::AnalysisTitle;

    fn title(players: &str) -> AnalysisTitle {
        AnalysisTitle { players: players.into(), result: String::new(), plies: 1, fen: String::new() }
    }

    fn draft(revision: u64, pgn: &str) -> AnalysisDraft {
        AnalysisDraft { revision, title: title("Anna - Bert"), path: vec![0], pgn: pgn.into() }
    }

    fn ids(store: &AnalysisStore) -> Vec<String> {
        store.list().unwrap().analyses.into_iter().map(|one| one.id).collect()
    }

    #[test]
    fn a_revision_follows_the_one_that_was_changed() {
        let folder = tempfile::tempdir().unwrap();
        let store = AnalysisStore::new(folder.path().join("analyses"));
        assert_eq!(store.save("a1", draft(0, "1. e4 *")).unwrap().revision, 1);
        assert_eq!(store.save("a1", draft(1, "1. e4 e5 *")).unwrap().revision, 2);
        // Another page has read the first revision.
        let refused = store.save("a1", draft(1, "1. e4 c5 *")).unwrap_err();
        assert_eq!((refused.status.as_u16(), refused.refusal.code), (409, "other_revision"));
        // The answer to the second was lost.
        assert_eq!(store.save("a1", draft(1, "1. e4 e5 *")).unwrap().revision, 2);
        assert_eq!(store.find("a1").unwrap().unwrap().pgn, "1. e4 e5 *");
        // One that was deleted meanwhile is kept again.
        store.delete("a1").unwrap();
        assert_eq!(store.delete("a1").unwrap_err().status.as_u16(), 404);
        assert_eq!(store.save("a1", draft(2, "1. e4 *")).unwrap().revision, 3);
    }

    #[test]
    fn the_one_not_changed_for_longest_goes_first() {
        let folder = tempfile::tempdir().unwrap();
        let store = AnalysisStore::new(folder.path().to_owned());
        for number in 1..=MOST_ANALYSES {
            let summary = AnalysisSummary {
                id: format!("a{number}"),
                revision: 1,
                changed: number as u64,
                title: title("Anna - Bert"),
            };
            store.write(&KeptAnalysis { summary, path: Vec::new(), pgn: "*".into() }).unwrap();
        }
        store.save("a1", draft(1, "1. e4 *")).unwrap();
        assert_eq!(ids(&store).len(), MOST_ANALYSES);
        assert_eq!((ids(&store)[0].as_str(), ids(&store)[1].as_str()), ("a1", "a100"));
        store.save("new", draft(0, "1. d4 *")).unwrap();
        assert_eq!(ids(&store).len(), MOST_ANALYSES);
        assert!(store.find("a2").unwrap().is_none() && store.find("a1").unwrap().is_some());
    }

    #[test]
    fn names_that_lead_elsewhere_and_long_titles_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let store = AnalysisStore::new(folder.path().join("analyses"));
        fs::write(folder.path().join("secret.json"), "{}").unwrap();
        for id in ["../secret", "", "A1", "a_1", &"1".repeat(41)] {
            assert!(store.find(id).unwrap().is_none(), "{id}");
            assert_eq!(store.save(id, draft(0, "*")).unwrap_err().refusal.code, "invalid_analysis", "{id}");
            assert_eq!(store.delete(id).unwrap_err().refusal.code, "not_found", "{id}");
        }
        let long = AnalysisDraft { title: title(&"A".repeat(LONGEST_TITLE + 1)), ..draft(0, "*") };
        assert_eq!(store.save("a1", long).unwrap_err().refusal.code, "invalid_analysis");
        assert!(folder.path().join("secret.json").exists() && ids(&store).is_empty());
    }

    #[test]
    fn a_damaged_file_is_told_and_never_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let store = AnalysisStore::new(folder.path().to_owned());
        fs::write(folder.path().join("a1.json"), "{").unwrap();
        store.save("a2", draft(0, "*")).unwrap();
        let list = store.list().unwrap();
        let [problem] = list.problems.as_slice() else { panic!("{list:?}") };
        assert!(problem.starts_with("cannot read analysis a1: "), "{problem}");
        assert_eq!(store.save("a1", draft(0, "*")).unwrap_err().refusal.code, "failed");
        assert_eq!(fs::read_to_string(folder.path().join("a1.json")).unwrap(), "{");
        assert_eq!(ids(&store), ["a2"]);
    }
}
