//! The engine of a game as the page sees it.

use serde::Serialize;
use utoipa::ToSchema;

use crate::game::record::GameRecord;

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
