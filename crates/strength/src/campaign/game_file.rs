//! The PGN file of a match.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    time::SystemTime,
};

use files::{FileKind, OutputError};

use super::CampaignError;
use crate::matches::MatchGame;

/// Appends games; each is in the file completely or not at all.
#[derive(Debug)]
pub struct GameFile {
    path: PathBuf,
    file: File,
}

impl GameFile {
    /// Files to which games are appended.
    pub const KIND: FileKind = FileKind { name: "a PGN file", endings: &["pgn"], is_own: Some(is_pgn) };

    /// Opens or creates the file. A game left incomplete by a kill is ended by an empty line, so that later games are parsed.
    ///
    /// # Errors
    /// [`CampaignError::Output`].
    pub fn open(path: &Path) -> Result<Self, CampaignError> {
        let opened = OpenOptions::new().read(true).append(true).create(true).open(path);
        let mut file = opened.map_err(OutputError::io("open the game file", path))?;
        end_last_game(&mut file).map_err(OutputError::io("write to", path))?;
        Ok(Self { path: path.into(), file })
    }

    pub(super) fn length(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// Truncates the file to this many bytes.
    pub(super) fn truncate(&self, length: u64) -> io::Result<()> {
        files::cut(&self.path, length)
    }

    /// Appends a finished game.
    ///
    /// # Errors
    /// Errors of writing; the file then ends as before.
    pub fn append(&mut self, record: &MatchGame, names: &[String; 2]) -> io::Result<()> {
        let before = self.length()?;
        let text = record.pgn(names, SystemTime::now()).to_string();
        let written = self.file.write_all(text.as_bytes());
        if written.is_err() {
            // Report the first error; if this fails too, the next open ends the game.
            let _ = self.truncate(before);
        }
        written
    }
}

/// Tags, moves, comments or nothing, after a byte order mark if there is one.
fn is_pgn(head: &[u8]) -> bool {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    text.first().is_none_or(|first| b"[{;%1".contains(first))
}

fn end_last_game(file: &mut File) -> io::Result<()> {
    let length = file.metadata()?.len();
    if length == 0 {
        return Ok(());
    }
    let mut end = Vec::new();
    file.seek(SeekFrom::Start(length.saturating_sub(2)))?;
    file.read_to_end(&mut end)?;
    if end == b"\n\n" { Ok(()) } else { file.write_all(b"\n\n") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Contestant, Match, MatchSettings, OpeningBook, player::RANDOM};
    use chess::StopSignal;

    /// Appends two random games to the file.
    fn play(path: &Path) {
        let mut file = GameFile::open(path).expect("the folder is writable");
        let random = || Contestant::new("random", || Ok(RANDOM.build()));
        let next_match = Match {
            contestants: [random(), random()],
            openings: OpeningBook::start_position(),
            settings: MatchSettings { games: 2, ..MatchSettings::default() },
        };
        let names = ["a".into(), "b".into()];
        let summary = next_match.play(&StopSignal::default(), &mut |record, _| file.append(record, &names));
        assert!(summary.expect("the settings are possible").ended_early.is_none());
    }

    #[test]
    fn games_are_added_after_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        play(&path);
        play(&path);
        std::fs::write(&path, std::fs::read_to_string(&path).unwrap() + "[Event \"cut o").unwrap();
        play(&path);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.matches("\n\n[Event \"a against b\"]").count(), 5, "all but the first");
        assert!(text.contains("[Event \"cut o\n\n[Event"));
        assert!(text.ends_with("\n\n"));
    }

    #[test]
    fn a_file_that_cannot_be_opened_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = GameFile::open(&folder.path().join("no/such/folder.pgn")).unwrap_err();
        assert!(error.to_string().contains("no/such/folder.pgn"));
    }
}
