//! The order in which the material search tries moves: the better the order, the more is pruned.

use chess::{Color, Move, quiescence::mvv_lva};

use super::numbers::{CAPTURE, KILLER, KILLER_PLIES, REMEMBERED};
use crate::moves::is_quiet;

/// Quiet moves that have refuted something before.
pub(super) struct Order {
    /// By half-moves from the root: the last two such moves (killer heuristic; Akl and Newborn 1977).
    killers: [[Option<Move>; 2]; KILLER_PLIES],
    /// By side, role and target square: how often and how deep (history heuristic; Schaeffer 1983).
    history: Box<[[[i32; 64]; 6]; 2]>,
}

impl Default for Order {
    fn default() -> Self {
        Self { killers: [[None; 2]; KILLER_PLIES], history: Box::new([[[0; 64]; 6]; 2]) }
    }
}

impl Order {
    /// Ordering score of each move, highest first: the hash move, captures and promotions by what they win, killers, the rest
    /// by history.
    fn scores(&self, moves: &[Move], turn: Color, ply: usize, remembered: Option<Move>) -> Vec<i32> {
        let killers = self.killers[ply % KILLER_PLIES];
        let mut scores = Vec::with_capacity(moves.len());
        for &chess_move in moves {
            scores.push(match chess_move {
                _ if remembered == Some(chess_move) => REMEMBERED,
                _ if !is_quiet(chess_move) => CAPTURE + mvv_lva(chess_move),
                _ if killers.contains(&Some(chess_move)) => KILLER,
                _ => self.history(turn, chess_move).min(KILLER - 1),
            });
        }
        scores
    }

    /// Notes that a quiet move refuted its position.
    pub(super) fn note(&mut self, chess_move: Move, turn: Color, depth: i32, ply: usize) {
        let [first, second] = &mut self.killers[ply % KILLER_PLIES];
        if *first != Some(chess_move) {
            *second = first.replace(chess_move);
        }
        self.history[turn as usize][chess_move.role() as usize - 1][chess_move.to() as usize] +=
            depth * depth;
    }

    /// Prepares for a new search: reduces the weight of old refutations.
    pub(super) fn age(&mut self) {
        self.killers = [[None; 2]; KILLER_PLIES];
        self.history.as_flattened_mut().as_flattened_mut().iter_mut().for_each(|count| *count /= 8);
    }

    fn history(&self, turn: Color, chess_move: Move) -> i32 {
        self.history[turn as usize][chess_move.role() as usize - 1][chess_move.to() as usize]
    }
}

/// The moves of a position, the most promising first, picked one at a time: the first refutes most positions.
pub(super) struct Picker<'a> {
    moves: &'a mut [Move],
    scores: Vec<i32>,
    picked: usize,
}

impl<'a> Picker<'a> {
    pub(super) fn new(
        order: &Order,
        moves: &'a mut [Move],
        turn: Color,
        ply: usize,
        remembered: Option<Move>,
    ) -> Self {
        let scores = order.scores(moves, turn, ply, remembered);
        Self { moves, scores, picked: 0 }
    }
}

impl Iterator for Picker<'_> {
    type Item = Move;

    fn next(&mut self) -> Option<Move> {
        let first = self.picked;
        // The first of equal moves.
        let best = (first..self.moves.len()).rev().max_by_key(|&place| self.scores[place])?;
        self.moves.swap(first, best);
        self.scores.swap(first, best);
        self.picked += 1;
        Some(self.moves[first])
    }
}
