use serde::{Deserialize, Serialize};

use super::{
    Builder, Export, Kind, Operator, Shape,
    operation::{NewParameter, Operation},
};
use crate::{NetworkError, parameter::Role, planes::onnx_graph::Value};

/// `x * scale + shift` with a scale and a shift per square and channel: lc0's input gating or, with the shift
/// alone, a learned position embedding for attention.
///
/// # Parameters
/// `scale` and `shift`, `[squares, channels]`, those that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SquareAffine {
    /// True if it multiplies. Default true.
    #[serde(default = "crate::defaults::yes")]
    pub scale: bool,
    /// True if it adds. Default true.
    #[serde(default = "crate::defaults::yes")]
    pub shift: bool,
}

impl Kind for SquareAffine {
    fn append(&self, builder: &mut Builder<'_>, name: &str, input: usize) -> Result<usize, NetworkError> {
        builder.add(name, *self, &[input])
    }
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
        [(self.scale, "scale", Role::Factor), (self.shift, "shift", Role::Bias)]
            .into_iter()
            .filter(|(is_there, ..)| *is_there)
            .map(|(_, kind, role)| NewParameter { kind, role, rows, columns })
            .collect()
    }

    fn onnx(&self, export: &mut Export<'_>) -> Value {
        let shape = export.shapes[0];
        let dims = [1, shape.channels, shape.ranks, shape.files];
        let mut constant = |part: &str, number: usize| {
            let (numbers, squares) = (export.parameter(number), shape.squares());
            let at = |place: usize| numbers[place % squares * shape.channels + place / squares];
            let numbers = (0..shape.len()).map(at).collect();
            export.constant(part, &dims, numbers)
        };
        let scale = self.scale.then(|| constant("scale", 0));
        let shift = self.shift.then(|| constant("shift", usize::from(self.scale)));
        let source = export.input(0);
        match (scale, shift) {
            (Some(scale), Some(shift)) => {
                let scaled = export.step("scaled", "Mul", &[source, scale], Vec::new());
                export.node("Add", &[scaled, shift], Vec::new())
            }
            (Some(scale), None) => export.node("Mul", &[source, scale], Vec::new()),
            (None, Some(shift)) => export.node("Add", &[source, shift], Vec::new()),
            (None, None) => unreachable!("refused as a shape"),
        }
    }

    fn operator(&self) -> Operator {
        Operator::SquareAffine { scale: self.scale, shift: self.shift }
    }
}
