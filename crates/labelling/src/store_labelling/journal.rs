//! Journal of finished sessions: one JSON line of labels each, in order of completion.

use std::{
    collections::{HashMap, HashSet},
    fmt::Display,
    io,
    ops::Range,
    path::{Path, PathBuf},
};

use dataset::Label;
use files::{OutputError, bytes_hash, has_own_hash};
use serde::{Deserialize, Serialize, de::IgnoredAny};

use crate::LabellingError;

/// A line of the journal, without its hash.
#[derive(Serialize, Deserialize)]
struct Line<L> {
    session: u32,
    labels: L,
}

/// Place of a session or a label in the file, in bytes.
pub(super) type Place = Range<u64>;

/// The labels of a store: a [`files::Journal`] with an index of sessions.
#[derive(Debug)]
pub struct LabelJournal {
    path: PathBuf,
    /// Identifies the labelling, and is hashed with each line. Labels say nothing about where they come from: those of another engine,
    /// or for other positions, would be taken for this labelling's own.
    labelling: String,
    lines: files::Journal,
    places: HashMap<u32, Place>,
}

impl LabelJournal {
    /// Opens or creates the file and finds its sessions. `labelling` is what the labels depend on: the settings and the store.
    ///
    /// # Errors
    /// [`LabellingError`] if the file cannot be used, or a line is not a session as this labelling wrote it.
    pub fn open(path: &Path, labelling: &str) -> Result<Self, LabellingError> {
        let lines = files::Journal::open(path).map_err(OutputError::io("open", path))?;
        let labelling = bytes_hash(labelling.as_bytes());
        let mut journal = Self { path: path.into(), labelling, lines, places: HashMap::new() };
        journal.find_sessions()?;
        Ok(journal)
    }

    fn find_sessions(&mut self) -> Result<(), LabellingError> {
        let mut start = 0;
        let lines = self.lines.lines().map_err(OutputError::io("read", &self.path))?;
        for (number, line) in (1..).zip(lines) {
            let line = line.map_err(OutputError::io("read", &self.path))?;
            let end = start + line.len() as u64 + 1;
            // The labels are skipped: they are read one session at a time, and all at once may not fit in memory.
            let found: Line<IgnoredAny> = serde_json::from_slice(&line).map_err(|source| {
                LabellingError::Journal { path: self.path.clone(), line: number, source }
            })?;
            if !has_own_hash(&self.labelling, &line) {
                let (path, session) = (self.path.clone(), found.session);
                return Err(LabellingError::OtherLabels { path, line: number, session });
            }
            if self.places.insert(found.session, start..end).is_some() {
                let (path, session) = (self.path.clone(), found.session);
                return Err(LabellingError::DoubledSession { path, line: number, session });
            }
            start = end;
        }
        Ok(())
    }

    /// The finished sessions.
    pub fn sessions(&self) -> HashSet<u32> {
        self.places.keys().copied().collect()
    }

    /// Adds a session.
    ///
    /// # Errors
    /// [`LabellingError::Output`].
    pub fn append(&mut self, session: u32, labels: &[Label]) -> Result<(), LabellingError> {
        let written = self.lines.append_hashed(&self.labelling, &Line { session, labels });
        self.places.insert(session, written.map_err(OutputError::io("write", &self.path))?);
        Ok(())
    }

    /// The labels of a session, each with its place in the file.
    ///
    /// # Errors
    /// If the file cannot be read or lacks the session.
    pub(super) fn read(&self, session: u32) -> io::Result<Vec<(Label, Place)>> {
        let place = self
            .places
            .get(&session)
            .ok_or_else(|| io::Error::other(format!("found no labels of session {session}")))?;
        let line = self.lines.read(place)?;
        let before = line.iter().position(|&byte| byte == b'[');
        let mut at = before.ok_or_else(|| self.damaged(&"found no list of labels"))? + 1;
        let mut labels = Vec::new();
        while line.get(at) == Some(&b'{') {
            let mut rest = serde_json::Deserializer::from_slice(&line[at..]).into_iter();
            let Some(label) = rest.next() else { break };
            let bytes = rest.byte_offset();
            let start = place.start + at as u64;
            labels.push((label.map_err(|error| self.damaged(&error))?, start..start + bytes as u64));
            // The label, and the comma after it or the end of the list.
            at += bytes + 1;
        }
        Ok(labels)
    }

    /// The label at a place returned by [`Self::read`].
    pub(super) fn read_one(&self, place: &Place) -> io::Result<Label> {
        serde_json::from_slice(&self.lines.read(place)?).map_err(|error| self.damaged(&error))
    }

    fn damaged(&self, what: &dyn Display) -> io::Error {
        io::Error::other(format!("{}: {what}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use chess::Score;
    use dataset::{PolicyLabel, packed_move::PackedMove, record::SearchEffort, sample::SearchValue};

    use super::*;

    fn labels(session: u32) -> Vec<Label> {
        let label = |number: u16| Label {
            best_move: PackedMove(number),
            evaluation: Some(Score::Mate(-(session as i32))),
            policy: PolicyLabel::Visits([(PackedMove(number), 7), (PackedMove(1), 3)].into()),
            search_value: Some(SearchValue { win: number, loss: 1 }),
            effort: SearchEffort { depth: None, nodes: Some(u64::from(session)) },
        };
        (0..3).map(label).collect()
    }

    fn check(journal: &LabelJournal, session: u32) {
        let read = journal.read(session).unwrap();
        assert_eq!(read.len(), labels(session).len());
        for ((label, place), expected) in read.into_iter().zip(labels(session)) {
            assert_eq!(label, expected);
            assert_eq!(journal.read_one(&place).unwrap(), expected);
        }
    }

    #[test]
    fn whatever_a_kill_leaves_whole_sessions_are_kept_and_the_rest_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("labels.jsonl");
        let mut journal = LabelJournal::open(&path, "a labelling").unwrap();
        let mut ends = vec![0];
        for session in [4, 0, 2] {
            journal.append(session, &labels(session)).unwrap();
            ends.push(journal.lines.length());
        }
        let whole = std::fs::read(&path).unwrap();
        assert_eq!(whole.len() as u64, journal.lines.length());
        for length in 0..=whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let mut journal = LabelJournal::open(&path, "a labelling").unwrap();
            let kept = ends.iter().filter(|&&end| end > 0 && end <= length as u64).count();
            assert_eq!(journal.places.len(), kept, "cut off after {length} bytes");
            for &session in &[4, 0, 2][..kept] {
                check(&journal, session);
            }
            assert!(journal.read(3).unwrap_err().to_string().contains("session 3"));
            journal.append(3, &labels(3)).unwrap();
            check(&LabelJournal::open(&path, "a labelling").unwrap(), 3);
        }
    }

    #[test]
    fn damage_is_named_and_nothing_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("labels.jsonl");
        let mut journal = LabelJournal::open(&path, "a labelling").unwrap();
        journal.append(1, &labels(1)).unwrap();
        let line = std::fs::read_to_string(&path).unwrap();
        for (text, expected) in [
            (format!("{line}{{}}\n{line}"), ":2: not the labels of a session"),
            (line.repeat(2), ":2: found session 1 again"),
        ] {
            std::fs::write(&path, &text).unwrap();
            let error = LabelJournal::open(&path, "a labelling").unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }

    /// Such a line became part of the store, or labelling ended after hours without the label of a position.
    #[test]
    fn a_line_that_was_changed_or_is_of_another_labelling_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("labels.jsonl");
        let lines = |labelling: &str| {
            let _ = std::fs::remove_file(&path);
            let mut journal = LabelJournal::open(&path, labelling).unwrap();
            for session in [1, 2] {
                journal.append(session, &labels(session)).unwrap();
            }
            let text = std::fs::read_to_string(&path).unwrap();
            text.lines().map(|line| format!("{line}\n")).collect::<Vec<_>>()
        };
        let (own, other) = (lines("a labelling"), lines("another"));
        let changed = own[1].replace("\"nodes\":2", "\"nodes\":3");
        assert_ne!(changed, own[1]);
        let spaced = own[1].replace(",\"hash\":", ", \"hash\":");
        let without = format!("{}}}\n", own[1].split_once(",\"hash\":").unwrap().0);
        for second in [&changed, &spaced, &without, &other[1]] {
            std::fs::write(&path, own[0].clone() + second).unwrap();
            let error = LabelJournal::open(&path, "a labelling").unwrap_err().to_string();
            assert!(error.contains(":2: found labels of session 2 that"), "{second}: {error}");
        }
        // A line that is missing is labelled again.
        std::fs::write(&path, &own[1]).unwrap();
        check(&LabelJournal::open(&path, "a labelling").unwrap(), 2);
    }
}
