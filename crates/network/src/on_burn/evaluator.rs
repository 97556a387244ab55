//! A trained network on a Burn device, for play.

use burn::tensor::Tensor;
use chess::{Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Heads, encoding::Plane};

use super::{
    forward::{Mode, ParameterTensors, forward},
    inputs, to_vec,
};
use crate::{
    NetworkError, Weights,
    cpu::PREFERRED_BATCH,
    device::BurnDevice,
    inference::{InferenceEncodings, InferenceOutputs},
};

/// Evaluates positions with a network on one device. Equal requests give results that differ by at most 1e-5, whatever
/// the rest of the batch: only the order of additions in matrix products may change with the batch size.
pub(crate) struct NetworkEvaluator {
    description: String,
    encodings: InferenceEncodings,
    parameters: ParameterTensors,
    mode: Mode,
    device: BurnDevice,
}

impl NetworkEvaluator {
    /// Loads a network onto a device.
    pub(crate) fn new(weights: &Weights, device: &BurnDevice) -> Result<Self, NetworkError> {
        let encodings = InferenceEncodings::new(weights)?;
        let architecture = &encodings.architecture;
        let (parameters, statistics) = weights.values();
        let parameters = architecture.list.parameters.iter().zip(parameters);
        let parameters =
            parameters.map(|(shape, values)| device.matrix(values, [shape.rows, shape.columns])).collect();
        let statistics = architecture.list.statistics.iter().zip(statistics);
        let statistics =
            statistics.map(|(shape, values)| device.matrix(values, [2, shape.channels])).collect();
        let shape = architecture.spec.shape_name();
        let description = format!("{} {shape} f32 on {} (burn)", weights.provenance.name, device.kind());
        Ok(Self {
            description,
            encodings,
            parameters,
            mode: Mode::Stored(statistics),
            device: device.clone(),
        })
    }

    fn heads(&self, planes: &[Plane]) -> Result<InferenceOutputs, String> {
        let Self { encodings, parameters, mode, device, .. } = self;
        let planes = inputs::inputs(planes, &encodings.architecture.list, device);
        let outputs = forward(&encodings.architecture, parameters, mode, planes, device);
        let numbers = |output: Option<Tensor<2>>| output.map(to_vec).transpose();
        Ok(InferenceOutputs {
            policy: numbers(outputs.policy)?,
            value: numbers(outputs.value)?,
            moves_left: numbers(outputs.moves_left)?,
        })
    }
}

impl Evaluator for NetworkEvaluator {
    fn describe(&self) -> String {
        self.description.clone()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        self.encodings.evaluate(&self.description, batch, |planes| self.heads(planes))
    }

    fn heads(&self) -> Heads {
        self.encodings.heads()
    }

    fn history(&self) -> usize {
        self.encodings.history()
    }

    /// The preferred batch of the kernels, so that a search is the same on both; not measured on Burn.
    fn preferred_batch(&self) -> usize {
        PREFERRED_BATCH
    }
}
