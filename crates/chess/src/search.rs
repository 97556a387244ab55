//! The interface between searches and everything that plays: a game and limits in, a decision out.

mod info;
mod limits;
mod options;
mod thinker;
mod trace;

use shakmaty::Move;

use crate::{EvaluatorError, Game};

pub use info::{Branch, PrincipalVariation, RootMove, SearchInfo};
pub use limits::{Clock, DEFAULT_NODES, Limits, StopSignal};
pub use options::{OptionError, SearchOptions, Tunable, TunableKind, Value};
pub use thinker::{Panicked, Thinker, Thought, guarded};
pub use trace::{SearchTrace, TracedBranch, TracedMove};

/// Finds a move.
///
/// # Laws
/// 1. The best move is legal, and among `search_moves` if those are given.
/// 2. `stop` ends the search within 50 ms of evaluator time; a search that is stopped before its first visit still
///    answers with a legal move.
/// 3. Root visits add up to the nodes spent below the root; with one thread and equal seeds the decision is the same.
/// 4. The final report equals [`Decision::info`].
/// 5. Every report lists each root move considered once, with a legal line that begins with it; in the decision the best
///    move comes first, except where chance chose another (temperature).
/// 6. After [`Search::set_options`] and [`Search::new_game`] it decides as a new search with these options.
/// 7. Values are for the side to move at the root: on an evaluator that counts material, a side that is a
///    queen up and is not about to lose it has a value above a draw, as either colour
///    (`laws::search::check_sides`).
/// 8. On an evaluator with colour-flip symmetry, a position and its colour-flipped twin give the same search
///    result, except for the order of moves that the search considers equal
///    (`laws::search::sees_sides_alike`). Searches that draw moves by chance are exempt.
pub trait Search: Send {
    /// Description of the search, for logs and `info string`.
    fn describe(&self) -> String;

    /// Forgets everything learnt in earlier games. A search without memory ignores the call.
    fn new_game(&mut self) {}

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
