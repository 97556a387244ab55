//! Analyses as clients send and see them; a file has the form of [`KeptAnalysis`].

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An analysis to keep.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnalysisDraft {
    /// The revision that was changed; 0 for a new analysis.
    pub(super) revision: u64,
    /// What a list says of it.
    pub(super) title: AnalysisTitle,
    /// The way to the position on the board: in each position from the first on, the index of the continuation.
    pub(super) path: Vec<usize>,
    /// The game with variations, comments and glyphs, PGN.
    pub(super) pgn: String,
}

/// What a list says of an analysis.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnalysisTitle {
    /// The players, or the first moves of a game without names.
    pub(super) players: String,
    /// Result of the game; empty if it has none.
    pub(super) result: String,
    /// Half-moves of the game.
    pub(super) plies: usize,
    /// The position on the board, FEN.
    pub(super) fen: String,
}

/// An analysis with all that it holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub(crate) struct KeptAnalysis {
    /// What is in the list as well.
    pub(super) summary: AnalysisSummary,
    /// The way to the position on the board: in each position from the first on, the index of the continuation.
    pub(super) path: Vec<usize>,
    /// The game with variations, comments and glyphs, PGN.
    pub(super) pgn: String,
}

/// An analysis in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub(crate) struct AnalysisSummary {
    /// Its name in addresses.
    pub(super) id: String,
    /// The number of times that it was changed.
    pub(super) revision: u64,
    /// Time of the last change, milliseconds since 1970.
    pub(super) changed: u64,
    /// What it is about.
    pub(super) title: AnalysisTitle,
}

/// The analyses of a server.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AnalysisList {
    /// The last changed one first.
    pub(crate) analyses: Vec<AnalysisSummary>,
    /// Files of analyses that cannot be read, each with its reason.
    pub(crate) problems: Vec<String>,
}
