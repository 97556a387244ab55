//! A trained network on a device of Burn, for play.

use burn::tensor::Tensor;
use chess::{
    Evaluation, EvaluationRequest, Evaluator, EvaluatorError,
    encoding::{InputEncoding, MoveEncoding, Plane},
};

use super::{
    forward::{Mode, Parameters, forward},
    inputs, to_vec,
};
use crate::{
    NetworkError, Weights,
    architecture::PlaneArchitecture,
    device::Device,
    outputs::{PositionValue, softmax},
};

/// Positions that are evaluated together at little more cost each than in a large batch.
const PREFERRED_BATCH: usize = 8;

/// Evaluates positions with a network on one device. Equal requests give answers that differ by at most 1e-5 whatever
/// else is in the batch: only the order of additions inside matrix products may change with its size.
pub(crate) struct NetworkEvaluator {
    description: String,
    architecture: PlaneArchitecture,
    parameters: Parameters,
    mode: Mode,
    input: &'static dyn InputEncoding,
    moves: &'static dyn MoveEncoding,
    device: Device,
}

impl NetworkEvaluator {
    /// Puts a network on a device; `reason` is why not on the kernels.
    ///
    /// # Errors
    /// [`NetworkError::UnknownEncoding`].
    pub(crate) fn new(
        weights: &Weights,
        device: &Device,
        reason: Option<&str>,
    ) -> Result<Self, NetworkError> {
        let architecture = PlaneArchitecture::new(weights.spec.planes()?)?;
        let (parameters, statistics) = weights.values();
        let parameters = architecture.list.parameters.iter().zip(parameters);
        let parameters =
            parameters.map(|(shape, values)| device.matrix(values, [shape.rows, shape.columns])).collect();
        let statistics = architecture.list.statistics.iter().zip(statistics);
        let statistics =
            statistics.map(|(shape, values)| device.matrix(values, [2, shape.channels])).collect();
        let name = &weights.provenance.name;
        let spec = &architecture.spec;
        let shape = spec.shape_name();
        let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
        let description = format!("{name} {shape} f32 on {} (burn{reason})", device.kind());
        let (input, moves) = (spec.input_encoding()?, spec.move_encoding()?);
        let mode = Mode::Stored(statistics);
        Ok(Self { description, architecture, parameters, mode, input, moves, device: device.clone() })
    }

    /// Planes of every requested position.
    fn encode(&self, batch: &[EvaluationRequest<'_>]) -> Vec<Plane> {
        let count = self.architecture.planes;
        let mut planes = vec![Plane::EMPTY; batch.len() * count];
        for (request, planes) in batch.iter().zip(planes.chunks_exact_mut(count)) {
            self.input.encode(request.game, planes);
        }
        planes
    }

    /// Probabilities of the legal moves; all alike where there is no policy.
    fn priors(&self, request: &EvaluationRequest<'_>, logits: Option<&[f32]>) -> Result<Vec<f32>, String> {
        let position = request.game.position();
        let logit = |&chess_move| {
            let Some(logits) = logits else { return Ok(0.0) };
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
        let planes = inputs::inputs(&self.encode(batch), &self.architecture.list, &self.device);
        let outputs = forward(&self.architecture, &self.parameters, &self.mode, planes, &self.device);
        let numbers = |output: Option<Tensor<2>>| output.map(to_vec).transpose();
        let policy = numbers(outputs.policy).map_err(failed)?;
        let value = numbers(outputs.value).map_err(failed)?;
        let moves_left = numbers(outputs.moves_left).map_err(failed)?;
        let (kind, width) = (self.architecture.spec.value.kind, self.architecture.policy_map.width());
        let evaluation = |(board, request): (usize, &EvaluationRequest<'_>)| {
            let logits = policy.as_ref().map(|logits| &logits[board * width..(board + 1) * width]);
            let priors = self.priors(request, logits).map_err(failed)?;
            let numbers = value.as_deref().unwrap_or_default();
            let numbers = &numbers[board * kind.outputs()..(board + 1) * kind.outputs()];
            let wdl = PositionValue::of(kind, numbers).wdl;
            if !(wdl.value().is_finite() && priors.iter().all(|prior| prior.is_finite())) {
                return Err(failed("the network answered with infinite or undefined numbers".into()));
            }
            let moves_left = moves_left.as_ref().map(|plies| plies[board].max(0.0));
            Ok(Evaluation { wdl, priors, moves_left })
        };
        batch.iter().enumerate().map(evaluation).collect()
    }

    fn history(&self) -> usize {
        self.input.history()
    }

    fn preferred_batch(&self) -> usize {
        PREFERRED_BATCH
    }
}
