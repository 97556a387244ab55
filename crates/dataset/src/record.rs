//! Records of sources: whole games, or single labelled positions, with everything that their labels need.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use chess::{
    CastlingMode, Chess, Color, Game, Move, PlayerRatings, Score, Speed, pgn::PgnResult, plies_before,
};
use serde::{Deserialize, Serialize};

use crate::{GameResult, policy::PolicyLabel};

/// One record of a source.
#[expect(clippy::large_enum_variant, reason = "most records are games, and one is held at a time")]
#[derive(Clone, Debug)]
pub enum Record {
    /// A whole game.
    Game(GameRecord),
    /// A position that is part of no game.
    Position(Box<PositionRecord>),
    /// A position without any label.
    Unlabelled(Box<UnlabelledPosition>),
}

/// Plies before a position by its own move number.
pub fn ply(position: &Chess) -> u16 {
    u16::try_from(plies_before(position)).unwrap_or(u16::MAX)
}

/// A game with its players, result and labels.
#[derive(Clone, Debug)]
pub struct GameRecord {
    /// File and line of its beginning, for messages.
    pub place: Place,
    /// The position before the first move.
    pub start: Chess,
    /// Whether the rules and the notation of castling are those of Chess960.
    pub castling_mode: CastlingMode,
    /// The main line from there; variations are left out.
    pub moves: Vec<RecordedMove>,
    /// Result; `None` if the source does not know it (`*`).
    pub winner: Option<Winner>,
    /// White's rating on the scale of the source.
    pub white_rating: Option<u16>,
    /// Black's rating on the scale of the source.
    pub black_rating: Option<u16>,
    /// Main time and increment.
    pub time_control: Option<TimeControl>,
    /// The opening as the source classifies it.
    pub eco: Option<Eco>,
    /// The year in which it was played.
    pub year: Option<u16>,
    /// Origin of the game, if known.
    pub origin: Option<Origin>,
    /// Hashes that identify repeated games, in addition to their moves.
    pub identity: Identity,
    /// Names of the players, if known.
    pub players: Players,
    /// Labels that the source has and that were left out.
    pub doubts: LabelDoubts,
}

impl GameRecord {
    /// A game of which only the moves are known.
    pub fn of_game(game: &Game) -> Self {
        Self {
            start: game.history()[0].position.clone(),
            castling_mode: game.castling_mode(),
            moves: game.moves().iter().copied().map(RecordedMove::from).collect(),
            ..Self::default()
        }
    }

    /// The result as PGN writes it.
    pub fn pgn_result(&self) -> PgnResult {
        match self.winner {
            Some(Winner::White) => PgnResult::WhiteWins,
            Some(Winner::Draw) => PgnResult::Draw,
            Some(Winner::Black) => PgnResult::BlackWins,
            None => PgnResult::Unknown,
        }
    }

    /// The game after its first `plies` moves (all of them if there are fewer), with the players' ratings.
    pub fn game(&self, plies: usize) -> Game {
        let ratings = PlayerRatings { white: self.white_rating, black: self.black_rating };
        let mut game = Game::from_position(self.start.clone(), self.castling_mode).with_ratings(ratings);
        // Sources check the moves of their games.
        self.moves.iter().take(plies).for_each(|recorded| game.play_unchecked(recorded.played));
        game
    }
}

impl Default for GameRecord {
    /// A game without moves from the starting position of orthodox chess.
    fn default() -> Self {
        Self {
            place: Place::default(),
            start: Chess::default(),
            castling_mode: CastlingMode::Standard,
            moves: Vec::new(),
            winner: None,
            white_rating: None,
            black_rating: None,
            time_control: None,
            eco: None,
            year: None,
            origin: None,
            identity: Identity::default(),
            players: Players::default(),
            doubts: LabelDoubts::default(),
        }
    }
}

/// A move of the main line with the source's data about the position before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedMove {
    /// The move that the players made.
    pub played: Move,
    /// The engine's move, where the source names another one than that played.
    pub better: Option<Move>,
    /// Evaluation of the position before the move, seen by the side to move.
    pub evaluation: Option<Score>,
    /// Depth in plies of the search that gave the evaluation.
    pub depth: Option<u16>,
    /// Seconds left on the mover's clock after the move.
    pub clock_seconds: Option<u32>,
}

impl From<Move> for RecordedMove {
    /// A move without annotations.
    fn from(played: Move) -> Self {
        Self { played, better: None, evaluation: None, depth: None, clock_seconds: None }
    }
}

/// Depth and nodes of the engine, if known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchEffort {
    /// Search depth in plies.
    pub depth: Option<u16>,
    /// Positions that it searched, as it counts them.
    pub nodes: Option<u64>,
}

/// A labelled position that is part of no game.
#[derive(Clone, Debug)]
pub struct PositionRecord {
    /// File and line, for messages.
    pub place: Place,
    /// The position; it has a legal move.
    pub position: Chess,
    /// Whether the rules and the notation of castling are those of Chess960.
    pub castling_mode: CastlingMode,
    /// The move to learn: the engine's, or the first one of a puzzle's solution.
    pub best_move: Move,
    /// Known data of several moves.
    pub policy: PolicyLabel,
    /// Evaluation, seen by the side to move.
    pub evaluation: Option<Score>,
    /// Depth and nodes of the engine, if known.
    pub effort: SearchEffort,
    /// Origin of the position, if known.
    pub origin: Option<Origin>,
    /// Labels that the source has and that were left out.
    pub doubts: LabelDoubts,
}

impl PositionRecord {
    /// A position of which only the best move is known.
    pub(crate) fn new(place: Place, position: Chess, castling_mode: CastlingMode, best_move: Move) -> Self {
        Self {
            place,
            position,
            castling_mode,
            best_move,
            policy: PolicyLabel::BestMove,
            evaluation: None,
            effort: SearchEffort::default(),
            origin: None,
            doubts: LabelDoubts::default(),
        }
    }
}

/// A position that is part of no game and has no labels: a question for an engine.
#[derive(Clone, Debug)]
pub struct UnlabelledPosition {
    /// File and line, for messages.
    pub place: Place,
    /// The position; it has a legal move.
    pub position: Chess,
    /// Whether the rules and the notation of castling are those of Chess960.
    pub castling_mode: CastlingMode,
}

/// Result of a finished game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "self-explanatory variants")]
pub enum Winner {
    White,
    Draw,
    Black,
}

impl Winner {
    /// The result seen by `color`.
    pub fn for_color(self, color: Color) -> GameResult {
        match (self, color) {
            (Self::Draw, _) => GameResult::Draw,
            (Self::White, Color::White) | (Self::Black, Color::Black) => GameResult::Win,
            (Self::White, Color::Black) | (Self::Black, Color::White) => GameResult::Loss,
        }
    }

    /// Every result with its name, for command lines.
    pub const NAMES: &[(&str, Self)] =
        &[("white", Self::White), ("draw", Self::Draw), ("black", Self::Black)];
}

/// A time control as the PGN tag `TimeControl` writes the commonest kind: `180+2`, base time and increment in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TimeControl {
    /// Time for the whole game.
    pub base_seconds: u32,
    /// Time added for each move.
    pub increment_seconds: u32,
}

impl TimeControl {
    /// Reads `BASE+INCREMENT` or `BASE`; anything else (`-`, `40/7200:3600`) is `None`.
    pub fn parse(text: &str) -> Option<Self> {
        let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
        Some(Self { base_seconds: base.parse().ok()?, increment_seconds: increment.parse().ok()? })
    }

    /// The class in which Lichess files such a game: expected duration is base + 40 increments
    /// (<https://lichess.org/faq#time-controls>).
    pub fn speed(self) -> Speed {
        match self.base_seconds.saturating_add(self.increment_seconds.saturating_mul(40)) {
            0..=29 => Speed::UltraBullet,
            30..=179 => Speed::Bullet,
            180..=479 => Speed::Blitz,
            480..=1499 => Speed::Rapid,
            _ => Speed::Classical,
        }
    }
}

/// An opening's code in the Encyclopaedia of Chess Openings: a letter from A to E and two digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Eco([u8; 3]);

impl Eco {
    /// Reads a code; `None` for anything else. What may follow it (`A00b`) is ignored.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let &[volume, tens, ones, ..] = text else { return None };
        let is_code = matches!(volume, b'A'..=b'E') && tens.is_ascii_digit() && ones.is_ascii_digit();
        is_code.then_some(Self([volume, tens, ones]))
    }

    /// The letter and the digits in ASCII.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl std::fmt::Display for Eco {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|&byte| write!(formatter, "{}", char::from(byte)))
    }
}

/// The names of a game's players; `None` where the source has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Players {
    /// Name of the player with the white pieces.
    pub white: Option<String>,
    /// Name of the player with the black pieces.
    pub black: Option<String>,
}

impl Players {
    /// A name as written by sources; `None` for an empty one, `?` and `-`.
    pub fn known(name: &str) -> Option<String> {
        Some(name.trim()).filter(|name| !matches!(*name, "" | "?" | "-")).map(str::to_owned)
    }

    /// The name of the player who had this colour.
    pub fn of(&self, color: Color) -> Option<&str> {
        color.fold_wb(&self.white, &self.black).as_deref()
    }

    /// True if the player of this name had this colour; upper and lower case do not differ, as on Lichess.
    pub fn is(&self, name: &str, color: Color) -> bool {
        self.of(color).is_some_and(|known| known.to_lowercase() == name.to_lowercase())
    }
}

/// Hashes that identify a record apart from its moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// Hash of its name in the source, such as a number.
    pub name: Option<u64>,
    /// Hash of the whole row of a table.
    pub row: Option<u64>,
}

impl Identity {
    /// The identity of a record by its name; an empty name does not identify it.
    pub fn named(name: &str) -> Self {
        let name = (!name.is_empty()).then(|| xxhash_rust::xxh3::xxh3_64(name.as_bytes()));
        Self { name, row: None }
    }
}

/// Origin of a game or position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "self-explanatory variants")]
pub enum Origin {
    Human,
    /// Engines played or analysed it.
    Engine,
    /// Played by the network that is trained on it.
    SelfPlay,
    Puzzle,
}

impl Origin {
    /// Every origin with its name, for command lines.
    pub const NAMES: &[(&str, Self)] = &[
        ("human", Self::Human),
        ("engine", Self::Engine),
        ("self-play", Self::SelfPlay),
        ("puzzle", Self::Puzzle),
    ];
}

/// A line of a source file. Lines and bytes are those of the decompressed text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The file under the name it was opened by.
    pub file: Arc<PathBuf>,
    /// Line number, from 1.
    pub line: u64,
}

impl std::fmt::Display for Place {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}:{}", self.file.display(), self.line)
    }
}

/// The reason for which a label of a game was left out. The game itself is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LabelDoubt {
    /// An evaluation in an unknown form, such as `[%eval good]`.
    UnreadEvaluation,
    /// A number that may be pawns, centipawns or the code of a mate.
    EvaluationScale,
    /// An evaluation that may be White's view or the mover's.
    EvaluationView,
    /// A mate in 0 before a move, or a number of plies to mate that contradicts the mating side.
    MateCount,
    /// A clock that is not hours, minutes and seconds.
    UnreadClock,
    /// A better move that is not legal.
    UnreadBetterMove,
    /// What follows the first 64 KiB of a comment.
    LongComment,
    /// The result of a game without one after its moves, unless a tag has it.
    MissingResult,
    /// A comment, a variation or the last word of a file, without an end.
    CutOff,
}

impl std::fmt::Display for LabelDoubt {
    /// The name under which such labels are counted, as in manifests.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(formatter)
    }
}

/// Numbers of labels that were left out, by reason.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LabelDoubts(BTreeMap<LabelDoubt, u64>);

impl LabelDoubts {
    /// Counts one label.
    pub fn count(&mut self, doubt: LabelDoubt) {
        *self.0.entry(doubt).or_default() += 1;
    }

    /// The label if it was read; a doubtful one is counted and left out.
    pub(crate) fn known<T>(&mut self, label: Result<T, LabelDoubt>) -> Option<T> {
        label.map_err(|doubt| self.count(doubt)).ok()
    }

    /// Adds the numbers of others.
    pub fn add(&mut self, others: &Self) {
        for (&doubt, count) in &others.0 {
            *self.0.entry(doubt).or_default() += count;
        }
    }

    /// True if no label was left out.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number left out for a reason.
    pub fn of(&self, doubt: LabelDoubt) -> u64 {
        self.0.get(&doubt).copied().unwrap_or_default()
    }
}

impl std::fmt::Display for LabelDoubts {
    /// The reasons with their numbers, such as `evaluation_scale 12, unread_clock 3`.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let counts = self.0.iter().map(|(doubt, count)| format!("{doubt} {count}"));
        formatter.write_str(&counts.collect::<Vec<_>>().join(", "))
    }
}
