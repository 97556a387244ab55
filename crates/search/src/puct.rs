//! Monte Carlo tree search with priors (PUCT; Silver et al. 2018, "A general reinforcement learning algorithm that masters
//! chess, shogi, and Go through self-play"), with the refinements of lc0 named in `docs/methods.md`.
//!
//! One file a thing: `tree` stores (in `packed` form), `select` walks down, `position` knows where the walk stands and how
//! the game may end there, `tactics` what forcing moves do there, `playouts` gathers and
//! evaluates batches, one for each thread, `shared` is what the threads have in common, `backup` averages and propagates
//! proofs, `root` ranks the moves, `branches` lists the most visited nodes, `repetition` keeps the winner from repeating, `noise` and `temperature` randomise,
//! `reuse` carries the tree to the next move, `control` decides when to stop, `session` ties one search together.

mod backup;
mod branches;
mod control;
mod evaluate;
mod noise;
mod packed;
mod playouts;
mod position;
mod repetition;
mod reuse;
mod root;
pub(crate) mod select;
mod session;
mod shared;
mod tactics;
pub(crate) mod temperature;
mod tree;

use std::sync::Arc;

use chess::{
    Decision, Evaluator, Game, Limits, Move, Search, SearchError, SearchInfo, StopSignal, Tablebases,
};
use rand_xoshiro::Xoshiro256PlusPlus;

use self::{
    control::{Control, OnlyMove},
    reuse::{Anchor, advance},
    session::Session,
    shared::{Parts, Shared},
    tactics::MoveSet,
    tree::Tree,
};
use crate::{
    PuctOptions,
    cache::EvaluationCache,
    deadline::candidates,
    material::{MaterialSearch, Spending},
};

pub(crate) use packed::{PackedMove, PackedPrior};

/// Tree search guided by an evaluator's priors and values.
///
/// With one thread the same seed, options, evaluator and node limits give the same decisions. Under a clock or `move_time`
/// the number of visits, and with several threads their order, and so possibly the decision, depends on the machine.
///
/// A node limit counts the visits of one search: the root's own evaluation is the first, and visits kept from earlier
/// searches are not counted. Three things end a search before its node limit: `stop`, a full tree ([`PuctOptions::hash`]), and a
/// proven mate in one or two, which nothing can shorten, where one line is asked for.
pub struct Puct {
    evaluator: Arc<dyn Evaluator>,
    options: PuctOptions,
    tree: Tree,
    cache: EvaluationCache,
    material: MaterialSearch,
    tables: Option<Arc<Tablebases>>,
    /// The game whose last position is the tree's root; `None` where the tree must not be reused.
    anchor: Option<Anchor>,
    random: Xoshiro256PlusPlus,
}

impl Puct {
    /// A search with an empty tree.
    pub fn new(evaluator: Arc<dyn Evaluator>, options: PuctOptions) -> Self {
        let random = options.random(0);
        let (tree, cache) = memory(&options);
        let material = MaterialSearch::default();
        Self { evaluator, options, tree, cache, material, tables: None, anchor: None, random }
    }

    /// Probes these endgame tables from the next search on; `None` for none. Drops the tree.
    pub fn set_tablebases(&mut self, tables: Option<Arc<Tablebases>>) {
        self.tables = tables;
        self.anchor = None;
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
            self.random = options.random(0);
        }
        if options.hash != self.options.hash {
            (self.tree, self.cache) = memory(&options);
        }
        self.options = options;
        self.material.clear();
        self.anchor = None;
    }

    /// Exchanges the evaluator for the next search and drops the tree, whose priors and values are the old one's.
    pub fn set_evaluator(&mut self, evaluator: Arc<dyn Evaluator>) {
        self.evaluator = evaluator;
        self.cache.clear();
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
        self.cache.clear();
        self.material.clear();
        self.anchor = None;
        self.random = self.options.random(0);
    }

    fn reseed(&mut self, seed: u64) {
        self.random = self.options.random(seed);
    }

    fn run(
        &mut self,
        game: &Game,
        limits: &Limits,
        stop: &StopSignal,
        report: &mut dyn FnMut(&SearchInfo),
    ) -> Result<Decision, SearchError> {
        let wanted = candidates(game, limits)?;
        let candidates = self.known_best(game, &wanted).unwrap_or(wanted);
        let all_moves = candidates.len() == game.legal_moves().len();
        let only_move = if candidates.len() == 1 { OnlyMove::Yes } else { OnlyMove::No };
        let control = Control::new(game, limits, stop, &self.options, only_move);
        self.prepare_tree(game, all_moves);
        let advised = self.advice(game, &candidates, &control);
        let shared = Shared::new(Parts {
            tree: &self.tree,
            cache: &self.cache,
            evaluator: self.evaluator.as_ref(),
            tables: self.tables.as_deref(),
            options: &self.options,
            game,
            material: &self.material,
            advised,
            candidates: &candidates,
        });
        // After an error the anchor is missing, so that the tree with its abandoned batch is not reused.
        let decision = Session::new(&shared, control, &mut self.random).run(report)?;
        self.anchor = all_moves.then(|| Anchor::new(game));
        Ok(decision)
    }
}

impl Puct {
    /// Of the candidates, those that win most material; none where the options or the limits leave no time to look.
    fn advice(&mut self, game: &Game, candidates: &[Move], control: &Control<'_>) -> MoveSet {
        let nodes = self.options.material_nodes.min(control.material_nodes());
        let is_over = || control.is_material_time_over();
        let spending = Spending { nodes, is_over: &is_over };
        MoveSet::of(&self.material.run(game.position(), candidates, spending))
    }

    /// Of the moves wanted, those that the endgame tables call best; `None` where they do not know or are not to decide.
    fn known_best(&self, game: &Game, wanted: &[Move]) -> Option<Vec<Move>> {
        let tables = self.tables.as_ref().filter(|_| self.options.syzygy_fast_play)?;
        let best = tables.best_moves(game)?;
        let kept: Vec<Move> = wanted.iter().copied().filter(|chess_move| best.contains(chess_move)).collect();
        (!kept.is_empty()).then_some(kept)
    }
}

/// A tree and a memory of evaluations that share the limit: of a quarter of the bytes the memory holds about as many
/// evaluations as the tree holds nodes in the rest.
fn memory(options: &PuctOptions) -> (Tree, EvaluationCache) {
    let bytes = usize::try_from(options.hash).unwrap_or(usize::MAX).saturating_mul(1 << 20);
    (Tree::new(bytes - bytes / 4), EvaluationCache::new(bytes / 4))
}

#[cfg(test)]
mod tests;
