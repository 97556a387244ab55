//! The view of a game.

mod parts;

use chess::{Game, Position as _};
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) use self::parts::ColorView;
use self::parts::{ClockView, EndView, MoveView, OpponentView};
use super::{clock::GameClock, ending::GameEnd, record::GameRecord};

/// A game against the engine: the whole state, which replaces whatever was known before.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct GameView {
    /// The game's name in addresses.
    pub(crate) id: String,
    /// Rises with every change.
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
    /// The clocks, where the game has them.
    pub(crate) clock: Option<ClockView>,
    /// True while the engine is thinking about its move.
    pub(crate) thinking: bool,
    /// True if moves were taken back or hints given.
    pub(crate) help: bool,
    /// Moves at the time of the last draw offer that the engine declined.
    pub(crate) draw_declined_at: Option<usize>,
    /// The draw that the side to move may claim, in words; an offered draw is then a claimed one.
    pub(crate) claimable: Option<String>,
    /// The page that plays the game, by the name it gave itself; others look on until they take it over.
    pub(crate) holder: Option<String>,
    /// Failure of the engine; the game is paused until the engine is asked to try again.
    pub(crate) failure: Option<String>,
    /// The ending, once the game is over.
    pub(crate) end: Option<EndView>,
}

/// The parts of a view that are not in the record.
pub(super) struct Present<'a> {
    pub(super) game: &'a Game,
    pub(super) clock: Option<&'a GameClock>,
    pub(super) seq: u64,
    pub(super) thinking: bool,
    pub(super) draw_declined_at: Option<usize>,
    pub(super) failure: Option<&'a str>,
    pub(super) holder: Option<&'a str>,
}

impl GameView {
    pub(super) fn new(record: &GameRecord, present: &Present<'_>) -> Self {
        let game = present.game;
        Self {
            id: record.id.clone(),
            seq: present.seq,
            started: record.started,
            start_fen: game.start_fen(),
            fen: game.fen(),
            moves: MoveView::all(record, game),
            turn: game.position().turn().into(),
            person: record.person,
            opponent: OpponentView::new(record),
            draws_by_claim: record.settings.draws_by_claim,
            clock: present
                .clock
                .zip(record.settings.clock)
                .map(|(now, set)| ClockView::new(now, set.initial_ms)),
            thinking: present.thinking,
            help: record.has_help(),
            draw_declined_at: present.draw_declined_at,
            claimable: game.outcome().filter(|_| record.end().is_none()).map(|end| GameEnd::from(end).text()),
            holder: present.holder.map(ToOwned::to_owned),
            failure: present.failure.map(ToOwned::to_owned),
            end: record.end().map(EndView::from),
        }
    }
}
