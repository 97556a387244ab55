//! Flattening a board to a row of values, and the extra numbers that are not on the board.

use serde::{Deserialize, Serialize};

use super::{Builder, Export, Kind, Operator, Shape, embedding::Concatenate, operation::Operation};
use crate::{
    NetworkError,
    planes::onnx_graph::{Value, integers},
};

/// All values of the board in one row: square by square from a1, and for each square its channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flatten {}

impl Kind for Flatten {
    fn append(&self, builder: &mut Builder<'_>, name: &str, input: usize) -> Result<usize, NetworkError> {
        builder.add(name, *self, &[input])
    }
}

impl Operation for Flatten {
    fn describe(&self) -> String {
        "flatten".into()
    }

    fn shape(&self, inputs: &[Shape]) -> Result<Shape, String> {
        Ok(Shape::flat(inputs[0].len()))
    }

    fn onnx(&self, export: &mut Export<'_>) -> Value {
        let source = export.input(0);
        let squares = export.step("squares", "Transpose", &[source], vec![integers("perm", &[0, 2, 3, 1])]);
        export.reshape(&squares, Shape::flat(export.shapes[0].len()))
    }

    fn operator(&self) -> Operator {
        Operator::Flatten
    }
}

/// Appends the input's extra numbers (`numbers` of the network) to the output of the previous layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Numbers {}

impl Kind for Numbers {
    fn append(&self, builder: &mut Builder<'_>, name: &str, input: usize) -> Result<usize, NetworkError> {
        let numbers = builder.numbers(name)?;
        builder.add(name, *self, &[input, numbers])
    }
}

impl Operation for Numbers {
    fn describe(&self) -> String {
        "numbers".into()
    }

    fn shape(&self, inputs: &[Shape]) -> Result<Shape, String> {
        if inputs[0].is_flat() {
            return Ok(Shape::flat(inputs[0].channels + inputs[1].channels));
        }
        Err("numbers without squares: a flatten or global pooling layer before it".into())
    }

    fn onnx(&self, export: &mut Export<'_>) -> Value {
        Concatenate.onnx(export)
    }

    fn operator(&self) -> Operator {
        Concatenate.operator()
    }
}
