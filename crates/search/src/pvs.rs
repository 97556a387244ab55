//! Principal variation search: alpha-beta with speculative pruning over an evaluator's values, with the moves in the order of its
//! priors.
//!
//! It leaves out what is unlikely to matter and so searches several times as deep in the same time. Without that ([`Pvs::plain`]) it
//! is plain alpha-beta, whose value is that of minimax. `docs/methods.md` has the source of each rule.

mod correction_history;
mod entry;
mod node;
mod numbers;
mod order;
mod quiescence;
mod root;
mod run;
mod shared_table;
mod threads;
mod time_scaling;
mod values;

use std::{
    cell::RefCell,
    sync::{Arc, atomic::Ordering},
};

use chess::{
    Decision, Evaluator, Game, Limits, Position as _, RootMove, Search, SearchError, SearchInfo,
    SearchOptions, StopSignal, Tablebases,
};

use self::numbers::UNITS;
use self::{
    root::{RootMoves, UNKNOWN},
    run::{Histories, Run, Shared, SharedCounts},
    shared_table::SharedTranspositionTable,
    threads::Task,
    values::Values,
};
use crate::{
    GeneralOptions,
    candidates::{candidates, known_best},
    search_report::{self, Counts},
    time::{TimeManager, TimeOptions},
};

/// The search and its state between positions.
///
/// With one thread the same seed, options, evaluator and node limits give the same decisions.
pub(crate) struct Pvs {
    evaluator: Arc<dyn Evaluator>,
    tables: Option<Arc<Tablebases>>,
    general: GeneralOptions,
    time: TimeOptions,
    /// False for plain alpha-beta.
    prunes: bool,
    table: SharedTranspositionTable,
    /// One for each thread.
    histories: Vec<Histories>,
}

impl Pvs {
    /// A search over this evaluator's values and priors, with endgame tables if there are any.
    pub(crate) fn new(
        evaluator: Arc<dyn Evaluator>,
        options: &SearchOptions,
        tables: Option<Arc<Tablebases>>,
    ) -> Self {
        let general = GeneralOptions::read(options);
        let table = SharedTranspositionTable::new(general.bytes());
        let time = TimeOptions::read(options);
        Self { evaluator, tables, general, time, prunes: true, table, histories: Vec::new() }
    }

    /// Alpha-beta (Knuth and Moore, "An analysis of alpha-beta pruning", 1975): the same search without pruning, extensions and
    /// reductions, and without the evaluator's policy below the root. Its value is the minimax value of its depth.
    pub(crate) fn plain(
        evaluator: Arc<dyn Evaluator>,
        options: &SearchOptions,
        tables: Option<Arc<Tablebases>>,
    ) -> Self {
        Self { prunes: false, ..Self::new(evaluator, options, tables) }
    }

    /// The root moves with their priors, the likeliest first.
    fn root_moves(&self, game: &Game, limits: &Limits) -> Result<RootMoves, SearchError> {
        let wanted = candidates(game, limits)?;
        let tables = self.tables.as_deref().filter(|_| self.general.syzygy_fast_play);
        let moves = tables.and_then(|tables| known_best(tables, game, &wanted)).unwrap_or(wanted);
        let (mut values, mut priors) = (Values::of(self.evaluator.as_ref(), game.ratings()), Vec::new());
        values.priors(game.position(), &moves, &mut priors);
        values.take_failure().map_or_else(|| Ok(RootMoves::new(moves, &priors)), |error| Err(error.into()))
    }
}

impl Search for Pvs {
    fn describe(&self) -> String {
        let kind = if self.prunes { "principal variation search" } else { "alpha-beta" };
        format!("{kind} over {}", self.evaluator.describe())
    }

    fn new_game(&mut self) {
        self.table.clear();
        self.histories.clear();
    }

    fn set_options(&mut self, options: &SearchOptions) {
        let bytes = self.general.bytes();
        (self.general, self.time) = (GeneralOptions::read(options), TimeOptions::read(options));
        if self.general.bytes() != bytes {
            self.table = SharedTranspositionTable::new(self.general.bytes());
        }
    }

    fn run(
        &mut self,
        game: &Game,
        limits: &Limits,
        stop: &StopSignal,
        report: &mut dyn FnMut(&SearchInfo),
    ) -> Result<Decision, SearchError> {
        let moves = self.root_moves(game, limits)?;
        let lines = usize::try_from(self.general.multi_pv).unwrap_or(usize::MAX).clamp(1, moves.len());
        self.table.begin();
        let threads = usize::try_from(self.general.threads).unwrap_or(1).max(1);
        self.histories.resize_with(threads, Histories::default);
        let shared = Shared {
            evaluator: self.evaluator.as_ref(),
            tables: self.tables.as_deref(),
            table: &self.table,
            prunes: self.prunes,
            game,
            moves,
            keys: keys_before(game),
            counts: SharedCounts::default(),
        };
        let time = RefCell::new(TimeManager::new(game, limits, stop, &self.time));
        let info = |evaluations: u64, moves: &RootMoves, depth: u32| {
            let nodes = shared.counts.nodes.load(Ordering::Relaxed);
            let counts = Counts { depth, nodes, evaluations, elapsed: time.borrow().elapsed() };
            let info = search_report::info(ranked(&shared, moves, depth), counts, &self.general);
            let table_hits = shared.counts.table_hits.load(Ordering::Relaxed);
            SearchInfo { table_hits, hash_full: self.table.fullness(), ..info }
        };
        let mut report_iteration = |run: &Run<'_>, depth| report(&info(run.evaluations, &run.moves, depth));
        let task = Task { limits, lines, time: &time };
        let found = threads::search(&shared, &mut self.histories, &task, &mut report_iteration)?;
        let info = info(found.evaluations, &found.moves, found.completed);
        Ok(search_report::decide(info, 0, report))
    }
}

/// Keys of the positions before the current one since the last capture or pawn move.
fn keys_before(game: &Game) -> Vec<u64> {
    let (history, reversible) = (game.history(), game.position().halfmoves() as usize);
    let last = history.len() - 1;
    history[last.saturating_sub(reversible)..last].iter().map(|entry| entry.key).collect()
}

/// The root moves after `completed` iterations, the best first. Only the values of the wanted lines are exact; the other moves'
/// values are bounds.
fn ranked(shared: &Shared<'_>, moves: &RootMoves, completed: u32) -> Vec<RootMove> {
    let value = |value: i32| (value != UNKNOWN).then_some(value);
    let found = moves.iter().map(|found| (found.chess_move, found.prior, value(found.value)));
    // The logistic curve from the logarithm of the odds to an expected score, from -1 to 1.
    let result = |value: i32| (0.5 * value as f32 / UNITS).tanh();
    search_report::ranked(found, result, |first| shared.line(first, completed.max(1) as usize))
}

#[cfg(test)]
mod tests;
