//! An evaluator for law suites whose values differ between positions and whose priors differ between moves.

use shakmaty::{CastlingMode, Color, Move};

use super::games::flipped_position;
use crate::{
    Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Fnv1a, Wdl, evaluator::material_balance,
    position_key, split_mix::mix,
};

/// Material with a little noise for the value, and noise for the priors, which look like a network's: hardly any two values or
/// priors are equal. The noise comes from position and move as the mover sees them, so a game and its colour-flipped twin have the
/// same noise.
#[derive(Clone, Copy, Debug, Default)]
pub struct HashedEvaluator;

impl Evaluator for HashedEvaluator {
    fn describe(&self) -> String {
        "hashed: material and noise".into()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        Ok(batch.iter().map(evaluation).collect())
    }

    fn history(&self) -> usize {
        1
    }

    fn preferred_batch(&self) -> usize {
        8
    }
}

fn evaluation(request: &EvaluationRequest<'_>) -> Evaluation {
    let (position, turn) = (request.game.position(), request.game.turn());
    let key = match turn {
        Color::White => position_key(position),
        Color::Black => position_key(&flipped_position(position, request.game.castling_mode())),
    };
    // From -1 to 1, at most 0.15 of it noise.
    let pawns = material_balance(position) as f32 + noise(key) as f32 / MOST as f32 - 0.5;
    let value = pawns / (pawns.abs() + 3.0);
    let draw = 0.5 * (1.0 - value.abs());
    let weights: Vec<u64> =
        request.legal_moves.iter().map(|&chess_move| noise(key ^ move_key(chess_move, turn))).collect();
    // Whole numbers, whose sum does not depend on the order of the moves.
    let total: u64 = weights.iter().sum();
    Evaluation {
        wdl: Wdl { win: (1.0 - draw + value) * 0.5, draw, loss: (1.0 - draw - value) * 0.5 },
        priors: weights.into_iter().map(|weight| weight as f32 / total as f32).collect(),
        moves_left: None,
    }
}

/// The key of a move as its mover sees it.
fn move_key(chess_move: Move, turn: Color) -> u64 {
    let seen = if turn.is_white() { chess_move } else { chess_move.to_mirrored() };
    let mut hash = Fnv1a::default();
    hash.add(seen.to_uci(CastlingMode::Chess960).to_string().as_bytes());
    hash.get()
}

/// The largest noise. Chosen: `f32` holds every whole number up to it.
const MOST: u64 = 1 << 24;

/// A number from 1 to [`MOST`].
fn noise(seed: u64) -> u64 {
    mix(seed) % MOST + 1
}
