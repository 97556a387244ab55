//! Values and priors of single positions, of any evaluator.

use chess::{
    CastlingMode, Chess, Evaluation, Evaluator, EvaluatorError, Game, Move, Position as _, PositionEvaluator,
    Wdl,
};

use crate::evaluate::evaluate_one;

/// An evaluator as the search asks it: one position at a time, without the game before it.
pub(super) enum Values<'a> {
    Single(Box<dyn PositionEvaluator + 'a>),
    /// An evaluator of batches, which are batches of one here, and the first error that it gave.
    Batches(&'a dyn Evaluator, Option<EvaluatorError>),
}

impl<'a> Values<'a> {
    pub(super) fn of(evaluator: &'a dyn Evaluator) -> Self {
        evaluator.position_evaluator().map_or(Self::Batches(evaluator, None), Self::Single)
    }

    pub(super) fn value(&mut self, position: &Chess) -> Wdl {
        match self {
            Self::Single(evaluator) => evaluator.static_value(position),
            Self::Batches(evaluator, failed) => {
                let asked = ask(*evaluator, failed, position, &position.legal_moves());
                asked.map_or(Wdl::DRAW, |evaluation| evaluation.wdl)
            }
        }
    }

    /// Replaces the contents of `priors` by those of `legal_moves`.
    pub(super) fn priors(&mut self, position: &Chess, legal_moves: &[Move], priors: &mut Vec<f32>) {
        match self {
            Self::Single(evaluator) => evaluator.priors(position, legal_moves, 1.0, priors),
            Self::Batches(evaluator, failed) => {
                *priors = ask(*evaluator, failed, position, legal_moves).map_or_else(
                    || vec![1.0 / legal_moves.len() as f32; legal_moves.len()],
                    |evaluation| evaluation.priors,
                );
            }
        }
    }

    /// True if the evaluator gave an error: what the search finds after it is worth nothing.
    pub(super) fn has_failed(&self) -> bool {
        matches!(self, Self::Batches(_, Some(_)))
    }

    pub(super) fn take_failure(&mut self) -> Option<EvaluatorError> {
        match self {
            Self::Single(_) => None,
            Self::Batches(_, failed) => failed.take(),
        }
    }
}

/// The evaluation, unless the evaluator fails, now or before.
fn ask(
    evaluator: &dyn Evaluator,
    failed: &mut Option<EvaluatorError>,
    position: &Chess,
    legal_moves: &[Move],
) -> Option<Evaluation> {
    if failed.is_some() || legal_moves.is_empty() {
        return None;
    }
    let game = Game::from_position(position.clone(), CastlingMode::Chess960);
    match evaluate_one(evaluator, &game, legal_moves) {
        Ok(evaluation) => Some(evaluation),
        Err(error) => {
            *failed = Some(error);
            None
        }
    }
}
