//! Monte Carlo tree search with priors (PUCT; Silver et al. 2018, "A general reinforcement learning algorithm that masters
//! chess, shogi, and Go through self-play"), with the refinements of lc0 named in `docs/methods.md`.
//!
//! One file a thing: `tree` stores (in `packed` form), `select` walks down, `position` knows where the walk stands and how
//! the game may end there, `playouts` gathers and evaluates batches, `backup` averages and propagates proofs, `root` ranks
//! the moves, `noise` and `temperature` randomise, `reuse` carries the tree to the next move, `control` decides when to
//! stop, `session` ties one search together.

mod backup;
mod control;
mod evaluate;
mod noise;
mod packed;
mod playouts;
mod position;
mod reuse;
mod root;
mod select;
mod session;
mod temperature;
mod tree;

use std::sync::Arc;

use chess::{Decision, Evaluator, Game, Limits, Move, Search, SearchError, SearchInfo, StopSignal};
use rand_xoshiro::{Xoshiro256PlusPlus, rand_core::SeedableRng};

use self::{
    control::{Control, OnlyMove},
    playouts::Playouts,
    reuse::{Anchor, advance},
    session::Session,
    tree::Tree,
};
use crate::PuctOptions;

/// Tree search guided by an evaluator's priors and values.
///
/// One thread; the same seed, options, evaluator and node limits give the same decisions. Under a clock or `move_time`
/// the number of visits, and so possibly the decision, depends on the machine's speed.
///
/// A node limit counts the visits of one search: the root's own evaluation is the first, and visits kept from earlier
/// searches are not counted. Two things end a search before its node limit: `stop`, and a full tree ([`PuctOptions::hash`]).
pub struct Puct {
    evaluator: Arc<dyn Evaluator>,
    options: PuctOptions,
    tree: Tree,
    /// The game whose last position is the tree's root; `None` where the tree must not be reused.
    anchor: Option<Anchor>,
    random: Xoshiro256PlusPlus,
}

impl Puct {
    /// A search with an empty tree.
    pub fn new(evaluator: Arc<dyn Evaluator>, options: PuctOptions) -> Self {
        let random = Xoshiro256PlusPlus::seed_from_u64(options.seed);
        let tree = Tree::new(byte_limit(&options));
        Self { evaluator, options, tree, anchor: None, random }
    }

    /// The settings in force.
    pub fn options(&self) -> &PuctOptions {
        &self.options
    }

    /// Changes the settings for the next search. A change drops the tree, because its priors and values were made under
    /// the old ones; a new seed starts a new random sequence.
    pub fn set_options(&mut self, options: PuctOptions) {
        if options == self.options {
            return;
        }
        if options.seed != self.options.seed {
            self.random = Xoshiro256PlusPlus::seed_from_u64(options.seed);
        }
        self.options = options;
        self.tree = Tree::new(byte_limit(&self.options));
        self.anchor = None;
    }

    /// Exchanges the evaluator for the next search and drops the tree, whose priors and values are the old one's.
    pub fn set_evaluator(&mut self, evaluator: Arc<dyn Evaluator>) {
        self.evaluator = evaluator;
        self.anchor = None;
    }

    /// Makes the tree's root the current position of `game`: what the old tree has below the moves played, where the game
    /// continues the last one and the search considers every move, else an empty tree.
    fn prepare_tree(&mut self, game: &Game, all_moves: bool) {
        let reusable = self.anchor.take().filter(|_| all_moves && self.options.tree_reuse);
        let moves = reusable.as_ref().and_then(|anchor| anchor.continuation(game));
        let kept = moves.is_some_and(|moves| advance(&mut self.tree, moves));
        if !kept || self.tree.is_fragmented() {
            self.tree.clear();
        }
    }
}

impl Search for Puct {
    fn describe(&self) -> String {
        format!("PUCT with {}", self.evaluator.describe())
    }

    fn new_game(&mut self) {
        self.tree.clear();
        self.anchor = None;
        self.random = Xoshiro256PlusPlus::seed_from_u64(self.options.seed);
    }

    fn run(
        &mut self,
        game: &Game,
        limits: &Limits,
        stop: &StopSignal,
        report: &mut dyn FnMut(&SearchInfo),
    ) -> Result<Decision, SearchError> {
        let candidates = candidates(game, limits)?;
        let all_moves = candidates.len() == game.legal_moves().len();
        let only_move = if candidates.len() == 1 { OnlyMove::Yes } else { OnlyMove::No };
        let control = Control::new(game, limits, stop, &self.options, only_move);
        self.prepare_tree(game, all_moves);
        let evaluator = self.evaluator.as_ref();
        let playouts = Playouts::new(&mut self.tree, evaluator, &self.options, game, &candidates);
        let session = Session::new(game, &self.options, control, playouts, &mut self.random);
        // After an error the anchor is missing, so that the tree with its abandoned batch is not reused.
        let decision = session.run(report)?;
        self.anchor = all_moves.then(|| Anchor::new(game));
        Ok(decision)
    }
}

fn byte_limit(options: &PuctOptions) -> usize {
    usize::try_from(options.hash).unwrap_or(usize::MAX).saturating_mul(1 << 20)
}

/// The root moves that the limits allow, in generation order.
fn candidates(game: &Game, limits: &Limits) -> Result<Vec<Move>, SearchError> {
    let wanted = &limits.search_moves;
    let chosen: Vec<Move> = game
        .legal_moves()
        .iter()
        .copied()
        .filter(|chess_move| wanted.is_empty() || wanted.contains(chess_move))
        .collect();
    if chosen.is_empty() {
        return Err(SearchError::NoLegalMove { fen: game.fen() });
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests;
