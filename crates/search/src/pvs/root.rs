//! The root: its moves in the order of the last iteration, searched with an aspiration window around the previous
//! value.

use chess::{Move, Position as _, Window, position_key};

use super::numbers::{
    ASPIRATION, LARGEST, LEAST_ASPIRATION_DEPTH, LEAST_REDUCED_DEPTH, UNREDUCED, WIDEST, WINDOW_GROWTH,
};
use super::run::{Run, Stopped};
use crate::{
    alpha_beta::{Distance, INFINITE},
    moves::played,
};

/// Value of a root move that no iteration has reached.
pub(super) const UNKNOWN: i32 = -INFINITE;

/// A root move.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub(super) chess_move: Move,
    pub(super) prior: f32,
    pub(super) value: i32,
    /// Nodes of this thread in all iterations.
    pub(super) nodes: u64,
}

/// The root moves, the best first.
#[derive(Clone)]
pub(super) struct RootMoves(Vec<Found>);

impl RootMoves {
    /// Moves in the order of their priors.
    pub(super) fn new(moves: Vec<Move>, priors: &[f32]) -> Self {
        let mut found = Vec::with_capacity(moves.len());
        for (chess_move, &prior) in moves.into_iter().zip(priors) {
            found.push(Found { chess_move, prior, value: UNKNOWN, nodes: 0 });
        }
        found.sort_by(|one, other| other.prior.total_cmp(&one.prior));
        Self(found)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Found> {
        self.0.iter()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn best(&self) -> &Found {
        &self.0[0]
    }

    /// Gives the move at `place` this value and adds to its nodes.
    #[cfg(test)]
    pub(super) fn note(&mut self, place: usize, value: i32, nodes: u64) {
        self.0[place].value = value;
        self.0[place].nodes += nodes;
    }

    /// Gives the move at `place` its value and moves it in front of those that are worse.
    fn rank(&mut self, place: usize, value: i32) {
        self.0[place].value = value;
        let front = self.0[..place].iter().position(|other| other.value < value).unwrap_or(place);
        self.0[front..=place].rotate_right(1);
    }

    /// Goes back to earlier values and their order. The nodes stay: they are spent, and the share of the best move decides about
    /// time.
    fn restore(&mut self, mut before: Self) {
        for found in &mut before.0 {
            let now = self.0.iter().find(|now| now.chess_move == found.chess_move);
            found.nodes = now.map_or(found.nodes, |now| now.nodes);
        }
        *self = before;
    }
}

impl Run<'_> {
    /// One iteration that finds the exact values of the best `lines` moves. On [`Stopped`] the moves are in the best order known: a
    /// move that was found better than the first is in front.
    pub(super) fn deepen(&mut self, depth: i32, lines: usize) -> Result<(), Stopped> {
        self.depth = depth;
        let center = self.moves.best().value;
        let narrow = depth >= LEAST_ASPIRATION_DEPTH && lines == 1 && center.abs() < LARGEST;
        let mut width = if narrow { ASPIRATION } else { INFINITE };
        let mut window = Window { alpha: -INFINITE, beta: INFINITE };
        if narrow {
            window = Window { alpha: center - width, beta: center + width };
        }
        loop {
            let before = self.moves.clone();
            let result = self.iteration(depth, lines, window);
            let best = *self.moves.best();
            let failed_low = best.value <= window.alpha && window.alpha > -INFINITE;
            // Values at or below alpha are bounds, which say nothing about the order.
            if failed_low || (result.is_err() && best.chess_move == before.best().chess_move) {
                self.moves.restore(before);
            }
            result?;
            width = if width > WIDEST { INFINITE } else { WINDOW_GROWTH * width };
            if failed_low {
                window.alpha = (window.alpha - width).max(-INFINITE);
            } else if best.value >= window.beta && window.beta < INFINITE {
                window.beta = (window.beta + width).min(INFINITE);
            } else {
                return Ok(());
            }
        }
    }

    fn iteration(&mut self, depth: i32, lines: usize, Window { alpha, beta }: Window) -> Result<(), Stopped> {
        let root = self.root;
        self.stack[0].value = self.static_values(root, None, root.is_check()).1;
        self.stack[0].mover = root.turn();
        let key = position_key(root);
        for place in 0..self.moves.0.len() {
            let chess_move = self.moves.0[place].chess_move;
            self.stack[0].chess_move = Some(chess_move);
            self.keys.push(key);
            // The window opens at the worst of the lines that are wanted.
            let floor = if place < lines { alpha } else { self.moves.0[lines - 1].value.max(alpha) };
            let window = Window { alpha: floor, beta };
            // Moves whose lines are wanted are searched to full depth with the whole window, the next few at least to full depth.
            let reduction = place.checked_sub(lines).map(|late| {
                i32::from(self.shared.prunes && depth >= LEAST_REDUCED_DEPTH && late >= UNREDUCED)
            });
            let distance = Distance { ply: 1, depth: depth - 1 };
            let before = self.nodes;
            let value = self.move_value(&played(root, chess_move), distance, window, reduction);
            self.keys.pop();
            let value = value?;
            self.moves.0[place].nodes += self.nodes - before;
            if place < lines || value > floor {
                self.moves.rank(place, value);
            } else {
                self.moves.0[place].value = value;
            }
            if value >= beta {
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use chess::{Chess, Position as _};

    use super::*;

    /// After an iteration that failed low, the nodes of all its moves were forgotten.
    #[test]
    fn moves_keep_their_nodes_where_their_values_are_restored() {
        let legal = Chess::default().legal_moves();
        let moves = || RootMoves::new(legal[..2].to_vec(), &[0.6, 0.4]);
        let (before, mut after) = (moves(), moves());
        after.note(1, 30, 700);
        after.rank(1, 30);
        assert_eq!(after.best().chess_move, legal[1]);
        after.restore(before);
        let found: Vec<(Move, i32, u64)> =
            after.iter().map(|found| (found.chess_move, found.value, found.nodes)).collect();
        assert_eq!(found, [(legal[0], UNKNOWN, 0), (legal[1], UNKNOWN, 700)]);
    }
}
