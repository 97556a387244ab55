use serde::{Deserialize, Serialize};

use super::{
    Builder, Export, Kind, Operator, Shape,
    operation::{NewParameter, Operation},
};
use crate::{
    NetworkError,
    parameter::{EPSILON, Role},
    planes::onnx_graph::{Value, float},
};

/// Batch normalisation (Ioffe and Szegedy, arXiv 1502.03167): `(x - mean) / sqrt(variance + 1e-5) * scale + shift` for each
/// channel. In training, mean and variance are those of the batch; for play, they are measured on training samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BatchNorm {}

impl Kind for BatchNorm {
    fn append(&self, builder: &mut Builder<'_>, name: &str, input: usize) -> Result<usize, NetworkError> {
        builder.add(name, *self, &[input])
    }
}

/// Scale and shift of a normalisation.
pub(super) fn affine(channels: usize) -> Vec<NewParameter> {
    vec![NewParameter::row("scale", Role::Scale, channels), NewParameter::row("shift", Role::Bias, channels)]
}

impl Operation for BatchNorm {
    fn describe(&self) -> String {
        "batch normalisation".into()
    }

    fn parameters(&self, inputs: &[Shape]) -> Vec<NewParameter> {
        affine(inputs[0].channels)
    }

    fn statistics(&self, inputs: &[Shape]) -> Option<usize> {
        Some(inputs[0].channels)
    }

    fn onnx(&self, export: &mut Export<'_>) -> Value {
        let channels = export.shapes[0].channels;
        let (mean, variance) = export.statistics.split_at(channels);
        let constants = [
            ("scale", export.parameter(0)),
            ("shift", export.parameter(1)),
            ("mean", mean.to_vec()),
            ("variance", variance.to_vec()),
        ];
        let mut values = vec![export.input(0)];
        values.extend(constants.map(|(part, numbers)| export.constant(part, &[channels], numbers)));
        export.node("BatchNormalization", &values, vec![float("epsilon", EPSILON)])
    }

    fn operator(&self) -> Operator {
        Operator::BATCH_NORM
    }
}
