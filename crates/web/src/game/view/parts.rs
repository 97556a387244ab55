//! The parts of the view of a game.

use std::time::Instant;

use chess::{Color, Game, print_san, print_uci_move};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::game::{
    clock::GameClock,
    ending::{GameEnd, Reason},
    record::GameRecord,
};

/// The clocks at the moment of the message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct ClockView {
    /// White's time left, milliseconds.
    pub(crate) white_ms: u64,
    /// Black's time left, milliseconds.
    pub(crate) black_ms: u64,
    /// Time of each side at the start, milliseconds.
    pub(crate) initial_ms: u64,
    /// Added after each move, milliseconds.
    pub(crate) increment_ms: u64,
    /// The side whose clock is running; `null` while the clock is stopped.
    pub(crate) running: Option<ColorView>,
}

impl ClockView {
    pub(super) fn new(clock: &GameClock, initial_ms: u64) -> Self {
        let now = Instant::now();
        let left = |side| u64::try_from(clock.left(side, now).as_millis()).unwrap_or(u64::MAX);
        Self {
            white_ms: left(Color::White),
            black_ms: left(Color::Black),
            initial_ms,
            increment_ms: u64::try_from(clock.increment().as_millis()).unwrap_or(u64::MAX),
            running: clock.running().map(ColorView::from),
        }
    }
}

/// A colour in messages and files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ColorView {
    White,
    Black,
}

impl From<Color> for ColorView {
    fn from(color: Color) -> Self {
        color.fold_wb(Self::White, Self::Black)
    }
}

impl From<ColorView> for Color {
    fn from(color: ColorView) -> Self {
        match color {
            ColorView::White => Self::White,
            ColorView::Black => Self::Black,
        }
    }
}

/// Ending of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct EndView {
    /// `1-0`, `0-1` or `1/2-1/2`.
    pub(crate) result: &'static str,
    /// Reason for the ending.
    pub(crate) reason: Reason,
    /// In words, such as `Draw: threefold repetition`.
    pub(crate) text: String,
}

impl From<GameEnd> for EndView {
    fn from(end: GameEnd) -> Self {
        Self { result: end.result().as_str(), reason: end.reason, text: end.text() }
    }
}

/// A move that was played.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct MoveView {
    /// The move in UCI notation; castling as the king's two steps, in Chess960 as the king taking its rook.
    #[schema(example = "e2e4")]
    pub(crate) uci: String,
    /// The move in SAN.
    #[schema(example = "e4")]
    pub(crate) san: String,
    /// Milliseconds spent on it.
    pub(crate) elapsed_ms: u64,
    /// Milliseconds left on the mover's clock.
    pub(crate) clock_ms: Option<u64>,
}

impl MoveView {
    pub(super) fn all(record: &GameRecord, game: &Game) -> Vec<Self> {
        let played = game.history().iter().zip(game.moves()).zip(&record.moves);
        played
            .map(|((before, &chess_move), kept)| Self {
                uci: print_uci_move(chess_move, game.castling_mode()),
                san: print_san(&before.position, chess_move),
                elapsed_ms: kept.elapsed_ms,
                clock_ms: kept.clock_ms,
            })
            .collect()
    }
}

/// The engine of a game.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct OpponentView {
    /// The network's id.
    pub(crate) network: String,
    /// Display name of the network.
    pub(crate) name: String,
    /// Budget per move, as text.
    pub(crate) pace: String,
    /// The level chosen, by name.
    pub(crate) level: Option<String>,
    /// Visits per move.
    pub(crate) nodes: Option<u64>,
    /// Milliseconds per move.
    pub(crate) move_time_ms: Option<u64>,
    /// Temperature of the engine's choice of moves.
    pub(crate) temperature: f32,
    /// True if the engine takes about as long per move as people do.
    pub(crate) human_time: bool,
}

impl OpponentView {
    pub(super) fn new(record: &GameRecord) -> Self {
        Self {
            network: record.network.clone(),
            name: record.engine.clone(),
            pace: record.pace(),
            level: record.settings.level.clone(),
            nodes: record.settings.nodes,
            move_time_ms: record.settings.move_time_ms,
            temperature: record.settings.temperature,
            human_time: record.settings.human_time,
        }
    }
}
