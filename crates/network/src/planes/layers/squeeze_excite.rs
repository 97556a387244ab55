use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{Builder, Dense, Export, Kind, Operator, Pool, Shape, Unfit, check_within, operation::Operation};
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
    fn check(&self) -> Result<(), Unfit> {
        check_within("hidden", self.hidden, 1..=4096)
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
        let scale = channels_of(export, "scale", &gates, 0..channels);
        let shift = channels_of(export, "shift", &gates, channels..2 * channels);
        let factor = export.step("factor", "Sigmoid", &[scale], Vec::new());
        let scaled = export.step("scaled", "Mul", &[source, factor], Vec::new());
        export.node("Add", &[scaled, shift], Vec::new())
    }

    fn operator(&self) -> Operator {
        Operator::Gate
    }
}

/// Some channels of a value.
fn channels_of(export: &mut Export<'_>, part: &str, value: &Value, channels: Range<i64>) -> Value {
    let [from, to, axis] = [("from", channels.start), ("to", channels.end), ("axis", 1)]
        .map(|(bound, at)| export.indices(&format!("{part}.{bound}"), [at]));
    export.step(part, "Slice", &[value.clone(), from, to, axis], Vec::new())
}
