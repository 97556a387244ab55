//! The state of one thread's search.

use std::sync::atomic::{AtomicU64, Ordering};

use chess::{Chess, Color, Evaluator, Game, Move, Position as _, TableResult, Tablebases, position_key};

use super::numbers::{LARGEST, MAX_PLY, TABLE_WIN, UNITS};
use super::{
    correction_history::CorrectionHistory,
    entry::Entry,
    order::Order,
    root::{RootMoves, UNKNOWN},
    shared_table::SharedTranspositionTable,
    values::Values,
};
use crate::{
    alpha_beta::{INFINITE, MATE_RANGE, MATED},
    moves::played,
};

/// The limits ended the search, or the evaluator failed.
pub(super) struct Stopped;

/// State that the threads of a search share.
pub(super) struct Shared<'a> {
    pub(super) evaluator: &'a dyn Evaluator,
    pub(super) tables: Option<&'a Tablebases>,
    pub(super) table: &'a SharedTranspositionTable,
    /// False for plain alpha-beta.
    pub(super) prunes: bool,
    pub(super) game: &'a Game,
    pub(super) moves: RootMoves,
    /// Keys of the positions before the root since the last capture or pawn move.
    pub(super) keys: Vec<u64>,
    pub(super) counts: SharedCounts,
}

/// What all threads add to, on cache lines of its own: the fields around it are read at every node, and each addition of one thread
/// would take them from the caches of the others. 128 bytes, because processors fetch lines in pairs.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct SharedCounts {
    pub(super) nodes: AtomicU64,
    pub(super) table_hits: AtomicU64,
}

impl Shared<'_> {
    /// The line that the table remembers after `first`.
    pub(super) fn line(&self, first: Move, length: usize) -> Vec<Move> {
        let root = self.game.position();
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

/// Knowledge of a thread that lasts from one search to the next.
#[derive(Default)]
pub(super) struct Histories {
    pub(super) order: Order,
    pub(super) corrections: CorrectionHistory,
}

/// A thread's search in progress.
pub(super) struct Run<'a> {
    pub(super) shared: &'a Shared<'a>,
    pub(super) evaluator: Values<'a>,
    pub(super) order: &'a mut Order,
    pub(super) corrections: &'a mut CorrectionHistory,
    pub(super) depth: i32,
    /// Asked before each node, with the number of this thread's nodes before it: true ends the search.
    is_over: &'a dyn Fn(u64) -> bool,
    /// Nodes of this thread.
    pub(super) nodes: u64,
    pub(super) root: &'a Chess,
    pub(super) moves: RootMoves,
    /// Keys of the positions since the last irreversible move of the game, then of the line down to the current node's parent.
    pub(super) keys: Vec<u64>,
    /// Number of keys of the game before the root.
    before_root: usize,
    pub(super) stack: Vec<Frame>,
    pub(super) evaluations: u64,
    pub(super) priors: Vec<f32>,
}

/// A half-move of the current line.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    /// Static value; [`NO_VALUE`] in check.
    pub(super) value: i32,
    /// Move that led to the next position.
    pub(super) chess_move: Option<Move>,
    /// The side that made it.
    pub(super) mover: Color,
}

/// A static value that is not known.
pub(super) const NO_VALUE: i32 = -INFINITE;

impl<'a> Run<'a> {
    /// A thread's search over the shared state.
    pub(super) fn new(
        shared: &'a Shared<'a>,
        histories: &'a mut Histories,
        is_over: &'a dyn Fn(u64) -> bool,
    ) -> Self {
        histories.order.forget_killers();
        Self {
            shared,
            evaluator: Values::of(shared.evaluator, shared.game.ratings()),
            order: &mut histories.order,
            corrections: &mut histories.corrections,
            depth: 0,
            is_over,
            nodes: 0,
            root: shared.game.position(),
            moves: shared.moves.clone(),
            before_root: shared.keys.len(),
            keys: shared.keys.clone(),
            stack: vec![Frame { value: NO_VALUE, chess_move: None, mover: Color::White }; MAX_PLY + 2],
            evaluations: 0,
            priors: Vec::new(),
        }
    }

    /// Value of the move that is best so far.
    pub(super) fn best_value(&self) -> i32 {
        self.moves.best().value
    }

    /// True if a deeper iteration would find the same mate again.
    pub(super) fn is_decided(&self, depth: i32) -> bool {
        let value = self.moves.best().value;
        value != UNKNOWN && value.abs() > MATE_RANGE && depth > -MATED - value.abs()
    }

    /// Counts a node, if another one may be searched.
    pub(super) fn enter(&mut self) -> Result<(), Stopped> {
        if (self.is_over)(self.nodes) || self.evaluator.has_failed() {
            return Err(Stopped);
        }
        self.nodes += 1;
        self.shared.counts.nodes.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// The evaluator's value for the side to move.
    pub(super) fn evaluate(&mut self, position: &Chess) -> i32 {
        self.evaluations += 1;
        let wdl = self.evaluator.value(position);
        ((UNITS * wdl.log_odds()) as i32).clamp(-LARGEST, LARGEST)
    }

    /// The static value, which the table may hold, and the static value corrected by the searches of similar positions; both
    /// [`NO_VALUE`] in check.
    pub(super) fn static_values(
        &mut self,
        position: &Chess,
        known: Option<Entry>,
        check: bool,
    ) -> (i32, i32) {
        if check {
            return (NO_VALUE, NO_VALUE);
        }
        let static_value = known.map_or_else(|| self.evaluate(position), Entry::static_value);
        (static_value, (static_value + self.corrections.of(position)).clamp(-LARGEST, LARGEST))
    }

    /// True if the value of an entry may stand for a search of this depth. Without pruning only one of the same depth may, because
    /// the value of a depth is wanted.
    pub(super) fn is_deep_enough(&self, entry: Entry, depth: i32) -> bool {
        if self.shared.prunes { entry.depth() >= depth } else { entry.depth() == depth }
    }

    /// The value by the endgame tables, which know positions after captures and pawn moves.
    pub(super) fn probe_tables(&self, position: &Chess) -> Option<i32> {
        let result = self.shared.tables?.probe(position)?;
        self.shared.counts.table_hits.fetch_add(1, Ordering::Relaxed);
        Some(match result {
            TableResult::Win => TABLE_WIN,
            TableResult::Draw => 0,
            TableResult::Loss => -TABLE_WIN,
        })
    }

    /// True if the position of this key came before, in the line or in the game, since the last irreversible move.
    pub(super) fn is_repeated(&self, key: u64, position: &Chess) -> bool {
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
}
