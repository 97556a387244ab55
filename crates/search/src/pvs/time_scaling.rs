//! Time scaling: how much of its time a move under a clock is worth, by the stability of the best move, its share of the nodes and the
//! fall of its value.

use chess::Move;

use super::root::RootMoves;

// The forms are those of Stockfish's time management (`search.cpp`); the numbers are chosen, not tuned.

/// Another iteration takes about as long as all before it, so it begins only in the first part of the move's time.
const BEGIN: f32 = 0.6;
/// Factor by the share of the nodes that the best move took: its value for a share of none, and what a share of all
/// takes off.
const NODES: (f32, f32) = (2.4, 1.9);
/// Best-move stability: the factor for a new best move, what each further iteration with the same move takes off, and
/// the most iterations that count.
const STABILITY: (f32, f32, u32) = (1.25, 0.05, 10);
/// A value that fell by this much below that of earlier iterations is worth as much time again; least and largest
/// factor.
const FALL: f32 = 80.0;
const FALLS: (f32, f32) = (0.85, 1.6);
/// Weight of the last iteration in the mean of the values.
const LAST: f32 = 0.4;

/// Findings of the iterations so far.
#[derive(Default)]
pub(super) struct TimeScaling {
    best: Option<Move>,
    /// Iterations in a row that kept the best move.
    stable: u32,
    mean: Option<f32>,
}

impl TimeScaling {
    /// Fraction of the time budget after which no new iteration starts, given the root moves of the last iteration. 1 is the
    /// budget of an average move.
    pub(super) fn share(&mut self, moves: &RootMoves) -> f32 {
        let best = moves.best();
        self.stable = if self.best == Some(best.chess_move) { self.stable + 1 } else { 0 };
        self.best = Some(best.chess_move);
        let value = best.value as f32;
        let mean = self.mean.unwrap_or(value);
        self.mean = Some(mean + LAST * (value - mean));
        let all: u64 = moves.iter().map(|found| found.nodes).sum();
        let of_best = best.nodes as f32 / all.max(1) as f32;
        let by_nodes = NODES.0 - NODES.1 * of_best;
        let by_stability = STABILITY.0 - STABILITY.1 * self.stable.min(STABILITY.2) as f32;
        let by_fall = (1.0 + (mean - value) / FALL).clamp(FALLS.0, FALLS.1);
        BEGIN * by_nodes * by_stability * by_fall
    }
}

#[cfg(test)]
mod tests {
    use chess::{Chess, Position as _};

    use super::*;

    /// Root moves of which the first has this value and these parts of a thousand nodes; the others have the rest.
    fn moves(order: &[usize], value: i32, of_best: u64) -> RootMoves {
        let legal = Chess::default().legal_moves();
        let moves = order.iter().map(|&number| legal[number]).collect();
        let mut moves = RootMoves::new(moves, &vec![0.5; order.len()]);
        moves.note(0, value, of_best);
        moves.note(1, value - 10, 1_000 - of_best);
        moves
    }

    /// The share after this many equal iterations and one more.
    fn share(equal: usize, value: i32, of_best: u64) -> f32 {
        let mut scaling = TimeScaling::default();
        for _ in 0..equal {
            scaling.share(&moves(&[0, 1], 50, 600));
        }
        scaling.share(&moves(&[0, 1], value, of_best))
    }

    #[test]
    fn a_move_that_stands_out_takes_little_time() {
        assert!(share(10, 50, 950) < 0.4, "{}", share(10, 50, 950));
        assert!(share(10, 50, 950) < share(10, 50, 600));
        assert!(share(10, 50, 600) < share(2, 50, 600));
    }

    #[test]
    fn a_falling_value_and_a_new_move_take_more() {
        assert!(share(10, -50, 600) > 1.2 * share(10, 50, 600));
        assert_eq!(share(10, -500, 600), share(10, -5_000, 600), "up to a limit");
        let mut scaling = TimeScaling::default();
        for _ in 0..10 {
            scaling.share(&moves(&[0, 1], 50, 600));
        }
        assert!(scaling.share(&moves(&[1, 0], 50, 600)) > 1.2 * share(10, 50, 600));
    }
}
