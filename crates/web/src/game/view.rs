//! Games as the page shows and lists them.

use std::time::Instant;

use chess::{Color, Game, Position as _, print_san, print_uci_move};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    clock::{GameClock, milliseconds},
    ending::{GameEnd, Reason},
    record::GameRecord,
    state::GameState,
};

/// A game against the engine: the whole state, which replaces whatever was known before.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct GameView {
    /// Its id in URLs.
    pub(crate) id: String,
    /// Increases with every change.
    pub(crate) seq: u64,
    /// Start time, seconds since 1970.
    pub(crate) started: u64,
    /// The position before the first move.
    pub(crate) start_fen: String,
    /// The current position, FEN.
    pub(crate) fen: String,
    /// Moves played so far.
    pub(crate) moves: Vec<MoveView>,
    /// The side to move.
    pub(crate) turn: ColorView,
    /// The person's side.
    pub(crate) person: ColorView,
    /// The engine on the other side.
    pub(crate) opponent: OpponentView,
    /// True if draws by repetition and the fifty-move rule must be claimed.
    pub(crate) draws_by_claim: bool,
    /// The clocks, if the game has them.
    pub(crate) clock: Option<ClockView>,
    /// True while the engine is thinking about its move.
    pub(crate) thinking: bool,
    /// True if moves were taken back or hints given.
    pub(crate) help: bool,
    /// Number of moves when the engine last declined a draw.
    pub(crate) draw_declined_at: Option<usize>,
    /// The draw that the side to move may claim, in words; offering a draw then claims it.
    pub(crate) claimable: Option<String>,
    /// Id of the page that plays the game; others watch until they take it over.
    pub(crate) holder: Option<String>,
    /// Failure of the engine; the game is paused until the engine is asked to try again.
    pub(crate) failure: Option<String>,
    /// The ending, once the game is over.
    pub(crate) end: Option<EndView>,
}

impl GameView {
    pub(super) fn new(state: &GameState) -> Self {
        let GameState { record, game, clock, .. } = state;
        let clock = clock.as_ref().zip(record.settings.clock);
        let claimable = game.outcome().filter(|_| record.end.is_none());
        Self {
            id: record.id.clone(),
            seq: state.seq,
            started: record.started,
            start_fen: game.start_fen(),
            fen: game.fen(),
            moves: MoveView::all(record, game),
            turn: game.position().turn().into(),
            person: record.person,
            opponent: OpponentView::new(record),
            draws_by_claim: record.settings.draws_by_claim,
            clock: clock.map(|(clock, settings)| ClockView::new(clock, settings.initial_ms)),
            thinking: state.thinking.is_some(),
            help: record.has_help(),
            draw_declined_at: state.draw_declined_at,
            claimable: claimable.map(|outcome| GameEnd::from(outcome).text()),
            holder: state.holder.clone(),
            failure: state.failure.clone(),
            end: record.end.map(EndView::from),
        }
    }
}

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
    fn new(clock: &GameClock, initial_ms: u64) -> Self {
        let now = Instant::now();
        Self {
            white_ms: clock.left_ms(Color::White, now),
            black_ms: clock.left_ms(Color::Black, now),
            initial_ms,
            increment_ms: milliseconds(clock.increment()),
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
    fn all(record: &GameRecord, game: &Game) -> Vec<Self> {
        let mut moves = Vec::with_capacity(record.moves.len());
        for (ply, (&chess_move, kept)) in game.moves().iter().zip(&record.moves).enumerate() {
            moves.push(Self {
                uci: print_uci_move(chess_move, game.castling_mode()),
                san: print_san(&game.history()[ply].position, chess_move),
                elapsed_ms: kept.elapsed_ms,
                clock_ms: kept.clock_ms,
            });
        }
        moves
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
    fn new(record: &GameRecord) -> Self {
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

/// First half-moves of a game in a list: no named opening is longer.
const OPENING_PLIES: usize = 40;

/// The games of a server.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct GameList {
    /// The newest first.
    pub(crate) games: Vec<GameSummary>,
    /// Files of games and reviews that cannot be read, each with its reason.
    pub(crate) problems: Vec<String>,
}

/// A game in a list.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct GameSummary {
    /// Its id in URLs.
    pub(crate) id: String,
    /// Start time, seconds since 1970.
    pub(crate) started: u64,
    /// The person's side.
    pub(crate) person: ColorView,
    /// Display name of the engine.
    pub(crate) opponent: String,
    /// The engine's budget per move, as text.
    pub(crate) pace: String,
    /// Name of the level or network under which the game is recorded; `null` for nodes or time of the person's own choice.
    pub(crate) level: Option<String>,
    /// True if moves were taken back or hints given.
    pub(crate) help: bool,
    /// Its first half-moves, UCI, at most 40: enough to name its opening. Empty for a game that starts from another position.
    pub(crate) first_moves: Vec<String>,
    /// Half-moves played.
    pub(crate) plies: usize,
    /// The ending, as text; `null` while the game is in progress.
    pub(crate) end: Option<String>,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub(crate) result: &'static str,
}

impl GameSummary {
    pub(super) fn new(record: &GameRecord) -> Self {
        let plies = if record.settings.fen.is_none() { OPENING_PLIES } else { 0 };
        let opening = record.moves.iter().take(plies);
        Self {
            id: record.id.clone(),
            started: record.started,
            person: record.person,
            opponent: record.engine.clone(),
            pace: record.pace(),
            level: record.settings.level.clone(),
            help: record.has_help(),
            first_moves: opening.map(|played| played.uci.clone()).collect(),
            plies: record.moves.len(),
            end: record.end.map(GameEnd::text),
            result: record.end.map_or("*", |end| end.result().as_str()),
        }
    }
}

/// A move the engine would play for the person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct HintView {
    /// Moves played when it was given.
    pub(crate) ply: usize,
    /// The move in UCI notation.
    pub(crate) uci: String,
    /// The move in SAN.
    pub(crate) san: String,
}
