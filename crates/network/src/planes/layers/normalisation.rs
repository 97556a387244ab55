//! Normalisations over a batch, over groups of channels and over the channels of a square.

use serde::{Deserialize, Serialize};

use super::{
    Export, Operator, Shape,
    operation::{NewParameter, Operation},
};
use crate::{
    parameter::{EPSILON, Role},
    planes::onnx_graph::{Value, float, integer, integers},
};

/// Batch normalisation (Ioffe and Szegedy, arXiv 1502.03167): `(x - mean) / sqrt(variance + 1e-5) * scale + shift` for each
/// channel. In training, mean and variance are those of the batch; for play, they are measured on training samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BatchNorm {}

/// Scale and shift of a normalisation.
fn affine(scale: Role, channels: usize) -> Vec<NewParameter> {
    vec![NewParameter::row("scale", scale, channels), NewParameter::row("shift", Role::Bias, channels)]
}

/// The normalised values times the scale of each channel, plus its shift.
fn scaled_and_shifted(export: &mut Export<'_>, normalised: Value) -> Value {
    let channels = export.shapes[0].channels;
    let [scale, shift] = [("scale", 0), ("shift", 1)].map(|(part, number)| {
        let numbers = export.parameter(number);
        export.constant(part, &[1, channels, 1, 1], numbers)
    });
    let scaled = export.step("scaled", "Mul", &[normalised, scale], Vec::new());
    export.node("Add", &[scaled, shift], Vec::new())
}

impl Operation for BatchNorm {
    fn describe(&self) -> String {
        "batch normalisation".into()
    }

    fn parameters(&self, inputs: &[Shape]) -> Vec<NewParameter> {
        affine(Role::Scale, inputs[0].channels)
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

/// Group normalisation (Wu and He, arXiv 1803.08494): like batch normalisation, but with mean and variance over the squares
/// of each position and a group of neighbouring channels. It is the same in training and in play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupNorm {
    /// Number of groups, all with the same number of channels.
    pub groups: usize,
}

impl Operation for GroupNorm {
    fn describe(&self) -> String {
        format!("group normalisation of {} groups", self.groups)
    }

    fn shape(&self, inputs: &[Shape]) -> Result<Shape, String> {
        if self.groups > 0 && inputs[0].channels.is_multiple_of(self.groups) {
            return Ok(inputs[0]);
        }
        Err(format!("channels in {} equal groups", self.groups))
    }

    fn parameters(&self, inputs: &[Shape]) -> Vec<NewParameter> {
        affine(Role::Scale, inputs[0].channels)
    }

    fn onnx(&self, export: &mut Export<'_>) -> Value {
        // ONNX has a group normalisation operator only in newer versions. Instance normalisation of the groups, without
        // scale and shift, is equivalent and available in all versions.
        let (shape, groups) = (export.shapes[0], self.groups);
        let [ones, zeros] = [1.0, 0.0].map(|value| vec![value; groups]);
        let source = export.input(0);
        let sizes = [0, groups as i64, -1];
        let grouped = export.reshape_to("groups", &source, &sizes);
        let values =
            [grouped, export.constant("ones", &[groups], ones), export.constant("zeros", &[groups], zeros)];
        let epsilon = vec![float("epsilon", EPSILON)];
        let normalised = export.step("instances", "InstanceNormalization", &values, epsilon);
        let [channels, ranks, files] = shape.sizes().map(|size| size as i64);
        let normalised = export.reshape_to("normalised", &normalised, &[-1, channels, ranks, files]);
        scaled_and_shifted(export, normalised)
    }

    fn operator(&self) -> Operator {
        Operator::GroupNorm { groups: self.groups, epsilon: EPSILON }
    }
}

/// Layer normalisation (Ba, Kiros and Hinton, arXiv 1607.06450): like batch normalisation, but with mean and variance over the channels of
/// each square. It is the same in training and in play.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LayerNorm {
    /// Added to the variance. Default 1e-5.
    #[serde(default = "epsilon")]
    pub epsilon: f32,
}

fn epsilon() -> f32 {
    EPSILON
}

impl LayerNorm {
    /// With this epsilon, or the default one.
    pub(crate) fn or_default(epsilon: Option<f32>) -> Self {
        Self { epsilon: epsilon.unwrap_or(EPSILON) }
    }
}

impl Operation for LayerNorm {
    fn describe(&self) -> String {
        "layer normalisation".into()
    }

    fn shape(&self, inputs: &[Shape]) -> Result<Shape, String> {
        if self.epsilon > 0.0 && self.epsilon <= 0.1 {
            return Ok(inputs[0]);
        }
        Err("an epsilon above 0 to 0.1".into())
    }

    fn parameters(&self, inputs: &[Shape]) -> Vec<NewParameter> {
        affine(Role::Factor, inputs[0].channels)
    }

    fn onnx(&self, export: &mut Export<'_>) -> Value {
        // ONNX has the operator only in newer versions.
        let source = export.input(0);
        let over_channels = vec![integers("axes", &[1]), integer("keepdims", 1)];
        let mean = export.step("mean", "ReduceMean", std::slice::from_ref(&source), over_channels.clone());
        let centred = export.step("centred", "Sub", &[source, mean], Vec::new());
        let squares = export.step("squares", "Mul", &[centred.clone(), centred.clone()], Vec::new());
        let variance = export.step("variance", "ReduceMean", &[squares], over_channels);
        let epsilon = export.constant("epsilon", &[1], vec![self.epsilon]);
        let variance = export.step("raised", "Add", &[variance, epsilon], Vec::new());
        let deviation = export.step("deviation", "Sqrt", &[variance], Vec::new());
        let normalised = export.step("normalised", "Div", &[centred, deviation], Vec::new());
        scaled_and_shifted(export, normalised)
    }

    fn operator(&self) -> Operator {
        Operator::LayerNorm { epsilon: self.epsilon }
    }
}
