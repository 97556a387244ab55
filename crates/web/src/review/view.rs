//! A review as pages see it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Class of a move by its loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// The only legal move: not judged.
    Forced,
    /// Lost less than an inaccuracy.
    Fine,
    /// From the first limit of the scale on.
    Inaccuracy,
    /// From the second limit on.
    Mistake,
    /// From the third limit on.
    Blunder,
}

/// A position of the game and the move that was played in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ReviewPoint {
    /// Half-moves before it.
    pub ply: usize,
    /// White's win, draw and loss probability.
    #[schema(value_type = (f32, f32, f32))]
    pub white_wdl: [f32; 3],
    /// White's win percentage.
    pub white_percent: f64,
    /// The best move found, UCI; `None` if the game is over.
    pub best: Option<String>,
    /// The best line, SAN.
    pub line: Vec<String>,
    /// Win percentage that the move played here cost; `None` until the next position is searched.
    pub loss: Option<f64>,
    /// The move's accuracy.
    pub accuracy: Option<f64>,
    /// Class of the move played, by its loss.
    pub judgement: Option<Judgement>,
    /// The network's prior of the move played.
    pub prior: Option<f32>,
    /// The network's prior of the best move found; reviews that were kept before this was told have none.
    #[serde(default)]
    pub best_prior: Option<f32>,
    /// The move with the largest prior of the network, UCI.
    #[serde(default)]
    pub first: Option<String>,
    /// Most that the move played can have cost as the search of this position saw it; `None` if it hardly looked at it.
    #[serde(skip)]
    pub(super) most_loss: Option<f64>,
}

/// A side's game in numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct SideSummary {
    /// Accuracy, 0 to 100.
    pub accuracy: Option<f64>,
    /// Mean loss a move in points of win percentage, forced moves left out.
    pub mean_loss: Option<f64>,
    pub inaccuracies: usize,
    pub mistakes: usize,
    pub blunders: usize,
    pub forced: usize,
}

/// A review so far: the whole state, which replaces whatever was known before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub(crate) struct ReviewView {
    /// Its name.
    pub(crate) id: String,
    /// The network's id.
    pub(crate) network: String,
    /// Display name of the network.
    pub(crate) engine: String,
    /// Visits of each position.
    pub(crate) nodes: u64,
    /// The position before the first move, FEN.
    pub(crate) fen: String,
    /// The moves of the game, UCI: a review belongs to them, whatever the game is called.
    pub(crate) moves: Vec<String>,
    /// Positions of the game.
    pub(crate) positions: usize,
    /// True while the review is in progress.
    pub(crate) running: bool,
    /// Reason for ending early, if it did.
    pub(crate) failure: Option<String>,
    /// Positions searched so far, from the first on.
    pub(crate) points: Vec<ReviewPoint>,
    /// Losses from which on a move is an inaccuracy, a mistake, a blunder.
    #[schema(value_type = (f64, f64, f64))]
    pub(crate) limits: [f64; 3],
    /// White's game; once all positions are searched.
    pub(crate) white: Option<SideSummary>,
    /// Black's game.
    pub(crate) black: Option<SideSummary>,
}

impl ReviewView {
    /// Half-moves that a game has in common with the reviewed one; `None` if these are less than half of the review's moves,
    /// which makes it another game.
    pub(super) fn shared_with(&self, fen: &str, moves: &[String]) -> Option<usize> {
        let shared = self.moves.iter().zip(moves).take_while(|(own, other)| own == other).count();
        (self.fen == fen && shared > 0 && 2 * shared >= self.moves.len()).then_some(shared)
    }

    /// True if another review would repeat this one: same game, network and budget, neither stopped nor failed.
    pub(super) fn answers(&self, wanted: &Self) -> bool {
        let asked = |view: &Self| {
            (view.fen.clone(), view.moves.clone(), view.network.clone(), view.engine.clone(), view.nodes)
        };
        self.failure.is_none() && asked(self) == asked(wanted)
    }
}
