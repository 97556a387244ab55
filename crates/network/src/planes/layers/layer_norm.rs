use serde::{Deserialize, Serialize};

use super::{
    Builder, Export, Kind, Operator, Shape,
    operation::{NewParameter, Operation},
};
use crate::{
    NetworkError,
    parameter::{EPSILON, Role},
    planes::onnx_graph::{Value, integer, integers},
};

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

impl Kind for LayerNorm {
    fn append(&self, builder: &mut Builder<'_>, name: &str, input: usize) -> Result<usize, NetworkError> {
        builder.add(name, *self, &[input])
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
        let channels = inputs[0].channels;
        vec![
            NewParameter::row("scale", Role::Factor, channels),
            NewParameter::row("shift", Role::Bias, channels),
        ]
    }

    fn onnx(&self, export: &mut Export<'_>) -> Value {
        // ONNX has the operator only in newer versions.
        let (channels, source) = (export.shapes[0].channels, export.input(0));
        let over_channels = || vec![integers("axes", &[1]), integer("keepdims", 1)];
        let mean = export.step("mean", "ReduceMean", std::slice::from_ref(&source), over_channels());
        let centred = export.step("centred", "Sub", &[source, mean], Vec::new());
        let squares = export.step("squares", "Mul", &[centred.clone(), centred.clone()], Vec::new());
        let variance = export.step("variance", "ReduceMean", &[squares], over_channels());
        let epsilon = export.constant("epsilon", &[1], vec![self.epsilon]);
        let variance = export.step("raised", "Add", &[variance, epsilon], Vec::new());
        let deviation = export.step("deviation", "Sqrt", &[variance], Vec::new());
        let normalised = export.step("normalised", "Div", &[centred, deviation], Vec::new());
        let [scale, shift] = [("scale", 0), ("shift", 1)].map(|(part, number)| {
            let numbers = export.parameter(number);
            export.constant(part, &[1, channels, 1, 1], numbers)
        });
        let scaled = export.step("scaled", "Mul", &[normalised, scale], Vec::new());
        export.node("Add", &[scaled, shift], Vec::new())
    }

    fn operator(&self) -> Operator {
        Operator::LayerNorm { epsilon: self.epsilon }
    }
}
