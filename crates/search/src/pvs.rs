//! Principal variation search: alpha-beta with pruning on suspicion, over an evaluator's values, with the moves in the order of its
//! priors.
//!
//! Unlike [`crate::alpha_beta`], which finds the true minimax value of any evaluator, it leaves out what is unlikely to matter,
//! so that it looks several times as deep in the same time. `docs/methods.md` has the source of each rule.

mod entry;
mod node;
mod order;
mod quiescence;
mod root;
mod values;

use std::sync::Arc;

use chess::{
    Chess, Decision, Evaluator, Game, Limits, Move, Position as _, RootMove, Score, Search, SearchError,
    SearchInfo, SearchOptions, StopSignal, Wdl, position_key,
};

use self::{
    entry::Entry,
    order::Order,
    root::{RootMoves, UNKNOWN},
    values::Values,
};
use crate::{
    GeneralOptions,
    bound::{NullMove, Window},
    candidates::candidates,
    findings::{self, Counts},
    mates::{INFINITE, MATE_RANGE, MATED, mates_within, read_mate},
    moves::played,
    position_table::PositionTable,
    score::{score_of, wdl_from},
    time::{TimeManager, TimeOptions},
};

/// Units of a value for a change of one in the logarithm of the odds of a win (a draw counts as half): about the worth of a pawn
/// in the middlegame.
const UNITS: f32 = 100.0;
/// Values of positions that are not proven lie within this.
const LARGEST: i32 = 2_000;
/// Half-moves from the root that are searched at most, extensions and captures included.
const MAX_PLY: usize = 120;
/// Depth at which deepening ends by itself.
const MAX_DEPTH: i32 = 100;

/// The search and its state between positions.
pub struct Pvs {
    evaluator: Arc<dyn Evaluator>,
    general: GeneralOptions,
    time: TimeOptions,
    table: PositionTable<Entry>,
    order: Order,
}

impl Pvs {
    /// A search over this evaluator's values and priors.
    pub fn new(evaluator: Arc<dyn Evaluator>, options: &SearchOptions) -> Self {
        let general = GeneralOptions::read(options);
        let table = PositionTable::new(general.bytes());
        let order = Order::default();
        Self { evaluator, general, time: TimeOptions::read(options), table, order }
    }
}

/// The limits ended the search.
struct Over;

/// State of one search in progress.
struct Run<'a> {
    evaluator: Values<'a>,
    table: &'a mut PositionTable<Entry>,
    order: &'a mut Order,
    time: TimeManager<'a>,
    /// Keys of the positions since the last irreversible move of the game, then of the line down to the current node's parent.
    keys: Vec<u64>,
    /// Number of keys of the game before the root.
    before_root: usize,
    stack: Vec<Frame>,
    nodes: u64,
    evaluations: u64,
    priors: Vec<f32>,
}

/// A half-move of the current line.
#[derive(Clone, Copy)]
struct Frame {
    /// Static value; [`NO_VALUE`] in check.
    value: i32,
    /// Move that led to the next position.
    chess_move: Option<Move>,
    /// The side that made it.
    white: bool,
}

/// A static value that is not known.
const NO_VALUE: i32 = -INFINITE;

/// Nodes between two looks at the clock.
const NODES_A_QUESTION: u64 = 128;

impl Run<'_> {
    fn enter(&mut self) -> Result<(), Over> {
        let limited = self.time.node_limit().is_some_and(|limit| self.nodes >= limit);
        if limited
            || self.evaluator.has_failed()
            || (self.nodes.is_multiple_of(NODES_A_QUESTION) && self.time.is_over(self.nodes))
        {
            return Err(Over);
        }
        self.nodes += 1;
        Ok(())
    }

    /// The evaluator's value for the side to move.
    fn evaluate(&mut self, position: &Chess) -> i32 {
        self.evaluations += 1;
        let wdl = self.evaluator.value(position);
        let half = 0.5 * wdl.draw;
        let value = UNITS * ((wdl.win + half).max(1e-9) / (wdl.loss + half).max(1e-9)).ln();
        (value as i32).clamp(-LARGEST, LARGEST)
    }

    /// True if the position of this key came before, in the line or in the game, since the last irreversible move.
    fn is_repeated(&self, key: u64, position: &Chess) -> bool {
        let reversible = position.halfmoves() as usize;
        let mut earlier = 0;
        for back in (4..=reversible.min(self.keys.len())).step_by(2) {
            let place = self.keys.len() - back;
            if self.keys[place] == key {
                earlier += 1;
                // A position of the game counts at its third occurrence, one of the line at its second.
                if place >= self.before_root || earlier == 2 {
                    return true;
                }
            }
        }
        false
    }

    /// The line that the table remembers after `first`.
    fn line(&self, root: &Chess, first: Move, length: usize) -> Vec<Move> {
        let (mut position, mut line) = (played(root, first), vec![first]);
        let mut seen = vec![position_key(root)];
        while line.len() < length {
            let key = position_key(&position);
            if seen.contains(&key) {
                break;
            }
            seen.push(key);
            let best = self.table.get(key).and_then(|entry| entry.best_move(&position));
            let Some(next) = best else { break };
            line.push(next);
            position = played(&position, next);
        }
        line
    }
}

impl Search for Pvs {
    fn describe(&self) -> String {
        format!("principal variation search over {}", self.evaluator.describe())
    }

    fn new_game(&mut self) {
        self.table.clear();
        self.order = Order::default();
    }

    fn set_options(&mut self, options: &SearchOptions) {
        let bytes = self.general.bytes();
        (self.general, self.time) = (GeneralOptions::read(options), TimeOptions::read(options));
        if self.general.bytes() != bytes {
            self.table = PositionTable::new(self.general.bytes());
        }
    }

    fn run(
        &mut self,
        game: &Game,
        limits: &Limits,
        stop: &StopSignal,
        report: &mut dyn FnMut(&SearchInfo),
    ) -> Result<Decision, SearchError> {
        let moves = candidates(game, limits)?;
        let time = TimeManager::new(game, limits, stop, &self.time);
        let mut evaluator = Values::of(self.evaluator.as_ref());
        let root = game.position();
        let mut priors = Vec::new();
        evaluator.priors(root, &moves, &mut priors);
        let mut moves = RootMoves::new(moves, &priors);
        self.order.forget_killers();
        self.table.begin();
        let keys = keys_before(game);
        let mut run = Run {
            evaluator,
            table: &mut self.table,
            order: &mut self.order,
            time,
            before_root: keys.len(),
            keys,
            stack: vec![Frame { value: NO_VALUE, chess_move: None, white: true }; MAX_PLY + 2],
            nodes: 0,
            evaluations: 0,
            priors,
        };
        let lines = usize::try_from(self.general.multi_pv).unwrap_or(usize::MAX).clamp(1, moves.len());
        let deepest = limits.depth.map_or(MAX_DEPTH, |depth| depth.min(MAX_DEPTH as u32) as i32).max(1);
        let mut completed = 0;
        for depth in 1..=deepest {
            if run.deepen(root, &mut moves, (depth, lines)).is_err() {
                break;
            }
            completed = depth;
            report(&report_of(&run, root, (&moves, completed), &self.general));
            let value = moves.best_value();
            let is_mate_seen = value.abs() > MATE_RANGE && depth > -MATED - value.abs();
            if is_mate_seen || limits.mate.is_some_and(|mate| mates_within(value, mate)) {
                break;
            }
        }
        if let Some(error) = run.evaluator.take_failure() {
            return Err(error.into());
        }
        run.time.hold();
        Ok(findings::decide(report_of(&run, root, (&moves, completed), &self.general), 0, report))
    }
}

/// Keys of the positions before the current one since the last capture or pawn move.
fn keys_before(game: &Game) -> Vec<u64> {
    let (history, reversible) = (game.history(), game.position().halfmoves() as usize);
    let last = history.len() - 1;
    history[last.saturating_sub(reversible)..last].iter().map(|entry| entry.key).collect()
}

/// The report after `completed` iterations. Only the values of the wanted lines are exact; those of the others are bounds.
fn report_of(
    run: &Run<'_>,
    root: &Chess,
    (moves, completed): (&RootMoves, i32),
    options: &GeneralOptions,
) -> SearchInfo {
    let ranked = moves.iter().map(|found| {
        let unvisited = RootMove::unvisited(found.chess_move, found.prior);
        if found.value == UNKNOWN {
            return unvisited;
        }
        let (wdl, score) = read(found.value);
        let variation = run.line(root, found.chess_move, completed.max(1) as usize);
        RootMove { wdl: Some(wdl), score: Some(score), variation, ..unvisited }
    });
    let counts = Counts {
        depth: completed as u32,
        nodes: run.nodes,
        evaluations: run.evaluations,
        elapsed: run.time.elapsed(),
    };
    findings::info(ranked.collect(), counts, options)
}

/// A value in the form that reports use.
fn read(value: i32) -> (Wdl, Score) {
    read_mate(value).unwrap_or_else(|| {
        // The logistic curve from the logarithm of the odds to an expected score, from -1 to 1.
        let value = (0.5 * value as f32 / UNITS).tanh();
        let wdl = wdl_from(value, 1.0 - value.abs());
        (wdl, score_of(wdl))
    })
}

#[cfg(test)]
mod tests;
