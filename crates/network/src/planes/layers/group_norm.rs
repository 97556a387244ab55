use serde::{Deserialize, Serialize};

use super::{
    Builder, Export, Kind, Operator, Shape,
    batch_norm::affine,
    operation::{NewParameter, Operation},
};
use crate::{
    NetworkError,
    parameter::EPSILON,
    planes::onnx_graph::{Value, float},
};

/// Group normalisation (Wu and He, arXiv 1803.08494): like batch normalisation, but with mean and variance over the squares
/// of each position and a group of neighbouring channels. It is the same in training and in play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupNorm {
    /// Number of groups, all with the same number of channels.
    pub groups: usize,
}

impl Kind for GroupNorm {
    fn append(&self, builder: &mut Builder<'_>, name: &str, input: usize) -> Result<usize, NetworkError> {
        builder.add(name, *self, &[input])
    }
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
        affine(inputs[0].channels)
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
        let sizes = [shape.channels, shape.ranks, shape.files].map(|size| size as i64);
        let sizes = [-1, sizes[0], sizes[1], sizes[2]];
        let normalised = export.reshape_to("normalised", &normalised, &sizes);
        let [scale, shift] = [("scale", 0), ("shift", 1)].map(|(part, number)| {
            let numbers = export.parameter(number);
            export.constant(part, &[1, shape.channels, 1, 1], numbers)
        });
        let scaled = export.step("scaled", "Mul", &[normalised, scale], Vec::new());
        export.node("Add", &[scaled, shift], Vec::new())
    }

    fn operator(&self) -> Operator {
        Operator::GroupNorm { groups: self.groups, epsilon: EPSILON }
    }
}
