//! The interface between self-play and the engines: the program connects networks and searches here, tests use doubles.

use std::sync::Arc;

use chess::{Evaluator, Game, Move, RootMove, Search};

use crate::generation::NetworkName;

/// Whether a search becomes a sample or only chooses a move: few moves of a game are searched in full (playout cap randomisation).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// A full search with noise at the root, whose policy and value become a sample.
    Full,
    /// A quick search without noise, which only chooses a move.
    Quick,
}

/// Factory of evaluators and searches for self-play games.
pub trait Engines: Sync {
    /// The evaluator of a network of the run; `weights` are the bytes of its file, `None` if the run begins without a network.
    ///
    /// # Errors
    /// A text that says what is wrong with the weights.
    fn evaluator(&self, network: &NetworkName, weights: Option<&[u8]>) -> Result<Arc<dyn Evaluator>, String>;

    /// A new search on an evaluator.
    fn search(&self, evaluator: Arc<dyn Evaluator>, effort: Effort) -> Box<dyn Search>;

    /// The training target of a full search: weights of moves, the best first.
    fn policy(&self, moves: &[RootMove]) -> Vec<(Move, u32)>;

    /// The opening of a game, which must not be over. Equal seeds give equal openings.
    fn opening(&self, seed: u64) -> Game;
}

/// The moves that were visited, with their visits: the result of [`Engines::policy`] without Gumbel's improvement.
pub fn visit_counts(moves: &[RootMove]) -> Vec<(Move, u32)> {
    let visited = moves.iter().filter(|root_move| root_move.visits > 0);
    let mut counts: Vec<(Move, u32)> = visited
        .map(|root_move| (root_move.chess_move, u32::try_from(root_move.visits).unwrap_or(u32::MAX)))
        .collect();
    counts.sort_by_key(|&(_, visits)| std::cmp::Reverse(visits));
    counts
}
