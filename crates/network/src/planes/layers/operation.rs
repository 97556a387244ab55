//! The implementation of a kind of layer: its shape and parameters, and its arithmetic as an ONNX operator and as an
//! [`Operator`].

use std::fmt;

use super::{Operator, Shape};
use crate::{
    parameter::Role,
    planes::onnx_graph::{Attribute, GraphBuilder, Value},
};

/// One step of a network's computation.
pub(crate) trait Operation: fmt::Debug + Send + Sync {
    /// A human-readable description, such as `convolution 5x5, stride 2`.
    fn describe(&self) -> String;

    /// The shape of the output, by default that of the first input. The error describes the accepted input shapes.
    fn shape(&self, inputs: &[Shape]) -> Result<Shape, String> {
        Ok(inputs[0])
    }

    /// The parameters, in their order in the architecture.
    fn parameters(&self, _inputs: &[Shape]) -> Vec<NewParameter> {
        Vec::new()
    }

    /// Number of channels for which it needs mean and variance: over the batch in training, over training samples in
    /// play.
    fn statistics(&self, _inputs: &[Shape]) -> Option<usize> {
        None
    }

    /// Its output as a value of an ONNX graph.
    ///
    /// # Shapes
    /// Inputs and output `[batch, channels, ranks, files]`.
    fn onnx(&self, export: &mut Export<'_>) -> Value;

    /// The computation, for consumers that build the network from their own layers: the kernels and other
    /// programs.
    fn operator(&self) -> Operator;
}

/// A parameter that an operation requires; every parameter is a matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NewParameter {
    /// `weight`, `bias`, `scale` or `shift`.
    pub(crate) kind: &'static str,
    pub(crate) role: Role,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
}

impl NewParameter {
    pub(crate) fn row(kind: &'static str, role: Role, columns: usize) -> Self {
        Self { kind, role, rows: 1, columns }
    }
}

/// One layer that is being written as operators. Values and constants are named after it.
pub(crate) struct Export<'a> {
    pub(crate) builder: &'a mut GraphBuilder,
    pub(crate) name: &'a str,
    pub(crate) inputs: Vec<Value>,
    pub(crate) parameters: &'a [Vec<f32>],
    pub(crate) shapes: Vec<Shape>,
    /// Mean and variance, `[2][channels]`, of a layer that has them.
    pub(crate) statistics: &'a [f32],
}

impl Export<'_> {
    /// A value that the layer reads.
    pub(crate) fn input(&self, number: usize) -> Value {
        self.inputs[number].clone()
    }

    /// The values of one of the layer's parameters.
    pub(crate) fn parameter(&self, number: usize) -> Vec<f32> {
        self.parameters[number].clone()
    }

    /// Adds a constant tensor.
    pub(crate) fn constant(&mut self, part: &str, dims: &[usize], values: Vec<f32>) -> Value {
        self.builder.floats(&format!("{}.{part}", self.name), dims, values)
    }

    pub(crate) fn indices(&mut self, part: &str, values: impl IntoIterator<Item = i64>) -> Value {
        self.builder.integers(&format!("{}.{part}", self.name), values)
    }

    /// Adds an operator before the last.
    pub(crate) fn step(&mut self, part: &str, op: &str, inputs: &[Value], settings: Vec<Attribute>) -> Value {
        let inputs: Vec<&Value> = inputs.iter().collect();
        self.builder.node_with(op, &format!("{}.{part}", self.name), &inputs, settings)
    }

    /// Adds the last operator, whose value is the layer's output.
    pub(crate) fn node(&mut self, op: &str, inputs: &[Value], settings: Vec<Attribute>) -> Value {
        let inputs: Vec<&Value> = inputs.iter().collect();
        self.builder.node_with(op, self.name, &inputs, settings)
    }

    /// Reshapes a value; size 0 keeps a dimension, -1 infers it from the rest.
    pub(crate) fn reshape_to(&mut self, part: &str, value: &Value, sizes: &[i64]) -> Value {
        let sizes = self.indices(&format!("{part}.shape"), sizes.iter().copied());
        self.step(part, "Reshape", &[value.clone(), sizes], Vec::new())
    }

    pub(crate) fn reshape(&mut self, value: &Value, shape: Shape) -> Value {
        let sizes = shape.sizes().map(|size| size as i64);
        let sizes = self.indices("shape", std::iter::once(-1).chain(sizes));
        self.node("Reshape", &[value.clone(), sizes], Vec::new())
    }
}
