//! The evaluator that knows nothing.

use super::{Evaluation, EvaluationRequest, Evaluator, EvaluatorError};
use crate::Wdl;

/// Calls every position a draw and every move equally likely: the baseline of every metric, and the double that lets a
/// search be tested without a network.
#[derive(Clone, Copy, Debug, Default)]
pub struct UniformEvaluator;

impl Evaluator for UniformEvaluator {
    fn describe(&self) -> String {
        "uniform: equal priors, every position a draw".into()
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
}

/// The same probability for each of `moves` moves.
pub(super) fn equal_priors(moves: usize) -> Vec<f32> {
    vec![1.0 / moves as f32; moves]
}
