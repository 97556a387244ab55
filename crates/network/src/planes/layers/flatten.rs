//! Flattening a board to a row of values and the way back, extra numbers that are not on the board, and lc0's dense
//! embedding of the position, which needs both.

use serde::{Deserialize, Serialize};

use super::{Builder, Dense, Export, Kind, Operator, Shape, Unfit, check_within, operation::Operation};
use crate::{
    NetworkError,
    planes::onnx_graph::{Value, integer, integers},
};

/// All values of the board in one row: square by square from a1, and for each square its channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flatten {}

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

/// Appends channels computed by one dense layer from the first planes of the whole board (lc0's *dense
/// embedding*, since BT4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DenseEmbedding {
    /// Number of first channels that it reads: with `lc0-112`, 12 are the pieces on the board. 1 to 1,024.
    pub read: usize,
    /// Number of channels that it adds to each square, 1 to 1,024.
    pub channels: usize,
}

impl Kind for DenseEmbedding {
    fn check(&self) -> Result<(), Unfit> {
        check_within("read", self.read, 1..=1024)?;
        check_within("channels", self.channels, 1..=1024)
    }

    fn append(&self, builder: &mut Builder<'_>, name: &str, input: usize) -> Result<usize, NetworkError> {
        let shape = Shape { channels: self.channels, ..builder.shape(input) };
        let first = builder.add(&format!("{name}.read"), First { count: self.read }, &[input])?;
        let flat = builder.add(&format!("{name}.flat"), Flatten {}, &[first])?;
        let sums = builder.add(&format!("{name}.dense"), Dense::hidden(shape.len()), &[flat])?;
        let board = builder.add(&format!("{name}.board"), Unflatten(shape), &[sums])?;
        builder.add(name, Concatenate, &[input, board])
    }
}

/// The first channels of each square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct First {
    count: usize,
}

impl Operation for First {
    fn describe(&self) -> String {
        format!("the first {} channels", self.count)
    }

    fn shape(&self, inputs: &[Shape]) -> Result<Shape, String> {
        if self.count <= inputs[0].channels {
            return Ok(Shape { channels: self.count, ..inputs[0] });
        }
        Err(format!("at least {} channels", self.count))
    }

    fn onnx(&self, export: &mut Export<'_>) -> Value {
        let source = export.input(0);
        let [from, to, axis] = [("from", 0), ("to", self.count as i64), ("axis", 1)]
            .map(|(bound, at)| export.indices(bound, [at]));
        export.node("Slice", &[source, from, to, axis], Vec::new())
    }

    fn operator(&self) -> Operator {
        Operator::First { count: self.count }
    }
}

/// A row as a board of this shape: the inverse of [`Flatten`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unflatten(pub(super) Shape);

impl Operation for Unflatten {
    fn describe(&self) -> String {
        "a row as a board".into()
    }

    fn shape(&self, inputs: &[Shape]) -> Result<Shape, String> {
        if inputs[0] == Shape::flat(self.0.len()) {
            Ok(self.0)
        } else {
            Err(format!("{} numbers", self.0.len()))
        }
    }

    fn onnx(&self, export: &mut Export<'_>) -> Value {
        let Shape { channels, ranks, files } = self.0;
        let sizes = [-1, ranks as i64, files as i64, channels as i64];
        let source = export.input(0);
        let squares = export.reshape_to("squares", &source, &sizes);
        export.node("Transpose", &[squares], vec![integers("perm", &[0, 3, 1, 2])])
    }

    fn operator(&self) -> Operator {
        let Shape { channels, ranks, files } = self.0;
        Operator::Unflatten { channels, ranks, files }
    }
}

/// The channels of two boards, one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Concatenate;

impl Operation for Concatenate {
    fn describe(&self) -> String {
        "channels of both".into()
    }

    fn shape(&self, inputs: &[Shape]) -> Result<Shape, String> {
        let [first, second] = [inputs[0], inputs[1]];
        if (first.ranks, first.files) == (second.ranks, second.files) {
            return Ok(Shape { channels: first.channels + second.channels, ..first });
        }
        Err("boards of one size".into())
    }

    fn onnx(&self, export: &mut Export<'_>) -> Value {
        let values = [export.input(0), export.input(1)];
        export.node("Concat", &values, vec![integer("axis", 1)])
    }

    fn operator(&self) -> Operator {
        Operator::Concatenation
    }
}
