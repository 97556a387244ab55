//! Scores from the numbers of a source, whatever its format.

use chess::{Color, Score};

use crate::record::LabelDoubt;

/// Larger numbers are codes of mates: engines report at most 200 pawns for endgames won by tablebase.
const MOST_CENTIPAWNS: f64 = 20_000.0;

/// The nearest whole number of centipawns; [`LabelDoubt::EvaluationScale`] for codes of mates and for what is no number.
pub(super) fn centipawns(number: f64) -> Result<Score, LabelDoubt> {
    let is_evaluation = number.abs() <= MOST_CENTIPAWNS;
    is_evaluation.then(|| Score::Centipawns(number.round() as i32)).ok_or(LabelDoubt::EvaluationScale)
}

/// The score of a table with a column of centipawns and one of moves to mate. [`LabelDoubt::MateCount`] for a mate in 0, which names
/// no side and is none, because the position has a move.
pub(super) fn of_columns(cp: Option<f64>, mate: Option<f64>) -> Result<Score, LabelDoubt> {
    match (cp, mate) {
        (Some(cp), None) if cp.fract() == 0.0 => centipawns(cp),
        // Perhaps pawns.
        (Some(_), None) => Err(LabelDoubt::EvaluationScale),
        (None, Some(0.0)) => Err(LabelDoubt::MateCount),
        (None, Some(moves)) if moves.fract() == 0.0 && moves.abs() <= f64::from(i16::MAX) => {
            Ok(Score::Mate(moves as i32))
        }
        _ => Err(LabelDoubt::UnreadEvaluation),
    }
}

/// The score in White's view as the side to move sees it.
pub(super) fn for_mover(white: Score, turn: Color) -> Score {
    if turn.is_white() { white } else { white.flipped() }
}
