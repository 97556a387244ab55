//! Pairs of whole numbers, `[%eval 31,24]`: centipawns and depth as ChessBase writes them, or pawns with a decimal comma. One pair
//! alone does not say which; the other evaluations of its game do.

use chess::Score;

use super::evaluation::{Evaluation, Notation};

/// With a decimal comma a pair of so many centipawns would be as many pawns, more than nearly all evaluations.
const MOST_PAWNS: u32 = 30;

/// The pairs of a game.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    /// Half-moves before the positions that a pair evaluates.
    plies: Vec<usize>,
    are_centipawns: bool,
    are_decimals: bool,
}

impl Pairs {
    /// Takes note of the evaluation of the position after this many half-moves.
    pub(super) fn note(&mut self, evaluation: Evaluation, ply: usize) {
        // Of several evaluations the last one counts.
        if self.plies.last() == Some(&ply) {
            self.plies.pop();
        }
        match (evaluation.notation, evaluation.score) {
            (Notation::Pair, Score::Centipawns(centipawns)) => {
                self.plies.push(ply);
                self.are_centipawns |= centipawns.unsigned_abs() >= MOST_PAWNS;
            }
            (Notation::DecimalComma, _) => self.are_decimals = true,
            _ => {}
        }
    }

    /// The positions whose evaluation is of unknown scale.
    pub(super) fn in_doubt(&self) -> &[usize] {
        if self.are_centipawns && !self.are_decimals { &[] } else { &self.plies }
    }
}
