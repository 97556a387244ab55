//! Analyses that people made on the page: games with their variations, comments and glyphs.

use std::{
    cmp::Reverse,
    io,
    path::PathBuf,
    sync::Mutex,
    time::{SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    documents::{DocumentError, DocumentFolder},
    error::ApiError,
    threads::locked,
};

/// Most analyses that are kept; the one not changed for longest goes first.
const MOST_ANALYSES: usize = 100;
/// Longest text of a title, bytes: a list holds the titles of all analyses.
const LONGEST_TITLE: usize = 1000;

/// An analysis to keep.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnalysisDraft {
    /// The revision that was changed; 0 for a new analysis.
    revision: u64,
    /// Its entry in a list.
    title: AnalysisTitle,
    /// Path to the position on the board: the index of the continuation in each position, from the first on.
    path: Vec<usize>,
    /// The game with variations, comments and glyphs, PGN.
    pgn: String,
}

/// An analysis as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnalysisTitle {
    /// The players, or the first moves of a game without names.
    players: String,
    /// Result of the game; empty if it has none.
    result: String,
    /// Half-moves of the game.
    plies: usize,
    /// The position on the board, FEN.
    fen: String,
}

/// An analysis with its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub(crate) struct KeptAnalysis {
    /// Its entry in the list.
    summary: AnalysisSummary,
    /// Path to the position on the board: the index of the continuation in each position, from the first on.
    path: Vec<usize>,
    /// The game with variations, comments and glyphs, PGN.
    pgn: String,
}

/// An analysis in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub(crate) struct AnalysisSummary {
    /// Its id in URLs.
    id: String,
    /// Number of changes so far.
    revision: u64,
    /// Time of the last change, milliseconds since 1970.
    changed: u64,
    /// Players, result and position.
    title: AnalysisTitle,
}

/// The analyses of a server.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AnalysisList {
    /// The last changed one first.
    pub(crate) analyses: Vec<AnalysisSummary>,
    /// Files of analyses that cannot be read, each with its reason.
    pub(crate) problems: Vec<String>,
}

/// The analyses of this server.
#[derive(Debug)]
pub(crate) struct AnalysisStore {
    documents: DocumentFolder<KeptAnalysis>,
    /// Held from the look at a revision until the next one is written.
    changing: Mutex<()>,
}

impl AnalysisStore {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { documents: DocumentFolder::new(folder, is_id), changing: Mutex::default() }
    }

    /// All analyses, the last changed one first, and the files that do not hold one.
    pub(crate) fn list(&self) -> Result<AnalysisList, ApiError> {
        let mut list = AnalysisList { analyses: Vec::new(), problems: Vec::new() };
        for id in self.documents.ids()? {
            match self.documents.load(&id) {
                Ok(Some(analysis)) => list.analyses.push(analysis.summary),
                // Deleted since the folder was read.
                Ok(None) => {}
                Err(error) => list.problems.push(unreadable(&id, &error)),
            }
        }
        list.analyses.sort_by_key(|one| Reverse(one.changed));
        Ok(list)
    }

    /// An analysis; `None` if there is none with this id.
    pub(crate) fn find(&self, id: &str) -> Result<Option<KeptAnalysis>, ApiError> {
        self.documents.load(id).map_err(|error| ApiError::failed(unreadable(id, &error)))
    }

    /// Keeps the next revision of an analysis, or the first one under an id that the client chose.
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
        // Two pages, or two people, may change the same analysis. The revision in a draft says which one its page has read, so a draft
        // of a page that has missed a change is refused instead of overwriting that change. A draft equal to the newest revision is
        // accepted whatever its number: its page has sent it before and lost the answer, and to refuse it would report a conflict of
        // the page with itself. A draft of an analysis that was deleted meanwhile creates it again, because somebody still works on it.
        let _changing = locked(&self.changing);
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
        let revision = revision.saturating_add(1);
        let summary = AnalysisSummary { id: id.to_owned(), revision, changed: now(), title };
        let analysis = KeptAnalysis { summary, path, pgn };
        self.write(&analysis)
            .map_err(|error| ApiError::failed(format!("the analysis cannot be kept: {error}")))?;
        if is_new {
            self.forget_oldest(id)?;
        }
        Ok(analysis.summary)
    }

    pub(crate) fn delete(&self, id: &str) -> Result<(), ApiError> {
        let _changing = locked(&self.changing);
        match self.documents.remove(id) {
            Ok(true) => Ok(()),
            Ok(false) => Err(ApiError::missing("analysis", id)),
            Err(error) => Err(ApiError::failed(format!("cannot delete analysis {id}: {error}"))),
        }
    }

    /// `newest` stays: after a clock that jumped back it is the one that seems not to have changed for longest.
    fn forget_oldest(&self, newest: &str) -> Result<(), ApiError> {
        let others = self.list()?.analyses.into_iter().map(|analysis| analysis.id).filter(|id| id != newest);
        for old in others.skip(MOST_ANALYSES - 1) {
            // At worst, there is one more.
            let _ = self.documents.remove(&old);
        }
        Ok(())
    }

    fn write(&self, analysis: &KeptAnalysis) -> io::Result<()> {
        self.documents.write(&analysis.summary.id, analysis)
    }
}

fn unreadable(id: &str, reason: &DocumentError) -> String {
    format!("cannot read analysis {id}: {reason}")
}

fn is_id(text: &str) -> bool {
    (1..=40).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

/// Milliseconds since 1970: a reader may change two analyses within a second.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

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
    fn a_clock_that_jumped_back_costs_no_new_analysis() {
        let folder = tempfile::tempdir().unwrap();
        let store = AnalysisStore::new(folder.path().to_owned());
        for number in 1..=MOST_ANALYSES as u64 {
            let (id, changed) = (format!("a{number}"), u64::MAX - number);
            let summary = AnalysisSummary { id, revision: 1, changed, title: title("Anna - Bert") };
            store.write(&KeptAnalysis { summary, path: Vec::new(), pgn: "*".into() }).unwrap();
        }
        store.save("new", draft(0, "1. d4 *")).unwrap();
        assert!(store.find("new").unwrap().is_some() && store.find("a100").unwrap().is_none());
        assert_eq!(ids(&store).len(), MOST_ANALYSES);
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
    fn a_damaged_file_is_reported_and_never_replaced() {
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
