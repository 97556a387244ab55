//! Reports of a search while it runs.

use std::time::Duration;

use shakmaty::Move;

use crate::{Heads, Score, Wdl};

/// A progress report of a running search. [`SearchTrace`](super::SearchTrace) is its form for pages and files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchInfo {
    /// Average depth of the tree.
    pub depth: u32,
    /// Length of the deepest line so far, plies.
    pub selective_depth: u32,
    /// Visits of the root by this search (reused visits of earlier searches not counted).
    pub nodes: u64,
    /// Number of positions evaluated, cache hits excluded.
    pub evaluations: u64,
    /// Positions whose evaluation was found in a cache.
    pub cache_hits: u64,
    /// Number of positions found in tablebases.
    pub table_hits: u64,
    /// Time since the search started.
    pub elapsed: Duration,
    /// Fill of the search's memory in thousandths.
    pub hash_full: u32,
    /// Best lines, best first; MultiPV gives their number, at least one. Empty if nothing was evaluated because the
    /// move came from a book.
    pub variations: Vec<PrincipalVariation>,
    /// Every root move considered, best first.
    pub root_moves: Vec<RootMove>,
    /// The most visited nodes of the tree, parents before their children; empty for searches without a tree and if not
    /// requested.
    pub branches: Vec<Branch>,
    /// The parts of evaluations that are the evaluator's own.
    pub heads: Heads,
}

impl SearchInfo {
    /// The best line, unless the evaluator has no value and the line's value is its constant
    /// ([`Heads::judge`]).
    pub fn judged_line(&self) -> Option<&PrincipalVariation> {
        self.variations.first().filter(|line| self.heads.judge(line.wdl))
    }

    /// The mean of the root moves' values, weighted by their visits. It is the value of the root except for the root's own
    /// evaluation, which weighs one visit. `None` without a visit.
    pub fn root_value(&self) -> Option<Wdl> {
        let (mut sum, mut visits) = ([0.0; 3], 0.0);
        for root in &self.root_moves {
            let Some(wdl) = root.wdl else { continue };
            let share = root.visits as f64;
            visits += share;
            for (sum, part) in sum.iter_mut().zip([wdl.win, wdl.draw, wdl.loss]) {
                *sum += share * f64::from(part);
            }
        }
        // A search keeps value and draws, from which the other parts come back with rounding, a little below 0 or above 1.
        let [win, draw, loss] = sum.map(|sum| (sum / visits).clamp(0.0, 1.0) as f32);
        (visits > 0.0).then_some(Wdl { win, draw, loss })
    }
}

/// One line of play with its value, as a running search reports it.
#[derive(Clone, Debug, PartialEq)]
pub struct PrincipalVariation {
    /// The moves, the first one played by the side to move at the root.
    pub moves: Vec<Move>,
    /// Value for the side to move at the root, as centipawns or mate.
    pub score: Score,
    /// Value for the side to move at the root.
    pub wdl: Wdl,
}

/// One node of a search tree, reached by a move from its parent.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    /// The place of its parent in [`SearchInfo::branches`]; `None` below the root.
    pub parent: Option<usize>,
    /// The move that leads to it.
    pub chess_move: Move,
    /// Visits that the move received.
    pub visits: u64,
    /// Its value for the side to move at the root.
    pub wdl: Wdl,
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Game;

    #[test]
    fn rounding_in_a_search_makes_no_probability_below_zero() {
        let rounded = Wdl { win: 0.1, draw: 0.900_000_1, loss: -1e-7 };
        let unvisited = RootMove::unvisited(Game::default().legal_moves()[0], 1.0);
        let root_value =
            |root: RootMove| SearchInfo { root_moves: vec![root], ..SearchInfo::default() }.root_value();
        assert_eq!(
            root_value(RootMove { visits: 3, wdl: Some(rounded), ..unvisited.clone() }).unwrap().loss,
            0.0
        );
        assert_eq!(root_value(unvisited), None);
    }
}
