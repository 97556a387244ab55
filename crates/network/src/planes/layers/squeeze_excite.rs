use serde::{Deserialize, Serialize};

use super::{Builder, Dense, Export, Kind, Operator, Pool, Shape, operation::Operation};
use crate::{NetworkError, planes::onnx_graph::Value};

/// Scales each channel by a function of the whole board (Hu et al., arXiv 1709.01507) and, as in lc0, adds a second such
/// function: mean over the board, dense, activation, dense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SqueezeExciteUnit {
    /// Number of units in the hidden dense layer.
    pub hidden: usize,
}

impl Kind for SqueezeExciteUnit {
    fn check(&self) -> Result<(), (&'static str, usize, &'static str)> {
        if (1..=4096).contains(&self.hidden) { Ok(()) } else { Err(("hidden", self.hidden, "1 to 4096")) }
    }

    fn append(&self, builder: &mut Builder<'_>, name: &str, input: usize) -> Result<usize, NetworkError> {
        let parts = ["squeeze", "excite"].map(|part| format!("{name}.{part}"));
        self.append_as(builder, name, parts, input)
    }
}

impl SqueezeExciteUnit {
    /// Appends the unit; the second element of the names is for the two dense layers.
    pub(crate) fn append_as(
        self,
        builder: &mut Builder<'_>,
        name: &str,
        [squeeze, excite]: [String; 2],
        input: usize,
    ) -> Result<usize, NetworkError> {
        let channels = builder.shape(input).channels;
        let mean = builder.add(&format!("{name}.mean"), Pool::MEAN, &[input])?;
        let hidden = builder.add(&squeeze, Dense::hidden(self.hidden), &[mean])?;
        let hidden = builder.add(&format!("{squeeze}.activated"), builder.activation, &[hidden])?;
        let gates = builder.add(&excite, Dense::output(2 * channels), &[hidden])?;
        builder.add(name, Gate, &[input, gates])
    }
}

/// `x * sigmoid(first half of the gates) + second half`, for each channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Gate;

impl Operation for Gate {
    fn describe(&self) -> String {
        "gate of squeeze-and-excitation".into()
    }

    fn shape(&self, inputs: &[Shape]) -> Result<Shape, String> {
        if inputs[1] == Shape::flat(2 * inputs[0].channels) {
            return Ok(inputs[0]);
        }
        Err("two numbers for each channel".into())
    }

    fn onnx(&self, export: &mut Export<'_>) -> Value {
        let (channels, gates, source) = (export.shapes[0].channels as i64, export.input(1), export.input(0));
        let mut half = |part: &str, start: i64| {
            let bounds = [("from", start), ("to", start + channels), ("axis", 1)];
            let bounds = bounds.map(|(bound, at)| export.indices(&format!("{part}.{bound}"), [at]));
            let values: Vec<Value> = std::iter::once(gates.clone()).chain(bounds).collect();
            export.step(part, "Slice", &values, Vec::new())
        };
        let (scale, shift) = (half("scale", 0), half("shift", channels));
        let factor = export.step("factor", "Sigmoid", &[scale], Vec::new());
        let scaled = export.step("scaled", "Mul", &[source, factor], Vec::new());
        export.node("Add", &[scaled, shift], Vec::new())
    }

    fn operator(&self) -> Operator {
        Operator::Gate
    }
}
