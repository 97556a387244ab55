//! A review as pages see it.

use serde::Serialize;
use utoipa::ToSchema;

/// What a move was, by what it cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Judgement {
    /// The only legal move: not judged.
    Forced,
    /// Lost less than 5 points of win percentage.
    Fine,
    /// Lost 5 or more.
    Inaccuracy,
    /// Lost 10 or more.
    Mistake,
    /// Lost 15 or more.
    Blunder,
}

/// A position of the game and the move that was played in it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct ReviewPoint {
    /// Half-moves before it.
    pub(crate) ply: usize,
    /// White's win, draw and loss probability.
    #[schema(value_type = (f32, f32, f32))]
    pub(crate) white_wdl: [f32; 3],
    /// White's win percentage.
    pub(crate) white_percent: f64,
    /// The best move found, UCI; `None` where the game is over.
    pub(crate) best: Option<String>,
    /// The best line, SAN.
    pub(crate) line: Vec<String>,
    /// Win percentage that the move played here cost; `None` until the next position is searched.
    pub(crate) loss: Option<f64>,
    /// The move's accuracy.
    pub(crate) accuracy: Option<f64>,
    /// What the move was.
    pub(crate) judgement: Option<Judgement>,
    /// The network's prior of the move played.
    pub(crate) prior: Option<f32>,
}

/// A side's game in numbers.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct SideSummary {
    /// Accuracy, 0 to 100.
    pub(crate) accuracy: Option<f64>,
    /// Mean loss a move in points of win percentage, forced moves left out.
    pub(crate) mean_loss: Option<f64>,
    /// Inaccuracies.
    pub(crate) inaccuracies: usize,
    /// Mistakes.
    pub(crate) mistakes: usize,
    /// Blunders.
    pub(crate) blunders: usize,
    /// Forced moves.
    pub(crate) forced: usize,
}

/// A review so far: the whole state, which replaces whatever was known before.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct ReviewView {
    /// Its name.
    pub(crate) id: String,
    /// The network's id.
    pub(crate) network: String,
    /// What the network calls itself.
    pub(crate) engine: String,
    /// Visits of each position.
    pub(crate) nodes: u64,
    /// Positions of the game.
    pub(crate) positions: usize,
    /// Whether it still works.
    pub(crate) running: bool,
    /// Why it ended early.
    pub(crate) failure: Option<String>,
    /// Positions searched so far, from the first on.
    pub(crate) points: Vec<ReviewPoint>,
    /// White's game; once all positions are searched.
    pub(crate) white: Option<SideSummary>,
    /// Black's game.
    pub(crate) black: Option<SideSummary>,
}
