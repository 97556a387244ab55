//! Values and priors of single positions, of any evaluator.

use chess::{
    CastlingMode, Chess, Evaluation, Evaluator, EvaluatorError, Game, Move, PlayerRatings, Position as _,
    PositionEvaluator, Wdl,
};

use crate::evaluate::evaluate_one;

/// An evaluator as the search calls it: one position at a time, without the game before it.
pub(super) enum Values<'a> {
    Single(Box<dyn PositionEvaluator + 'a>),
    Batches(Batches<'a>),
}

/// An evaluator of batches, which are batches of one here.
pub(super) struct Batches<'a> {
    evaluator: &'a dyn Evaluator,
    ratings: PlayerRatings,
    /// The first error that the evaluator gave.
    failure: Option<EvaluatorError>,
}

impl<'a> Values<'a> {
    /// The evaluator's values in a game of players of these ratings.
    pub(super) fn of(evaluator: &'a dyn Evaluator, ratings: PlayerRatings) -> Self {
        evaluator
            .position_evaluator()
            .map_or(Self::Batches(Batches { evaluator, ratings, failure: None }), Self::Single)
    }

    pub(super) fn value(&mut self, position: &Chess) -> Wdl {
        match self {
            Self::Single(evaluator) => evaluator.static_value(position),
            Self::Batches(batches) => {
                let found = batches.evaluate(position, &position.legal_moves());
                found.map_or(Wdl::DRAW, |evaluation| evaluation.wdl)
            }
        }
    }

    /// Replaces the contents of `priors` by those of `legal_moves`.
    pub(super) fn priors(&mut self, position: &Chess, legal_moves: &[Move], priors: &mut Vec<f32>) {
        match self {
            Self::Single(evaluator) => evaluator.priors(position, legal_moves, 1.0, priors),
            Self::Batches(batches) => {
                *priors = batches.evaluate(position, legal_moves).map_or_else(
                    || vec![1.0 / legal_moves.len() as f32; legal_moves.len()],
                    |evaluation| evaluation.priors,
                );
            }
        }
    }

    /// True if the evaluator gave an error: what the search finds after it is worth nothing.
    pub(super) fn has_failed(&self) -> bool {
        matches!(self, Self::Batches(Batches { failure: Some(_), .. }))
    }

    pub(super) fn take_failure(&mut self) -> Option<EvaluatorError> {
        match self {
            Self::Single(_) => None,
            Self::Batches(batches) => batches.failure.take(),
        }
    }
}

impl Batches<'_> {
    /// The evaluation; `None` if the evaluator fails, now or before, or if there is no legal move.
    fn evaluate(&mut self, position: &Chess, legal_moves: &[Move]) -> Option<Evaluation> {
        if self.failure.is_some() || legal_moves.is_empty() {
            return None;
        }
        let game = Game::from_position(position.clone(), CastlingMode::Chess960).with_ratings(self.ratings);
        match evaluate_one(self.evaluator, &game, legal_moves) {
            Ok(evaluation) => Some(evaluation),
            Err(error) => {
                self.failure = Some(error);
                None
            }
        }
    }
}
