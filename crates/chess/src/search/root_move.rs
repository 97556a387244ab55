//! A move of the root, with the value and visits that a search gave it.

use shakmaty::Move;

use crate::{Score, Wdl};

/// The findings of a search about one root move.
#[derive(Clone, Debug, PartialEq)]
pub struct RootMove {
    /// A legal move of the root.
    pub chess_move: Move,
    /// Visits (N); 0 for searches that do not count visits.
    pub visits: u64,
    /// Its value for the side to move at the root; `None` if it was never visited.
    pub wdl: Option<Wdl>,
    /// The evaluator's prior probability, before root noise.
    pub prior: f32,
    /// Policy target from the search, if it differs from the share of visits.
    pub improved: Option<f32>,
    /// The exploration term that is added to the value when the next visit is assigned (PUCT's U); `None` for searches
    /// without such a term.
    pub exploration: Option<f32>,
    /// Its value as centipawns or mate; `None` if it was never visited.
    pub score: Option<Score>,
    /// The line that begins with it.
    pub variation: Vec<Move>,
}

impl RootMove {
    /// A move without visits, of which only the prior is known.
    pub fn unvisited(chess_move: Move, prior: f32) -> Self {
        Self {
            chess_move,
            visits: 0,
            wdl: None,
            prior,
            improved: None,
            exploration: None,
            score: None,
            variation: vec![chess_move],
        }
    }
}
