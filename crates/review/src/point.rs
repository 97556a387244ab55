//! Review of one position: the mark of its move, and the sums for a side.

use serde::{Deserialize, Serialize};

/// A position of the game and the move that was played in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ReviewPoint {
    /// Half-moves before it.
    pub ply: usize,
    /// White's win, draw and loss probability.
    #[cfg_attr(feature = "schema", schema(value_type = (f32, f32, f32)))]
    pub white_wdl: [f32; 3],
    /// White's win percentage.
    pub white_percent: f64,
    /// The best move found, UCI; `null` if the game is over.
    pub best: Option<String>,
    /// The best line, SAN.
    pub line: Vec<String>,
    /// Points of win percentage that the move played here cost; `null` until the next position is searched.
    pub loss: Option<f64>,
    /// The move's accuracy.
    pub accuracy: Option<f64>,
    /// Class of the move played, by its loss.
    pub judgement: Option<Judgement>,
    /// The network's prior of the move played.
    pub prior: Option<f32>,
    /// The network's prior of the best move found; `null` in reviews saved by older versions.
    #[serde(default)]
    pub best_prior: Option<f32>,
    /// The move with the largest prior of the network, UCI.
    #[serde(default, rename = "first")]
    pub favourite: Option<String>,
    /// True if it was searched a second time with ten times the visits; false in reviews saved by older versions.
    #[serde(default)]
    pub second_look: bool,
    /// Most that the move played can have cost as the search of this position saw it; `None` if it hardly looked at it.
    #[serde(skip)]
    pub(crate) most_loss: Option<f64>,
}

impl ReviewPoint {
    /// The loss of a move that was a choice; `None` for the only legal move, which is nobody's fault, and for a move that has no
    /// loss yet.
    pub(crate) fn free_loss(&self) -> Option<f64> {
        self.loss.filter(|_| self.judgement != Some(Judgement::Forced))
    }
}

/// Class of a move by its loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
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

/// A side's game in numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
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
