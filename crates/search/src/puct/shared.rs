//! State shared by the threads of one search.
//!
//! Threads do not wait for each other. They share the tree, the cache, a budget of visits (`limit`, `started`), totals that are
//! only reported, and two signals: `finished` from the main thread to the helpers, `failure` the other way. Helpers live for one
//! stretch between two prunings of the tree (`run::PuctRun::search_until_full`), so whatever needs the tree for itself happens
//! after they joined.

use std::sync::{
    Mutex, OnceLock, PoisonError,
    atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
};

use chess::{Evaluator, EvaluatorError, Game, Move, SearchOptions, Tablebases};

use super::{
    gumbel::HalvingPlan,
    numbers::{GumbelOptions, NoiseOptions, PuctOptions},
    select::{Exploration, Formula},
    tree::{Tree, Writers},
};
use crate::{
    GeneralOptions, cache::EvaluationCache, hints::Hints, packed::PackedMove,
    temperature::TemperatureOptions, time::TimeOptions,
};

/// The options in the form in which a search reads them.
pub(crate) struct PuctSettings {
    pub(crate) puct: PuctOptions,
    pub(crate) exploration: Exploration,
    pub(crate) general: GeneralOptions,
    pub(crate) time: TimeOptions,
    pub(crate) temperature: TemperatureOptions,
    pub(crate) noise: NoiseOptions,
    pub(crate) gumbel: GumbelOptions,
}

impl PuctSettings {
    pub(crate) fn read(options: &SearchOptions) -> Self {
        Self {
            puct: PuctOptions::read(options),
            exploration: Exploration::new(PuctOptions::read(options)),
            general: GeneralOptions::read(options),
            time: TimeOptions::read(options),
            temperature: TemperatureOptions::read(options),
            noise: NoiseOptions::read(options),
            gumbel: GumbelOptions::read(options),
        }
    }
}

/// Totals over all playouts of one search.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Statistics {
    /// Finished visits of the root by this search.
    pub(crate) visits: u64,
    /// Sum of the depths of all leaves visited.
    pub(crate) depth_sum: u64,
    /// Depth of the deepest leaf.
    pub(crate) max_depth: u32,
    /// Positions that the evaluator has evaluated.
    pub(crate) evaluations: u64,
    /// Evaluations found in the cache.
    pub(crate) cache_hits: u64,
    /// Leaves decided by the tablebases.
    pub(crate) table_hits: u64,
    /// Visits since the last one that opened a node.
    pub(crate) visits_since_growth: u64,
}

impl Statistics {
    /// Counts a finished visit of a leaf.
    pub(crate) fn count_visit(&mut self, depth: usize) {
        self.visits += 1;
        self.depth_sum += depth as u64;
        self.max_depth = self.max_depth.max(depth as u32);
    }
}

/// The parts of a search that every thread needs.
#[derive(Clone, Copy)]
pub(crate) struct Parts<'a> {
    pub(crate) tree: &'a Tree,
    pub(crate) cache: &'a EvaluationCache,
    pub(crate) evaluator: &'a dyn Evaluator,
    pub(crate) tables: Option<&'a Tablebases>,
    pub(crate) settings: &'a PuctSettings,
    pub(crate) hints: &'a Hints,
    pub(crate) game: &'a Game,
    /// The root moves that are searched.
    pub(crate) candidates: &'a [Move],
}

impl<'a> Parts<'a> {
    /// The formula for choosing edges, without a plan for the root.
    pub(crate) fn formula(&self) -> Formula<'a> {
        Formula { exploration: &self.settings.exploration, plan: None }
    }
}

/// The parts with the search's state.
pub(crate) struct Shared<'a> {
    pub(crate) parts: Parts<'a>,
    /// Positions of history that the evaluator sees.
    pub(crate) history: usize,
    pub(crate) threads: u64,
    /// The evaluator's own priors of the root moves, where this search evaluated the root.
    pub(crate) root_priors: OnceLock<Vec<(PackedMove, f32)>>,
    /// Plan of the root's visits, if they are not left to PUCT.
    pub(crate) plan: OnceLock<HalvingPlan>,
    /// Visits that may be started, and visits that were.
    limit: AtomicU64,
    started: AtomicU64,
    finished: AtomicBool,
    failure: Mutex<Option<EvaluatorError>>,
    totals: Totals,
}

#[derive(Default)]
struct Totals {
    visits: AtomicU64,
    depth_sum: AtomicU64,
    max_depth: AtomicU32,
    evaluations: AtomicU64,
    cache_hits: AtomicU64,
    table_hits: AtomicU64,
    since_growth: AtomicU64,
}

impl<'a> Shared<'a> {
    pub(crate) fn new(parts: Parts<'a>) -> Self {
        Self {
            parts,
            history: parts.evaluator.history(),
            threads: parts.settings.general.threads,
            root_priors: OnceLock::new(),
            plan: OnceLock::new(),
            limit: AtomicU64::new(0),
            started: AtomicU64::new(0),
            finished: AtomicBool::new(false),
            failure: Mutex::new(None),
            totals: Totals::default(),
        }
    }

    /// The formula for choosing edges.
    pub(crate) fn formula(&self) -> Formula<'_> {
        Formula { plan: self.plan.get(), ..self.parts.formula() }
    }

    /// Notes the evaluator's own priors of the root moves. Only the first ones count: the root is evaluated once in a search.
    pub(crate) fn keep_root_priors(&self, moves: &[Move], priors: &[f32]) {
        let packed = moves.iter().map(|&chess_move| PackedMove::pack(chess_move));
        let _ = self.root_priors.set(packed.zip(priors.iter().copied()).collect());
    }

    /// Sets the number of visits that may be started. Helpers idle once it is reached.
    pub(crate) fn set_limit(&self, visits: u64) {
        self.limit.store(visits, Ordering::Relaxed);
    }

    /// Takes the right to start one visit.
    pub(crate) fn reserve(&self) -> bool {
        self.reserve_up_to(1) == 1
    }

    /// Takes the right to start at most `wanted` visits; returns how many may be started.
    pub(crate) fn reserve_up_to(&self, wanted: u64) -> u64 {
        // An addition hands out disjoint ranges of visits, of which the part below the limit is granted: never more than the
        // limit in all, also if it is lowered meanwhile. Between the addition and the return of the surplus another thread may be
        // refused although visits are left; it tries again after its pause.
        let started = self.started.fetch_add(wanted, Ordering::Relaxed);
        let granted = self.limit.load(Ordering::Relaxed).saturating_sub(started).min(wanted);
        self.unreserve(wanted - granted);
        granted
    }

    /// Gives the right to start visits back.
    pub(crate) fn unreserve(&self, visits: u64) {
        if visits > 0 {
            self.started.fetch_sub(visits, Ordering::Relaxed);
        }
    }

    /// Threads that change the tree while playouts run.
    pub(crate) fn writers(&self) -> Writers {
        if self.threads == 1 { Writers::One } else { Writers::Many }
    }

    /// Adds the counts of one batch.
    pub(crate) fn count(&self, batch: &Statistics) {
        let totals = &self.totals;
        totals.depth_sum.fetch_add(batch.depth_sum, Ordering::Relaxed);
        totals.max_depth.fetch_max(batch.max_depth, Ordering::Relaxed);
        totals.evaluations.fetch_add(batch.evaluations, Ordering::Relaxed);
        totals.cache_hits.fetch_add(batch.cache_hits, Ordering::Relaxed);
        totals.table_hits.fetch_add(batch.table_hits, Ordering::Relaxed);
        if batch.evaluations + batch.cache_hits > 0 {
            totals.since_growth.store(0, Ordering::Relaxed);
        } else {
            totals.since_growth.fetch_add(batch.visits, Ordering::Relaxed);
        }
        // Stored last, so that a reader of the visits sees the other fields of all batches that it counts, not only of the
        // last one: additions of other threads continue the release sequence.
        totals.visits.fetch_add(batch.visits, Ordering::Release);
    }

    pub(crate) fn statistics(&self) -> Statistics {
        let totals = &self.totals;
        Statistics {
            visits: totals.visits.load(Ordering::Acquire),
            depth_sum: totals.depth_sum.load(Ordering::Relaxed),
            max_depth: totals.max_depth.load(Ordering::Relaxed),
            evaluations: totals.evaluations.load(Ordering::Relaxed),
            cache_hits: totals.cache_hits.load(Ordering::Relaxed),
            table_hits: totals.table_hits.load(Ordering::Relaxed),
            visits_since_growth: totals.since_growth.load(Ordering::Relaxed),
        }
    }

    /// Ends the work of the helpers.
    pub(crate) fn finish(&self) {
        // Helpers look at it between batches, not within one: a claimed leaf must not be left without a value.
        self.finished.store(true, Ordering::Release);
    }

    /// Lets helpers continue after [`Shared::finish`].
    pub(crate) fn resume(&self) {
        self.finished.store(false, Ordering::Release);
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.finished.load(Ordering::Acquire)
    }

    /// Keeps a helper's error for the main thread.
    pub(crate) fn fail(&self, error: EvaluatorError) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    /// A helper's error, if any.
    pub(crate) fn take_failure(&self) -> Option<EvaluatorError> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
