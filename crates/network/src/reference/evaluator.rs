//! The reference network behind the seam that searches use.

use chess::{Evaluation, EvaluationRequest, Evaluator, EvaluatorError, encoding::Plane};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::{ReferenceNetwork, activation::softmax};

impl Evaluator for ReferenceNetwork {
    fn describe(&self) -> String {
        format!("{}, plain f32 reference", self.name)
    }

    fn history(&self) -> usize {
        self.input.history()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        batch
            .par_iter()
            .map(|request| {
                self.evaluate_one(request).map_err(|reason| EvaluatorError {
                    evaluator: self.describe(),
                    batch: batch.len(),
                    reason,
                })
            })
            .collect()
    }
}

impl ReferenceNetwork {
    fn evaluate_one(&self, request: &EvaluationRequest<'_>) -> Result<Evaluation, String> {
        let mut planes = vec![Plane::default(); self.input.planes()];
        self.input.encode(request.game, &mut planes);
        let output = self.forward(&planes);
        let index = |&chess_move| self.moves.index(request.game.position(), chess_move);
        let mut priors: Vec<f32> =
            request.legal_moves.iter().map(|chess_move| output.policy[index(chess_move)]).collect();
        softmax(&mut priors);
        let wdl = output.wdl;
        let finite = priors.iter().chain(&[wdl.win, wdl.draw, wdl.loss]).all(|value| value.is_finite());
        if !finite {
            return Err(format!("the network's output for {} is not finite", request.game.fen()));
        }
        Ok(Evaluation { wdl, priors, moves_left: output.moves_left })
    }
}
