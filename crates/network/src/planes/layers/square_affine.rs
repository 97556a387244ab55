use serde::{Deserialize, Serialize};

use super::{
    Export, Operator, Shape,
    operation::{NewParameter, Operation},
};
use crate::{parameter::Role, planes::onnx_graph::Value};

/// `x * scale + shift` with a scale and a shift per square and channel: lc0's input gating or, with the shift
/// alone, a learned position embedding for attention.
///
/// # Parameters
/// `scale` and `shift`, `[squares, channels]`, those that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SquareAffine {
    /// True if it multiplies. Default true.
    #[serde(default = "crate::spec::yes")]
    pub scale: bool,
    /// True if it adds. Default true.
    #[serde(default = "crate::spec::yes")]
    pub shift: bool,
}

impl Operation for SquareAffine {
    fn describe(&self) -> String {
        let words = match (self.scale, self.shift) {
            (true, true) => "scale and shift",
            (true, false) => "scale",
            _ => "shift",
        };
        format!("{words} of each square")
    }

    fn shape(&self, inputs: &[Shape]) -> Result<Shape, String> {
        if self.scale || self.shift { Ok(inputs[0]) } else { Err("a scale or a shift".into()) }
    }

    fn parameters(&self, inputs: &[Shape]) -> Vec<NewParameter> {
        let (rows, columns) = (inputs[0].squares(), inputs[0].channels);
        let mut parameters = Vec::new();
        if self.scale {
            parameters.push(NewParameter { kind: "scale", role: Role::Factor, rows, columns });
        }
        if self.shift {
            parameters.push(NewParameter { kind: "shift", role: Role::Bias, rows, columns });
        }
        parameters
    }

    fn onnx(&self, export: &mut Export<'_>) -> Value {
        let mut value = export.input(0);
        if self.scale {
            let scale = constant(export, "scale", 0);
            if !self.shift {
                return export.node("Mul", &[value, scale], Vec::new());
            }
            value = export.step("scaled", "Mul", &[value, scale], Vec::new());
        }
        let shift = constant(export, "shift", usize::from(self.scale));
        export.node("Add", &[value, shift], Vec::new())
    }

    fn operator(&self) -> Operator {
        Operator::SquareAffine { scale: self.scale, shift: self.shift }
    }
}

/// A parameter of the layer, `[squares, channels]`, as a constant `[1, channels, ranks, files]`.
fn constant(export: &mut Export<'_>, part: &str, number: usize) -> Value {
    let (shape, ours) = (export.shapes[0], export.parameter(number));
    let mut numbers = Vec::with_capacity(ours.len());
    for channel in 0..shape.channels {
        numbers.extend(ours.iter().skip(channel).step_by(shape.channels));
    }
    export.constant(part, &[1, shape.channels, shape.ranks, shape.files], numbers)
}
