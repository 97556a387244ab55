//! Time scaling: how much of its time a move under a clock is worth, by the stability of the best move, its share of the nodes and the
//! fall of its value.

use chess::Move;

use super::numbers::{
    LEAST_TIME_BY_FALL, MOST_STABLE_ITERATIONS, MOST_TIME_BY_FALL, TIME_FALL, TIME_MEAN_WEIGHT,
    TIME_OF_NEW_BEST, TIME_OF_NO_NODES, TIME_OFF_BY_NODES, TIME_OFF_BY_STABILITY, TIME_TO_BEGIN,
};
use super::root::RootMoves;

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
        self.mean = Some(mean + TIME_MEAN_WEIGHT * (value - mean));
        let all: u64 = moves.iter().map(|found| found.nodes).sum();
        let of_best = best.nodes as f32 / all.max(1) as f32;
        let by_nodes = TIME_OF_NO_NODES - TIME_OFF_BY_NODES * of_best;
        let stable = self.stable.min(MOST_STABLE_ITERATIONS) as f32;
        let by_stability = TIME_OF_NEW_BEST - TIME_OFF_BY_STABILITY * stable;
        let by_fall = (1.0 + (mean - value) / TIME_FALL).clamp(LEAST_TIME_BY_FALL, MOST_TIME_BY_FALL);
        TIME_TO_BEGIN * by_nodes * by_stability * by_fall
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
