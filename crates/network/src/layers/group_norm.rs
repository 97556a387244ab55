use serde::{Deserialize, Serialize};

use super::{
    Kind, Shape,
    batch_norm::affine,
    operation::{NewParameter, Operation},
};
use crate::{
    NetworkError,
    layers::{Builder, Export, Operator},
    onnx_graph::{Value, float},
    parameter::EPSILON,
};

/// Group normalisation (Wu and He, arXiv 1803.08494): as batch normalisation, with mean and variance of each position's own
/// squares and of some neighbouring channels together. The same in training and in play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupNorm {
    /// Groups of equally many channels.
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
        // ONNX has an operator of that name only in newer versions: instance normalisation of the groups, which has no
        // factors of its own, does the same in all.
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
