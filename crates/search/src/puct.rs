//! Monte Carlo tree search with priors (PUCT; Silver et al. 2018, "A general reinforcement learning algorithm that masters
//! chess, shogi, and Go through self-play"), with the refinements of lc0 named in `docs/methods.md`.
//!
//! `numbers` are the options and constants, each with its source. `tree` stores nodes and edges, `select` walks down, `position`
//! and `positions` follow the walk on a board and say how the game may end there, `playouts` evaluates leaves, in batches or one by
//! one, in each thread, `priors` turns evaluations into edges, `shared` is the state shared by the threads, `backup` averages and
//! propagates proofs, `ranking` orders the moves of a node, `root` reports on the root's, `branches` lists the most visited nodes,
//! `choice` takes the move to play, `noise` randomises the root, `gumbel` is an alternative rule for it, `reuse` carries the tree to
//! the next move, `control` decides when to stop, `run` is one search. Knowledge from [`crate::hints`] is added before a node is
//! opened. Each imports only what comes before it in this order: numbers; tree; ranking, priors, position, backup, reuse, choice;
//! noise, gumbel; select; root; shared; playouts, control; run.

mod backup;
mod branches;
mod choice;
mod control;
mod gumbel;
mod noise;
mod numbers;
mod playouts;
mod position;
mod positions;
mod priors;
mod ranking;
mod reuse;
mod root;
mod run;
mod select;
mod shared;
mod tree;

use std::sync::Arc;

use chess::{
    Decision, Evaluator, Game, Limits, Search, SearchError, SearchInfo, SearchOptions, StopSignal, Tablebases,
};
use rand_xoshiro::Xoshiro256PlusPlus;

use self::{
    control::{Control, OnlyMove},
    numbers::CACHE_SHARE,
    playouts::Feed,
    reuse::{Anchor, advance},
    run::PuctRun,
    shared::{Parts, PuctSettings, Shared},
    tree::Tree,
};
use crate::{
    cache::EvaluationCache,
    hints::{Hints, SearchStart},
    root_moves::{candidates, known_best},
    time::TimeManager,
};

pub use numbers::{GumbelOptions, NoiseOptions, PuctOptions};

/// Tree search guided by an evaluator's priors and values.
///
/// With one thread the same seed, options, evaluator and node limits give the same decisions. Under a clock or `move_time`
/// the number of visits depends on the machine, and with several threads their order does, so the decision may too.
///
/// A node limit counts the visits of one search: the root's own evaluation is the first, and visits kept from earlier searches are
/// not counted. Two things end a search before its node limit: `stop`, and, if only one line is requested, a proven mate in one or
/// two, which nothing can shorten. A full tree (option `Hash`) forgets what it visited least and continues.
pub struct Puct {
    evaluator: Arc<dyn Evaluator>,
    options: SearchOptions,
    settings: PuctSettings,
    tree: Tree,
    cache: EvaluationCache,
    hints: Hints,
    tables: Option<Arc<Tablebases>>,
    /// The game whose last position is the tree's root; `None` if the tree must not be reused.
    anchor: Option<Anchor>,
    random: Xoshiro256PlusPlus,
}

impl Puct {
    /// A search with an empty tree.
    pub fn new(evaluator: Arc<dyn Evaluator>, options: &SearchOptions) -> Self {
        let settings = PuctSettings::read(options);
        let random = settings.general.random(0);
        let (tree, cache) = memory(&settings, evaluator.as_ref());
        let (hints, options) = (Hints::new(options), options.clone());
        Self { evaluator, options, settings, tree, cache, hints, tables: None, anchor: None, random }
    }

    /// Probes these endgame tables from the next search on; `None` for none. Drops the tree.
    pub fn set_tablebases(&mut self, tables: Option<Arc<Tablebases>>) {
        self.tables = tables;
        self.anchor = None;
    }

    /// Makes the current position of `game` the tree's root. If the game continues the last one and the search considers
    /// every move, the tree below the moves played is kept; otherwise the tree starts empty.
    fn prepare_tree(&mut self, game: &Game, all_moves: bool) {
        // A Gumbel plan allocates the visits from the first one on.
        let keeps = self.settings.puct.tree_reuse && self.settings.gumbel.moves == 0;
        let reusable = self.anchor.take().filter(|_| all_moves && keeps);
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
        self.hints.forget();
        self.anchor = None;
        self.random = self.settings.general.random(0);
    }

    fn reseed(&mut self, seed: u64) {
        self.random = self.settings.general.random(seed);
    }

    /// A change drops the tree, because its priors and values were made under the old options; a new seed starts a new random
    /// sequence.
    fn set_options(&mut self, options: &SearchOptions) {
        if *options == self.options {
            return;
        }
        let before = std::mem::replace(&mut self.settings, PuctSettings::read(options));
        let evaluator = self.evaluator.as_ref();
        let other_feed = Feed::of(evaluator, &self.settings.puct) != Feed::of(evaluator, &before.puct);
        let other_memory = self.settings.general.hash != before.general.hash || other_feed;
        if self.settings.general.seed != before.general.seed {
            self.random = self.settings.general.random(0);
        }
        if other_memory {
            (self.tree, self.cache) = memory(&self.settings, self.evaluator.as_ref());
        }
        self.hints = Hints::new(options);
        self.options = options.clone();
        self.anchor = None;
    }

    fn run(
        &mut self,
        game: &Game,
        limits: &Limits,
        stop: &StopSignal,
        report: &mut dyn FnMut(&SearchInfo),
    ) -> Result<Decision, SearchError> {
        let wanted = candidates(game, limits)?;
        let tables = self.tables.as_deref().filter(|_| self.settings.general.syzygy_fast_play);
        let candidates = tables.and_then(|tables| known_best(tables, game, &wanted)).unwrap_or(wanted);
        let all_moves = candidates.len() == game.legal_moves().len();
        let only_move = if candidates.len() == 1 { OnlyMove::Yes } else { OnlyMove::No };
        let time = TimeManager::new(game, limits, stop, &self.settings.time);
        let control = Control::new(time, &self.settings, only_move);
        self.prepare_tree(game, all_moves);
        let is_over = |share: f32| control.time().is_share_over(share);
        let visits = control.largest_visits();
        self.hints.prepare(&SearchStart { game, moves: &candidates, visits, is_over: &is_over });
        let shared = Shared::new(Parts {
            tree: &self.tree,
            cache: &self.cache,
            evaluator: self.evaluator.as_ref(),
            tables: self.tables.as_deref(),
            settings: &self.settings,
            hints: &self.hints,
            game,
            candidates: &candidates,
        });
        // After an error the anchor is missing, so the tree with its abandoned batch is not reused.
        let decision = PuctRun::new(&shared, control, &mut self.random).run(report)?;
        self.anchor = all_moves.then(|| Anchor::new(game));
        Ok(decision)
    }
}

/// A tree and an evaluation cache that share the limit: a quarter of the bytes holds about as many evaluations as the
/// rest holds nodes. Evaluations of single positions are not cached.
fn memory(settings: &PuctSettings, evaluator: &dyn Evaluator) -> (Tree, EvaluationCache) {
    let bytes = settings.general.bytes();
    let for_evaluations = match Feed::of(evaluator, &settings.puct) {
        Feed::Batches => bytes / CACHE_SHARE,
        Feed::Positions => 0,
    };
    (Tree::new(bytes - for_evaluations), EvaluationCache::new(for_evaluations))
}

#[cfg(test)]
mod tests;
