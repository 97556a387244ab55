//! The seam between searches and everything that plays: a game and limits in, a decision out.

mod options;
mod thinker;
mod trace;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
    time::Duration,
};

use shakmaty::Move;

use crate::{EvaluatorError, Game, Score, Wdl};

pub use options::{OptionError, SearchOptions, Tunable, TunableKind, Value};
pub use thinker::{Panicked, Thinker, Thought, guarded};
pub use trace::{SearchTrace, TracedBranch, TracedMove};

/// The clocks of both sides, as UCI's `wtime`, `btime`, `winc`, `binc` and `movestogo` give them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// Time left for the side to move.
    pub remaining: Duration,
    /// Time added after each move of the side to move.
    pub increment: Duration,
    /// Moves until the next time control, if there is one.
    pub moves_to_go: Option<u32>,
}

/// Limits of a search. Empty limits mean "until stopped".
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    /// Stop after this many visits of the root.
    pub nodes: Option<u64>,
    /// Stop when this depth is reached (for tree searches: the length of the principal variation).
    pub depth: Option<u32>,
    /// Stop when a mate in this many moves is proven.
    pub mate: Option<u32>,
    /// Think this long, less the time that the search reserves for sending its answer.
    pub move_time: Option<Duration>,
    /// Think as a player with this clock would.
    pub clock: Option<Clock>,
    /// Never stop before [`StopSignal::stop`], even when nothing is left to find out.
    pub infinite: bool,
    /// Think on the opponent's time: as `infinite` until [`StopSignal::ponder_hit`], then under the other limits.
    pub ponder: bool,
    /// Consider only these root moves; all when empty.
    pub search_moves: Vec<Move>,
}

/// Visits of a move where a network gets no limit: as many as a move of AlphaZero's self-play has (Silver et al. 2017, "Mastering chess
/// and shogi by self-play", "Configuration") and one of lc0's first training games.
pub const DEFAULT_NODES: u64 = 800;

const RUNNING: u8 = 0;
const PONDER_HIT: u8 = 1;
const STOPPED: u8 = 2;

/// Tells a running search to stop or that its pondering guess was right. Clones share the signal.
#[derive(Clone, Debug, Default)]
pub struct StopSignal(Arc<AtomicU8>);

impl StopSignal {
    /// Ends the search at the next opportunity, within 50 ms.
    pub fn stop(&self) {
        self.0.store(STOPPED, Ordering::Release);
    }

    /// The opponent played the expected move: the clock limits apply from now on. No effect after [`StopSignal::stop`].
    pub fn ponder_hit(&self) {
        let _ = self.0.compare_exchange(RUNNING, PONDER_HIT, Ordering::AcqRel, Ordering::Acquire);
    }

    /// True if [`StopSignal::stop`] was called.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Acquire) == STOPPED
    }

    /// True if [`StopSignal::ponder_hit`] was called.
    pub fn is_ponder_hit(&self) -> bool {
        self.0.load(Ordering::Acquire) == PONDER_HIT
    }
}

/// One line of play with its value, as a search reports it while it runs.
#[derive(Clone, Debug, PartialEq)]
pub struct PrincipalVariation {
    /// The moves, the first one played by the side to move at the root.
    pub moves: Vec<Move>,
    /// Value for the side to move at the root, as centipawns or mate.
    pub score: Score,
    /// Value for the side to move at the root.
    pub wdl: Wdl,
}

/// A progress report of a running search. [`SearchTrace`] is the same for pages and files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchInfo {
    /// Average depth of the tree.
    pub depth: u32,
    /// Length of the deepest line so far, plies.
    pub selective_depth: u32,
    /// Visits of the root by this search (reused visits of earlier searches not counted).
    pub nodes: u64,
    /// Positions that the evaluator was asked about.
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
}

impl SearchInfo {
    /// The mean of the root moves' values by their visits: the value of the root, but for its own evaluation, which is one
    /// visit's worth. `None` without a visit.
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

/// Findings of a search about one root move.
#[derive(Clone, Debug, PartialEq)]
pub struct RootMove {
    /// A legal move of the root.
    pub chess_move: Move,
    /// Visits it received; 0 for searches that do not count visits.
    pub visits: u64,
    /// Its value for the side to move at the root; `None` if it was never visited.
    pub wdl: Option<Wdl>,
    /// The evaluator's prior probability, before root noise.
    pub prior: f32,
    /// The probability that a policy should learn from the search, if it differs from the share of visits.
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
    /// A move of which nothing but its prior is known.
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

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The move to play.
    pub best: Move,
    /// The reply that the search expects, for pondering.
    pub ponder: Option<Move>,
    /// The final state of the search, with every root move.
    pub info: SearchInfo,
}

/// An error of a search that gave no move.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The game is over (no legal move), or `search_moves` names no legal one.
    #[error("no legal move to search in position {fen}")]
    NoLegalMove {
        /// FEN of the position that is over.
        fen: String,
    },
    /// A position could not be evaluated, so the search has no decision.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
    /// The search could not be made, for example because its network cannot be opened.
    #[error(transparent)]
    Open(Box<dyn std::error::Error + Send + Sync>),
    /// The search has a defect. It must not be used again.
    #[error("the search {0}")]
    Panicked(#[from] Panicked),
}

/// Finds a move.
///
/// # Laws
/// 1. The best move is legal, and among `search_moves` where those are given.
/// 2. `stop` ends the search within 50 ms of evaluator time; a search that is stopped before its first visit still
///    answers with a legal move.
/// 3. Root visits add up to the nodes spent below the root; with one thread and equal seeds the decision is the same.
/// 4. The final report equals [`Decision::info`].
/// 5. Every report lists each root move considered once, with a legal line that begins with it; in the decision the best
///    move comes first, except where chance chose another (temperature).
/// 6. After [`Search::set_options`] and [`Search::new_game`] it decides as a new search with these options.
/// 7. Values are for the side to move at the root: on an evaluator that counts material, whoever has a queen more and is not
///    about to lose it is ahead, as either colour (`laws::search::check_sides`).
pub trait Search: Send {
    /// Description of the search, for logs and `info string`.
    fn describe(&self) -> String;

    /// Forgets everything learnt in earlier games.
    fn new_game(&mut self);

    /// Sets the seed of the random decisions from now on (temperature, noise, rollouts), in combination with the
    /// search's own seed, so that games of one match differ and each can be replayed. Call it after
    /// [`Search::new_game`], which restarts from the search's own seed alone. A search without random decisions ignores
    /// it.
    fn reseed(&mut self, _seed: u64) {}

    /// Changes the options from the next search on. Cached data that depend on a changed option are discarded; equal
    /// options change nothing. A search without options ignores the call.
    fn set_options(&mut self, _options: &SearchOptions) {}

    /// Searches until the limits or `stop` end it, reporting progress to `report`.
    ///
    /// # Errors
    /// [`SearchError`] if there is no legal move or the evaluator fails.
    fn run(
        &mut self,
        game: &Game,
        limits: &Limits,
        stop: &StopSignal,
        report: &mut dyn FnMut(&SearchInfo),
    ) -> Result<Decision, SearchError>;
}

#[cfg(test)]
mod tests {
    use super::*;

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
