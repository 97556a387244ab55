//! A game as it is stored, with everything that is needed to continue it after a restart of the server.

use std::{
    io,
    path::PathBuf,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use chess::{
    DEFAULT_NODES, Game, NotationError, Wdl,
    pgn::{ClockText, PgnDate, PgnGame, PgnResult},
};
use files::OutputError;
use serde::{Deserialize, Serialize};
use strength::metrics::Expectation;

use super::{
    clock::milliseconds,
    ending::GameEnd,
    settings::{NewGame, NewGameError},
    view::ColorView,
};
use crate::documents::{DocumentError, DocumentFolder};

/// Version of the file; raised whenever an old reader would misread a new one.
pub(super) const VERSION: u32 = 1;

/// A move that was played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct PlayedMove {
    /// The move in UCI notation.
    pub(super) uci: String,
    /// Time spent on the move, milliseconds.
    pub(super) elapsed_ms: u64,
    /// Time left on the mover's clock afterwards.
    pub(super) clock_ms: Option<u64>,
    /// The engine's own value of its move, if the engine made it.
    pub(super) wdl: Option<Wdl>,
}

/// The file of a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct GameRecord {
    pub(super) version: u32,
    pub(super) id: String,
    /// Seconds since 1970.
    pub(super) started: u64,
    pub(super) settings: NewGame,
    /// The person's side.
    pub(super) person: ColorView,
    /// The network that plays, even if the settings named none.
    pub(super) network: String,
    /// Display name of the network.
    pub(super) engine: String,
    pub(super) seed: u64,
    pub(super) moves: Vec<PlayedMove>,
    /// Time left, white and black.
    pub(super) clocks_ms: Option<[u64; 2]>,
    pub(super) undone: u32,
    pub(super) hints: u32,
    pub(super) end: Option<GameEnd>,
}

/// A record whose content is not a game.
#[derive(Debug, thiserror::Error)]
pub(super) enum RecordError {
    #[error("found version {0}, expected {VERSION}")]
    Version(u32),
    #[error(transparent)]
    Start(#[from] NewGameError),
    #[error("move {number}: {source}")]
    Move { number: usize, source: NotationError },
}

impl GameRecord {
    pub(super) fn replay(&self) -> Result<Game, RecordError> {
        if self.version != VERSION {
            return Err(RecordError::Version(self.version));
        }
        let mut game = self.settings.start()?;
        for (index, played) in self.moves.iter().enumerate() {
            game.play_uci(&played.uci).map_err(|source| RecordError::Move { number: index + 1, source })?;
        }
        Ok(game)
    }

    /// True if the game reached a position, given by its key.
    pub(super) fn has_position(&self, key: u64) -> Result<bool, RecordError> {
        Ok(self.replay()?.history().iter().any(|entry| entry.key == key))
    }

    /// Expected score of the engine at each of its moves, with its actual score; empty while the game is in
    /// progress.
    pub(super) fn expectations(&self, game_number: usize) -> Vec<Expectation> {
        let Some(end) = self.end else { return Vec::new() };
        let score = match end.winner {
            Some(winner) if winner == self.person => 0.0,
            Some(_) => 1.0,
            None => 0.5,
        };
        let values = self.moves.iter().filter_map(|played| played.wdl);
        let expected = values.map(|wdl| f64::from(wdl.expected_score()));
        expected.map(|expected| Expectation { game_number, expected, score }).collect()
    }

    /// The engine's budget per move, as text.
    pub(super) fn pace(&self) -> String {
        let budget = match (self.settings.nodes, self.settings.move_time_ms, self.settings.clock) {
            (Some(1), _, _) => "1 node".into(),
            (Some(nodes), _, _) => format!("{nodes} nodes"),
            (None, Some(ms), _) => format!("{} s a move", Duration::from_millis(ms).as_secs_f64()),
            (None, None, Some(_)) => "by the clock".into(),
            (None, None, None) => format!("{DEFAULT_NODES} nodes"),
        };
        if self.settings.human_time { format!("{budget}, at a person's pace") } else { budget }
    }

    pub(super) fn pgn(&self, game: &Game) -> String {
        let mut pgn = PgnGame::new(game);
        pgn.event = "Casual game".into();
        pgn.site = "tabiya play".into();
        // The file may name a second for which the system has no time.
        pgn.date = UNIX_EPOCH.checked_add(Duration::from_secs(self.started)).map(PgnDate::from_utc);
        pgn.round = "-".into();
        // The network's display name is a separate tag, because it would make the player's name too long for
        // the space next to a board.
        let known_as = self.settings.level.as_ref().unwrap_or(&self.network);
        let engine = format!("Tabiya ({known_as}, {})", self.pace());
        pgn = pgn.tag("Network", &self.engine);
        (pgn.white, pgn.black) = match self.person {
            ColorView::White => ("Human".into(), engine),
            ColorView::Black => (engine, "Human".into()),
        };
        pgn.result = self.end.map_or(PgnResult::Unknown, GameEnd::result);
        pgn = pgn.tag("Termination", self.end.map_or("unterminated", GameEnd::termination));
        if let Some(end) = self.end {
            pgn = pgn.tag("Ending", end.text());
        }
        if let Some(clock) = self.settings.clock {
            let control = format!("{}+{}", clock.initial_ms / 1000, clock.increment_ms / 1000);
            pgn = pgn.tag("TimeControl", control);
        }
        if self.has_help() {
            pgn = pgn.tag("Help", format!("{} moves taken back, {} hints", self.undone, self.hints));
        }
        pgn.comments = self.moves.iter().map(comment).collect();
        pgn.to_string()
    }

    /// True if the person took moves back or asked for hints.
    pub(super) fn has_help(&self) -> bool {
        self.undone > 0 || self.hints > 0
    }

    /// Adds the last move of the game, in UCI notation.
    pub(super) fn push(&mut self, uci: String, elapsed: Duration, wdl: Option<Wdl>) {
        self.moves.push(PlayedMove { uci, elapsed_ms: milliseconds(elapsed), clock_ms: None, wdl });
    }
}

/// Time left and spent, in the commands that Lichess's export uses.
fn comment(played: &PlayedMove) -> String {
    let spent = format!("[%emt {}]", ClockText(Duration::from_millis(played.elapsed_ms)));
    match played.clock_ms {
        Some(left) => format!("[%clk {}] {spent}", ClockText(Duration::from_millis(left))),
        None => spent,
    }
}

/// Seconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The folder of games: for each game its record, and a PGN for other programs. Both are rewritten after every move, because a game
/// must survive the end of the server at any moment.
#[derive(Clone, Debug)]
pub(crate) struct GameStore {
    records: DocumentFolder<GameRecord>,
}

impl GameStore {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { records: DocumentFolder::new(folder, is_id) }
    }

    /// Writes both files, each whole or not at all. The record is first: it is the one from which the game is continued.
    pub(super) fn keep(&self, record: &GameRecord, game: &Game) -> io::Result<()> {
        self.records.write(&record.id, record)?;
        files::write_private(&self.pgn_file(&record.id), record.pgn(game))
    }

    /// The record of a game; `None` if no game has this id.
    pub(super) fn load(&self, id: &str) -> Result<Option<GameRecord>, DocumentError> {
        self.records.load(id)
    }

    /// The ids of all games, newest first.
    pub(super) fn ids(&self) -> Result<Vec<String>, OutputError> {
        let mut ids = self.records.ids()?;
        // An id begins with the start time, with the same number of digits until the year 2286.
        ids.sort_unstable_by(|first, second| second.cmp(first));
        Ok(ids)
    }

    /// An id that no game has yet.
    pub(super) fn free_id(&self, started: u64) -> String {
        let mut number = 1_u32;
        loop {
            let id = format!("{started}-{number}");
            if !self.records.file(&id).exists() && !self.pgn_file(&id).exists() {
                return id;
            }
            number += 1;
        }
    }

    fn pgn_file(&self, id: &str) -> PathBuf {
        self.records.file(id).with_extension("pgn")
    }
}

fn is_id(text: &str) -> bool {
    (1..=40).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(settings: NewGame) -> GameRecord {
        GameRecord {
            version: VERSION,
            id: "1-1".into(),
            started: 0,
            settings,
            person: ColorView::White,
            network: "uniform".into(),
            engine: "uniform".into(),
            seed: 0,
            moves: Vec::new(),
            clocks_ms: None,
            undone: 0,
            hints: 0,
            end: None,
        }
    }

    /// The file of a game with another number ended the request by a panic.
    #[test]
    fn a_game_of_any_second_has_a_date_or_none() {
        let mut record = record(NewGame::default());
        for (started, date) in [(u64::MAX, "????.??.??"), (0, "1970.01.01"), (86_400, "1970.01.02")] {
            record.started = started;
            let pgn = record.pgn(&Game::default());
            assert!(pgn.contains(&format!("[Date \"{date}\"]")), "{pgn}");
        }
    }

    #[test]
    fn a_stored_game_of_chess960_goes_on_and_is_written_as_one() {
        for (fen, moves, castles) in [
            (
                "nrkbbrqn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBRQN w FBfb - 0 1",
                "e2e3 e7e6 d1e2 d8e7 c1b1",
                " 3. O-O-O ",
            ),
            // Orthodox chess but for the letters.
            ("4k3/8/8/8/8/8/8/4K2R w H - 0 1", "e1h1", " 1. O-O "),
        ] {
            let mut stored = record(NewGame { fen: Some(fen.into()), ..NewGame::default() });
            moves.split(' ').for_each(|uci| stored.push(uci.into(), Duration::ZERO, None));
            let stored: GameRecord = serde_json::from_str(&serde_json::to_string(&stored).unwrap()).unwrap();
            let game = stored.replay().unwrap();
            assert!(game.castling_mode().is_chess960(), "{fen}");
            let pgn = stored.pgn(&game);
            let words = pgn.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(words.contains("[Variant \"Chess960\"]") && words.contains(castles), "{pgn}");
        }
    }

    #[test]
    fn names_that_lead_elsewhere_are_no_games() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("secret.json"), "{}").unwrap();
        let store = GameStore::new(folder.path().join("games"));
        std::fs::create_dir(folder.path().join("games")).unwrap();
        for id in ["../secret", "", "secret", "/etc/passwd", "..%2fsecret", &"1".repeat(41)] {
            assert!(store.load(id).unwrap().is_none(), "{id}");
        }
        assert!(store.ids().unwrap().is_empty());
    }
}
