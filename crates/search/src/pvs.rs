//! Principal variation search: alpha-beta with speculative pruning over an evaluator's values, with the moves in the order of its
//! priors.
//!
//! Selective pruning makes it search several times as deep in the same time. Without it ([`Pvs::plain`]) it
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
    Decision, Evaluator, Game, Limits, Position as _, RootMove, Score, Search, SearchError, SearchInfo,
    SearchOptions, StopSignal, Tablebases, Wdl,
};

use self::{
    numbers::UNITS,
    root::{RootMoves, UNKNOWN},
    run::{Histories, Run, Shared, SharedCounts},
    shared_table::SharedTranspositionTable,
    threads::Task,
    values::Values,
};
use crate::{
    GeneralOptions,
    alpha_beta::read_mate,
    root_moves::{candidates, known_best},
    score::{score_of, wdl_from},
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
        let lines = self.general.lines().min(moves.len());
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
        let general = &self.general;
        let mut report_iteration = |run: &Run<'_>, depth| {
            let elapsed = time.borrow().elapsed();
            let counts = Counts { depth, evaluations: run.evaluations, elapsed, ..Counts::default() };
            report(&info(&shared, &run.moves, counts, general));
        };
        let task = Task { limits, lines, time: &time };
        let found = threads::search(&shared, &mut self.histories, &task, &mut report_iteration)?;
        let (depth, elapsed) = (found.completed, time.borrow().elapsed());
        let counts = Counts { depth, evaluations: found.evaluations, elapsed, ..Counts::default() };
        Ok(search_report::decide(info(&shared, &found.moves, counts, general), 0, report))
    }
}

/// Keys of the positions before the current one since the last capture or pawn move.
fn keys_before(game: &Game) -> Vec<u64> {
    let (history, reversible) = (game.history(), game.position().halfmoves() as usize);
    let last = history.len() - 1;
    history[last.saturating_sub(reversible)..last].iter().map(|entry| entry.key).collect()
}

/// The report on these root moves, with the nodes and table hits counted so far.
fn info(shared: &Shared<'_>, moves: &RootMoves, counts: Counts, general: &GeneralOptions) -> SearchInfo {
    let counts = Counts { nodes: shared.counts.nodes.load(Ordering::Relaxed), ..counts };
    let info = search_report::info(ranked(shared, moves, counts.depth), counts, general);
    let table_hits = shared.counts.table_hits.load(Ordering::Relaxed);
    SearchInfo { table_hits, hash_full: shared.table.fullness(), ..info }
}

/// The root moves after `completed` iterations, the best first. Only the values of the wanted lines are exact; the other moves'
/// values are bounds.
fn ranked(shared: &Shared<'_>, moves: &RootMoves, completed: u32) -> Vec<RootMove> {
    let mut ranked = Vec::new();
    for found in moves.iter() {
        let unvisited = RootMove::unvisited(found.chess_move, found.prior);
        if found.value == UNKNOWN {
            ranked.push(unvisited);
            continue;
        }
        let (wdl, score) = read_mate(found.value).unwrap_or_else(|| unproven(found.value));
        let variation = shared.line(found.chess_move, completed.max(1) as usize);
        ranked.push(RootMove { wdl: Some(wdl), score: Some(score), variation, ..unvisited });
    }
    ranked
}

/// Result and score of a value that is not a mate. A value is the logarithm of the odds in [`UNITS`], which the logistic curve turns
/// into an expected result, here from -1 to 1.
fn unproven(value: i32) -> (Wdl, Score) {
    let result = (0.5 * value as f32 / UNITS).tanh();
    let wdl = wdl_from(result, 1.0 - result.abs());
    (wdl, score_of(wdl))
}

#[cfg(test)]
mod tests;
