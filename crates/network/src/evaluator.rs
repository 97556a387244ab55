//! A trained network as an [`Evaluator`]: which implementation computes it, and the one that runs on Burn.

use std::{path::Path, sync::Arc};

use burn::tensor::Tensor;
use chess::{
    Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Wdl,
    encoding::{InputEncoding, MoveEncoding, Plane},
};

use crate::{
    CpuNetwork, CpuOptions, NetworkError, Weights,
    architecture::Architecture,
    board_ops::SQUARES,
    device::{Device, DeviceKind},
    inputs,
    model::{Frozen, Parameters, Statistics},
    spec::ValueKind,
};

/// Positions that the CPU backend evaluates together at little more cost each than a large batch.
const PREFERRED_BATCH: usize = 8;

/// Opens a weights file, ours or lc0's, for play.
///
/// # Errors
/// As [`Weights::read`] and [`CpuNetwork::new`].
pub fn open(path: &Path, device: &Device, options: CpuOptions) -> Result<Arc<dyn Evaluator>, NetworkError> {
    from_weights(&Weights::read(path)?, device, options)
}

/// Opens the bytes of a weights file for play: the network that is built into the program.
///
/// # Errors
/// As [`Weights::from_bytes`] and [`CpuNetwork::new`].
pub fn from_bytes(
    bytes: &[u8],
    device: &Device,
    options: CpuOptions,
) -> Result<Arc<dyn Evaluator>, NetworkError> {
    from_weights(&Weights::from_bytes(bytes, "built-in network")?, device, options)
}

/// On the CPU a network runs on this program's own kernels, on a GPU on Burn.
fn from_weights(
    weights: &Weights,
    device: &Device,
    options: CpuOptions,
) -> Result<Arc<dyn Evaluator>, NetworkError> {
    Ok(match device.kind() {
        DeviceKind::Cpu => Arc::new(CpuNetwork::from_weights(weights, options)?),
        _ => Arc::new(NetworkEvaluator::new(weights, device)?),
    })
}

/// Evaluates positions with a network on one device. Equal requests give answers that differ by at most 1e-5 whatever
/// else is in the batch: only the order of additions inside matrix products may change with its size.
pub struct NetworkEvaluator {
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
    pub fn new(weights: &Weights, device: &Device) -> Result<Self, NetworkError> {
        let architecture = Architecture::new(&weights.spec)?;
        let (parameters, statistics) = weights.tensors(&architecture, device);
        Self::from_parts(&weights.provenance.name, architecture, parameters, statistics, device)
    }

    pub(crate) fn from_parts(
        name: &str,
        architecture: Architecture,
        parameters: Parameters,
        statistics: Statistics,
        device: &Device,
    ) -> Result<Self, NetworkError> {
        let spec = &architecture.spec;
        let shape = spec.shape_name();
        let description = format!("{name} {shape} f32 on {} (burn)", device.kind());
        let (input, moves) = (spec.input_encoding()?, spec.move_encoding()?);
        Ok(Self { description, architecture, parameters, statistics, input, moves, device: device.clone() })
    }

    /// Planes of every requested position, `[boards * 64, planes]`.
    fn encode(&self, batch: &[EvaluationRequest<'_>]) -> Vec<f32> {
        let count = self.architecture.planes;
        let mut board = vec![Plane::EMPTY; count];
        let mut masks = Vec::with_capacity(batch.len() * count);
        let mut values = Vec::with_capacity(batch.len() * count);
        for request in batch {
            self.input.encode(request.game, &mut board);
            masks.extend(board.iter().map(|plane| plane.mask));
            values.extend(board.iter().map(|plane| plane.value));
        }
        inputs::planes(&masks, &values, count)
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
        let Self { architecture, parameters, statistics, device, .. } = self;
        let outputs = Frozen { architecture, parameters, statistics, device }.run(planes);
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

/// The value head's numbers as probabilities. A scalar head says nothing about draws: its expected result is split
/// between win and loss.
pub(crate) fn wdl(kind: ValueKind, output: &[f32]) -> Wdl {
    match kind {
        ValueKind::Wdl => {
            let mut probabilities = [output[0], output[1], output[2]];
            softmax(&mut probabilities);
            let [win, draw, loss] = probabilities;
            Wdl { win, draw, loss }
        }
        ValueKind::Scalar => {
            let expected = output[0].tanh();
            Wdl { win: 0.5 + 0.5 * expected, draw: 0.0, loss: 0.5 - 0.5 * expected }
        }
    }
}

/// Logits to probabilities, in place.
pub(crate) fn softmax(logits: &mut [f32]) {
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for logit in logits.iter_mut() {
        *logit = (*logit - largest).exp();
        sum += *logit;
    }
    for logit in logits.iter_mut() {
        *logit /= sum;
    }
}

pub(crate) fn to_vec(tensor: Tensor<2>) -> Result<Vec<f32>, String> {
    tensor.try_into_vec_as::<f32>().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
