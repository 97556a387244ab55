//! The implementation of a kind of layer: its shape and parameters, and its arithmetic as an ONNX operator and as an
//! [`Operator`].

use std::fmt;

use super::{Export, Operator, Shape};
use crate::{parameter::Role, planes::onnx_graph::Value};

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
