//! The games of a server as the page lists them.

use serde::Serialize;
use utoipa::ToSchema;

use super::{ending::GameEnd, record::GameRecord, view::ColorView};

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
    /// The game's name in addresses.
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
    /// Its first half-moves, UCI, at most 40: enough to name its opening. None for a game from another position than the usual one.
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
        let end = record.end();
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
            end: end.map(GameEnd::text),
            result: end.map_or("*", |end| end.result().as_str()),
        }
    }
}
