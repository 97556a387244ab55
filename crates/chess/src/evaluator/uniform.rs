//! The evaluator with constant answers.

use shakmaty::{Chess, Move};

use super::{Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Heads, PositionEvaluator};
use crate::Wdl;

/// Evaluates every position as a draw with equal priors: the baseline of every metric, and the test double of
/// a network.
#[derive(Clone, Copy, Debug, Default)]
pub struct UniformEvaluator;

impl Evaluator for UniformEvaluator {
    fn describe(&self) -> String {
        "uniform: equal priors, every position a draw".into()
    }

    fn heads(&self) -> Heads {
        Heads { policy: false, value: false }
    }

    fn history(&self) -> usize {
        1
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        Ok(batch
            .iter()
            .map(|request| Evaluation {
                wdl: Wdl::DRAW,
                priors: equal_priors(request.legal_moves.len()),
                moves_left: None,
            })
            .collect())
    }

    fn position_evaluator(&self) -> Option<Box<dyn PositionEvaluator + '_>> {
        Some(Box::new(*self))
    }
}

impl PositionEvaluator for UniformEvaluator {
    fn value(&mut self, _position: &Chess) -> Wdl {
        Wdl::DRAW
    }

    fn priors(&mut self, _position: &Chess, legal_moves: &[Move], _temperature: f32, priors: &mut Vec<f32>) {
        fill_equal(legal_moves.len(), priors);
    }
}

pub(super) fn equal_priors(moves: usize) -> Vec<f32> {
    let mut priors = Vec::new();
    fill_equal(moves, &mut priors);
    priors
}

/// Replaces the contents of `priors` with the same probability for each of `moves` moves.
pub(super) fn fill_equal(moves: usize, priors: &mut Vec<f32>) {
    priors.clear();
    priors.resize(moves, 1.0 / moves as f32);
}
