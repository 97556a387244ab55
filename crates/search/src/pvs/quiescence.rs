//! Quiescence search: captures and evasions until the evaluator's value can be trusted.
//!
//! It is not [`chess::quiescence`], which only calls an evaluator: this one shares the transposition table, the histories and the
//! limits of its search, and looks at every way out of a check.
//!
//! Without pruning it looks at all captures that do not lose material and at all evasions, so that the value of a position depends on
//! nothing else: neither on the window, nor on what the table and the histories hold.

use chess::{
    Chess, Move, Position as _, Window, position_key,
    quiescence::{captures, mvv_lva},
    static_exchange::StaticExchange,
};

use super::numbers::{CAPTURE_MARGIN, HASH_MOVE_SCORE, MAX_PLY, PAWN, QUIET_HISTORY_DIVISOR, VICTIM};
use super::{
    entry::{Entry, SearchedValue},
    order::Picker,
    run::{Run, Stopped},
};
use crate::{
    alpha_beta::{Bound, INFINITE, MATE_RANGE, MATED},
    moves::{captured_value, is_quiet, played},
};

impl Run<'_> {
    /// The value when the side to move may stand pat or capture on; in check every way out is tried until one does not lose.
    pub(super) fn quiescence(
        &mut self,
        position: &Chess,
        ply: usize,
        Window { mut alpha, beta }: Window,
    ) -> Result<i32, Stopped> {
        self.enter()?;
        if position.is_insufficient_material() {
            return Ok(0);
        }
        if ply >= MAX_PLY {
            return Ok(self.evaluate(position));
        }
        let key = position_key(position);
        let known = self.shared.table.get(key);
        let usable = known.filter(|&entry| self.is_deep_enough(entry, 0));
        if let Some(entry) = usable.filter(|_| beta - alpha == 1)
            && entry.bound.decides(entry.value(ply), Window { alpha, beta })
        {
            return Ok(entry.value(ply));
        }
        let check = position.is_check();
        let (static_value, corrected) = self.static_values(position, known, check);
        let mut best = if check { -INFINITE } else { searched_or_static(usable, corrected, ply) };
        if best >= beta {
            if known.is_none() {
                let searched = SearchedValue { value: best, bound: Bound::Lower, depth: 0, ply };
                self.shared.table.put(key, Entry::new(None, searched, static_value));
            }
            return Ok(best);
        }
        alpha = alpha.max(best);
        let moves = if check { position.legal_moves() } else { captures(position) };
        if check && moves.is_empty() {
            return Ok(MATED + ply as i32);
        }
        let scores = self.capture_scores(position, &moves, known);
        let exchanges = StaticExchange::new(position);
        let prunes = self.shared.prunes;
        let mut best_move = None;
        for (_, chess_move) in Picker::new(scores) {
            // Delta pruning: `best` rises to what the capture could have brought at most, so that the result stays an upper bound
            // although the capture was not searched.
            let at_most = corrected + PAWN * captured_value(chess_move) + CAPTURE_MARGIN;
            if prunes && !check && at_most <= alpha {
                best = best.max(at_most);
                continue;
            }
            // In check evasions are tried until one is not mated. After that quiet ones are left out: a better quiet defence is
            // the business of the full search, while a capture may still win material.
            let is_spare = prunes && check && best > -MATE_RANGE && is_quiet(chess_move);
            if is_spare || (!check && !exchanges.is_safe(chess_move)) {
                continue;
            }
            let after = played(position, chess_move);
            let value = -self.quiescence(&after, ply + 1, Window { alpha, beta }.reversed())?;
            if value > best {
                (best, best_move) = (value, Some(chess_move));
                alpha = alpha.max(value);
            }
            if alpha >= beta {
                break;
            }
        }
        let bound = if best >= beta { Bound::Lower } else { Bound::Upper };
        // Deeper entries stay.
        if known.is_none_or(|entry| entry.depth() == 0) {
            let searched = SearchedValue { value: best, bound, depth: 0, ply };
            self.shared.table.put(key, Entry::new(best_move, searched, static_value));
        }
        Ok(best)
    }

    /// The moves scored by what they take and by the history of such captures.
    fn capture_scores(&self, position: &Chess, moves: &[Move], known: Option<Entry>) -> Vec<(i32, Move)> {
        let mover = position.turn();
        let remembered = known.and_then(|entry| entry.best_move(position));
        let mut scored = Vec::with_capacity(moves.len());
        for &chess_move in moves {
            let first = if remembered == Some(chess_move) { HASH_MOVE_SCORE } else { 0 };
            let victim = VICTIM * mvv_lva(chess_move);
            let history = self.order.capture(chess_move, mover) / QUIET_HISTORY_DIVISOR;
            scored.push((first + victim + history, chess_move));
        }
        scored
    }
}

/// The searched value, if it says more than the static one.
pub(super) fn searched_or_static(known: Option<Entry>, static_value: i32, ply: usize) -> i32 {
    if let Some(entry) = known {
        let value = entry.value(ply);
        if value.abs() < MATE_RANGE && entry.bound.decides(value, Window::at(static_value)) {
            return value;
        }
    }
    static_value
}
