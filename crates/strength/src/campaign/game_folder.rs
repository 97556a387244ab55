//! A folder with the settings, games and result of a command, from which an interrupted one resumes.
//!
//! `setup.json` holds the settings, `games.pgn` the games, `games.jsonl` one line for each of them,
//! `result.json` the report. The line of a game is written after its PGN and holds the PGN's end, so a game
//! truncated by a kill is never counted. Its last key is a hash of the line and of `setup.json`: a line that was edited, or that
//! is of another match, is never counted either.

use std::{collections::HashMap, io, path::Path};

use files::{
    Begin, Journal, OutputError, OutputFile, WorkFolder, has_own_hash,
    run::{FolderKind, GAMES_JOURNAL, GAMES_PGN, RESULT},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{CampaignError, GameFile};
use crate::matches::{GameSummary, MatchGame};

/// A finished game of one of the matches of a folder.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) pairing: usize,
    /// Length of the game file after the game.
    pgn_bytes: u64,
    pub(super) game: GameSummary,
}

/// The folder of a running campaign.
#[derive(Debug)]
pub struct GameFolder {
    folder: WorkFolder,
    /// See [`WorkFolder::setup_hash`].
    setup_hash: String,
    pgn: GameFile,
    journal: Journal,
}

impl GameFolder {
    /// Opens the folder for games under `setup`: a new one or, with [`Begin::Resume`], one that was left under the same settings,
    /// together with the games it holds.
    ///
    /// # Errors
    /// [`CampaignError`] if the folder holds other games, is damaged or cannot be written.
    pub(super) fn open(
        path: &Path,
        kind: &FolderKind,
        setup: &Value,
        begin: Begin,
    ) -> Result<(Self, Vec<Entry>), CampaignError> {
        let folder = WorkFolder::at(path, kind, setup, begin)?;
        let setup_hash = folder.setup_hash()?;
        let (games, lines) = (folder.join(GAMES_PGN), folder.join(GAMES_JOURNAL));
        let mut journal = Journal::open(&lines).map_err(OutputError::io("open", &lines))?;
        let entries =
            if folder.is_resumed() { read_journal(&mut journal, &lines, &setup_hash)? } else { Vec::new() };
        let pgn = GameFile::open(&games)?;
        let expected = entries.iter().map(|entry| entry.pgn_bytes).max().unwrap_or(0);
        let found = pgn.length().map_err(OutputError::io("read", &games))?;
        if found < expected {
            return Err(CampaignError::CutGames { path: games, found, expected });
        }
        pgn.truncate(expected).map_err(OutputError::io("mend", &games))?;
        Ok((Self { folder, setup_hash, pgn, journal }, entries))
    }

    pub(super) fn append(
        &mut self,
        pairing: usize,
        record: &MatchGame,
        names: &[String; 2],
    ) -> io::Result<()> {
        let Some(game) = GameSummary::of(record) else { return Ok(()) };
        // First the game, then the line that says it is there. The other order would count a game whose moves a kill has cut off;
        // this one loses at most a game that is played again, and its PGN is cut away when the folder is opened.
        self.pgn.append(record, names)?;
        let entry = Entry { pairing, pgn_bytes: self.pgn.length()?, game };
        self.journal.append_hashed(&self.setup_hash, &entry)?;
        Ok(())
    }

    pub(super) fn finish(&self, report: &str) -> Result<(), CampaignError> {
        Ok(OutputFile::open(&self.folder.join(RESULT))?.finish(report)?)
    }
}

/// The lines of the journal, each for a different game and as it was written under the settings with this hash.
fn read_journal(journal: &mut Journal, path: &Path, setup_hash: &str) -> Result<Vec<Entry>, CampaignError> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut seen = HashMap::new();
    for (line, text) in (1..).zip(journal.lines().map_err(OutputError::io("read", path))?) {
        let text = text.map_err(OutputError::io("read", path))?;
        let entry: Entry = serde_json::from_slice(&text).map_err(|source| CampaignError::Journal {
            path: path.into(),
            line,
            source,
        })?;
        if !has_own_hash(setup_hash, &text) {
            return Err(CampaignError::OtherGame { path: path.into(), line });
        }
        if let Some(first) = seen.insert((entry.pairing, entry.game.index), line) {
            return Err(CampaignError::DoubledGame { path: path.into(), line, first });
        }
        entries.push(entry);
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use chess::StopSignal;
    use serde_json::json;

    use super::*;
    use crate::{Contestant, Match, MatchSettings, OpeningBook, player::RANDOM};

    fn play(folder: &mut GameFolder, done: &[Entry]) {
        let random = || Contestant::new("random", || Ok(RANDOM.build()));
        let next_match = Match {
            contestants: [random(), random()],
            openings: OpeningBook::start_position(),
            settings: MatchSettings { games: 6, ..MatchSettings::default() },
        };
        let done: Vec<GameSummary> = done.iter().map(|entry| entry.game.clone()).collect();
        let names = ["a".into(), "b".into()];
        let observe = &mut |record: &MatchGame, _: &_| folder.append(0, record, &names);
        let summary = next_match.resume(&done, &StopSignal::default(), observe).unwrap();
        assert_eq!(summary.games.len(), 6);
    }

    fn text(path: &Path, file: &str) -> String {
        std::fs::read_to_string(path.join(file)).unwrap()
    }

    #[test]
    fn whatever_a_kill_cuts_off_the_result_is_the_same() {
        let place = tempfile::tempdir().unwrap();
        let whole = place.path().join("whole");
        let (mut folder, none) =
            GameFolder::open(&whole, &FolderKind::MATCH, &json!({"games": 6}), Begin::New).unwrap();
        play(&mut folder, &none);
        let (pgn, journal) = (text(&whole, GAMES_PGN), text(&whole, GAMES_JOURNAL));
        let games = |text: &str| -> Vec<String> {
            let drop_times = |line: &str| line.split("[%emt").next().unwrap_or_default().to_string();
            text.lines().filter(|line| line.starts_with("[Round")).map(drop_times).collect()
        };
        for (pgn_share, journal_share) in [(1.0, 0.0), (1.0, 0.3), (1.0, 0.99), (0.9, 0.5), (1.0, 1.0)] {
            let path = place.path().join(format!("{pgn_share}-{journal_share}"));
            let share = |text: &str, share: f64| text[..(text.len() as f64 * share) as usize].to_string();
            drop(GameFolder::open(&path, &FolderKind::MATCH, &json!({"games": 6}), Begin::New).unwrap());
            std::fs::write(path.join(GAMES_PGN), share(&pgn, pgn_share)).unwrap();
            std::fs::write(path.join(GAMES_JOURNAL), share(&journal, journal_share)).unwrap();
            let (mut folder, done) =
                GameFolder::open(&path, &FolderKind::MATCH, &json!({"games": 6}), Begin::Resume).unwrap();
            play(&mut folder, &done);
            assert_eq!(games(&text(&path, GAMES_PGN)), games(&pgn), "{pgn_share} {journal_share}");
            let fingerprints = |path: &Path| -> Vec<String> {
                read_journal(
                    &mut Journal::open(&path.join(GAMES_JOURNAL)).unwrap(),
                    &path.join(GAMES_JOURNAL),
                    &folder.setup_hash,
                )
                .unwrap()
                .into_iter()
                .map(|entry| entry.game.fingerprint)
                .collect()
            };
            assert_eq!(fingerprints(&path), fingerprints(&whole));
        }
    }

    #[test]
    fn other_settings_and_foreign_files_are_refused() {
        let place = tempfile::tempdir().unwrap();
        let open = |games: u32, begin| {
            GameFolder::open(place.path(), &FolderKind::MATCH, &json!({"games": games}), begin)
                .map_err(|error| error.to_string())
        };
        open(6, Begin::Resume).unwrap();
        assert!(open(6, Begin::New).unwrap_err().contains("add --resume"));
        assert!(open(8, Begin::Resume).unwrap_err().contains("started with games = 6, not 8"));
        std::fs::write(place.path().join(GAMES_JOURNAL), "{}\n").unwrap();
        assert!(open(6, Begin::Resume).unwrap_err().contains("games.jsonl:1"));
    }

    /// Such a line was counted with the result that somebody, or a broken disk, had given it.
    #[test]
    fn a_line_that_was_edited_or_is_of_another_match_is_refused_and_can_be_played_again() {
        let place = tempfile::tempdir().unwrap();
        let open = |name: &str, games: u32| {
            let (path, setup) = (place.path().join(name), json!({"games": games}));
            GameFolder::open(&path, &FolderKind::MATCH, &setup, Begin::Resume)
        };
        for (name, games) in [("own", 6), ("other", 8)] {
            play(&mut open(name, games).unwrap().0, &[]);
        }
        let own = place.path().join("own");
        let [journal, other] = ["own", "other"].map(|name| text(&place.path().join(name), GAMES_JOURNAL));
        let lines: Vec<&str> = journal.lines().collect();
        let edited = lines[2].replace("\"plies\":", "\"plies\":1");
        let without_hash = format!("{}}}", lines[2].split_once(",\"hash\":").unwrap().0);
        for third in [edited.as_str(), &without_hash, other.lines().nth(2).unwrap()] {
            std::fs::write(own.join(GAMES_JOURNAL), journal.replace(lines[2], third)).unwrap();
            let refused = open("own", 6).unwrap_err().to_string();
            assert!(refused.contains("games.jsonl:3: found a game that was changed"), "{refused}");
        }
        std::fs::write(own.join(GAMES_JOURNAL), &journal).unwrap();
        assert_eq!(open("own", 6).unwrap().1.len(), 6, "the lines as they were written");
        // What the message advises.
        std::fs::write(own.join(GAMES_JOURNAL), lines[..2].join("\n") + "\n").unwrap();
        let (mut folder, done) = open("own", 6).unwrap();
        assert_eq!(done.len(), 2);
        play(&mut folder, &done);
        assert_eq!(text(&own, GAMES_PGN).matches("[Event ").count(), 6, "each game once");
    }

    /// Defect 13: a doubled line cut the games off, and without the setup all games were played again.
    #[test]
    fn damaged_folders_are_refused_and_left_as_they_are() {
        let place = tempfile::tempdir().unwrap();
        let open = || GameFolder::open(place.path(), &FolderKind::MATCH, &json!({"games": 6}), Begin::Resume);
        let (mut folder, none) = open().unwrap();
        play(&mut folder, &none);
        drop(folder);
        let (pgn, journal) = (text(place.path(), GAMES_PGN), text(place.path(), GAMES_JOURNAL));
        let first = journal.lines().next().unwrap();
        std::fs::write(place.path().join(GAMES_JOURNAL), format!("{journal}{first}\n")).unwrap();
        let doubled = open().unwrap_err().to_string();
        assert!(doubled.contains("games.jsonl:7: found the game of line 1 again"), "{doubled}");
        assert_eq!(text(place.path(), GAMES_PGN), pgn);
        std::fs::remove_file(place.path().join("setup.json")).unwrap();
        let missing = open().unwrap_err().to_string();
        assert!(missing.contains("holds games.jsonl but no setup.json"), "{missing}");
        assert_eq!(text(place.path(), GAMES_PGN), pgn);
    }
}
