//! A trained network on a device of Burn, for play.

use chess::{
    Evaluation, EvaluationRequest, Evaluator, EvaluatorError,
    encoding::{InputEncoding, MoveEncoding, Plane},
};

use super::{
    forward::{Mode, Parameters, Statistics, forward},
    inputs, to_vec,
};
use crate::{
    NetworkError, Weights,
    architecture::{Architecture, SQUARES},
    device::Device,
    outputs::{softmax, wdl},
};

/// Positions that are evaluated together at little more cost each than in a large batch.
const PREFERRED_BATCH: usize = 8;

/// Evaluates positions with a network on one device. Equal requests give answers that differ by at most 1e-5 whatever
/// else is in the batch: only the order of additions inside matrix products may change with its size.
pub(crate) struct NetworkEvaluator {
    description: String,
    architecture: Architecture,
    parameters: Parameters,
    statistics: Statistics,
    input: &'static dyn InputEncoding,
    moves: &'static dyn MoveEncoding,
    device: Device,
}

impl NetworkEvaluator {
    /// Puts a network on a device.
    ///
    /// # Errors
    /// [`NetworkError::UnknownEncoding`].
    pub(crate) fn new(weights: &Weights, device: &Device) -> Result<Self, NetworkError> {
        let architecture = Architecture::new(&weights.spec)?;
        let (parameters, statistics) = weights.values(&architecture);
        let parameters = architecture.parameters.iter().zip(parameters);
        let parameters =
            parameters.map(|(shape, values)| device.matrix(values, [shape.rows, shape.columns])).collect();
        let statistics = architecture.statistics.iter().zip(statistics);
        let statistics =
            statistics.map(|(shape, values)| device.matrix(values, [2, shape.channels])).collect();
        let name = &weights.provenance.name;
        let spec = &architecture.spec;
        let shape = spec.shape_name();
        let description = format!("{name} {shape} f32 on {} (burn)", device.kind());
        let (input, moves) = (spec.input_encoding()?, spec.move_encoding()?);
        Ok(Self { description, architecture, parameters, statistics, input, moves, device: device.clone() })
    }

    /// Planes of every requested position, `[boards * 64, planes]`.
    fn encode(&self, batch: &[EvaluationRequest<'_>]) -> Vec<f32> {
        let count = self.architecture.planes;
        let mut planes = vec![Plane::EMPTY; batch.len() * count];
        for (request, planes) in batch.iter().zip(planes.chunks_exact_mut(count)) {
            self.input.encode(request.game, planes);
        }
        inputs::planes(&planes, count)
    }

    fn priors(&self, request: &EvaluationRequest<'_>, logits: &[f32]) -> Result<Vec<f32>, String> {
        let position = request.game.position();
        let logit = |&chess_move| {
            let index = self.moves.index(position, chess_move);
            let slot = self.architecture.policy_map.slot(index);
            slot.map(|slot| logits[slot as usize]).ok_or_else(|| format!("policy index {index} fits no move"))
        };
        let mut priors = request.legal_moves.iter().map(logit).collect::<Result<Vec<f32>, String>>()?;
        softmax(&mut priors);
        Ok(priors)
    }
}

impl Evaluator for NetworkEvaluator {
    fn describe(&self) -> String {
        self.description.clone()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        if batch.is_empty() {
            return Ok(Vec::new());
        }
        let failed = |reason: String| EvaluatorError {
            evaluator: self.description.clone(),
            batch: batch.len(),
            reason,
        };
        let shape = [batch.len() * SQUARES, self.architecture.planes];
        let planes = self.device.matrix(self.encode(batch), shape);
        let mode = Mode::Stored(&self.statistics);
        let outputs = forward(&self.architecture, &self.parameters, mode, planes);
        let policy = to_vec(outputs.policy).map_err(failed)?;
        let value = to_vec(outputs.value).map_err(failed)?;
        let moves_left = outputs.moves_left.map(to_vec).transpose().map_err(failed)?;
        let kind = self.architecture.spec.value.kind;
        batch
            .iter()
            .enumerate()
            .zip(policy.chunks_exact(self.architecture.policy_map.width()))
            .zip(value.chunks_exact(kind.outputs()))
            .map(|(((board, request), logits), value)| {
                let priors = self.priors(request, logits).map_err(failed)?;
                let wdl = wdl(kind, value);
                if !(wdl.value().is_finite() && priors.iter().all(|prior| prior.is_finite())) {
                    return Err(failed("the network answered with infinite or undefined numbers".into()));
                }
                let moves_left = moves_left.as_ref().map(|plies| plies[board].max(0.0));
                Ok(Evaluation { wdl, priors, moves_left })
            })
            .collect()
    }

    fn history(&self) -> usize {
        self.input.history()
    }

    fn preferred_batch(&self) -> usize {
        PREFERRED_BATCH
    }
}
