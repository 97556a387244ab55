//! Builds an ONNX graph node by node; every value is named after the layer that computes it.

mod message;

use self::message::{Dimension, DimensionValue, Shape, TensorType, Type, ValueInfo};

pub(crate) use message::{Attribute, Entry, Graph, MODEL, Model, Node, OperatorSet, Tensor};

/// The name of a value in the graph.
pub(crate) type Value = String;

#[derive(Default)]
pub(crate) struct GraphBuilder {
    graph: Graph,
}

impl GraphBuilder {
    /// Adds an operator with one output and returns that output's name.
    pub(crate) fn node(&mut self, op: &str, name: &str, inputs: &[&Value]) -> Value {
        self.node_with(op, name, inputs, Vec::new())
    }

    /// Adds an operator with attributes.
    pub(crate) fn node_with(
        &mut self,
        op: &str,
        name: &str,
        inputs: &[&Value],
        attribute: Vec<Attribute>,
    ) -> Value {
        self.graph.node.push(Node {
            input: inputs.iter().map(|input| (*input).clone()).collect(),
            output: vec![name.into()],
            name: name.into(),
            op_type: op.into(),
            attribute,
        });
        name.into()
    }

    /// Adds a constant of floats.
    pub(crate) fn floats(
        &mut self,
        name: &str,
        dims: &[usize],
        values: impl IntoIterator<Item = f32>,
    ) -> Value {
        let raw_data = values.into_iter().flat_map(f32::to_le_bytes).collect();
        self.constant(name, dims, Tensor::FLOAT, raw_data)
    }

    /// Adds a constant of indices or a shape.
    pub(crate) fn integers(&mut self, name: &str, values: impl IntoIterator<Item = i64>) -> Value {
        let raw_data: Vec<u8> = values.into_iter().flat_map(i64::to_le_bytes).collect();
        self.constant(name, &[raw_data.len() / size_of::<i64>()], Tensor::INT64, raw_data)
    }

    fn constant(&mut self, name: &str, dims: &[usize], data_type: i32, raw_data: Vec<u8>) -> Value {
        let dims = dims.iter().map(|size| *size as i64).collect();
        let raw_data = raw_data.into();
        let tensor = Tensor { dims, data_type, name: name.into(), raw_data, ..Tensor::default() };
        self.graph.initializer.push(tensor);
        name.into()
    }

    /// Declares an input of the graph: `[batch, sizes...]`.
    pub(crate) fn input(&mut self, name: &str, sizes: &[usize], meaning: &str) -> Value {
        self.graph.input.push(value_info(name, sizes, meaning));
        name.into()
    }

    /// Declares a value as one of the graph's outputs: `[batch, sizes...]`.
    pub(crate) fn output(&mut self, name: &str, sizes: &[usize], meaning: &str) {
        self.graph.output.push(value_info(name, sizes, meaning));
    }

    pub(crate) fn finish(self, name: &str) -> Graph {
        Graph { name: name.into(), ..self.graph }
    }
}

/// An attribute with a float.
pub(crate) fn float(name: &str, value: f32) -> Attribute {
    Attribute { name: name.into(), f: value, r#type: Attribute::FLOAT, ..Attribute::default() }
}

pub(crate) fn integer(name: &str, value: i64) -> Attribute {
    Attribute { name: name.into(), i: value, r#type: Attribute::INT, ..Attribute::default() }
}

/// An attribute with several integers.
pub(crate) fn integers(name: &str, values: &[i64]) -> Attribute {
    Attribute { name: name.into(), ints: values.to_vec(), r#type: Attribute::INTS, ..Attribute::default() }
}

fn value_info(name: &str, sizes: &[usize], meaning: &str) -> ValueInfo {
    let batch = DimensionValue::Name("batch".into());
    let sizes = sizes.iter().map(|size| DimensionValue::Number(*size as i64));
    let dim = std::iter::once(batch).chain(sizes).map(|value| Dimension { value: Some(value) }).collect();
    let tensor = TensorType { elem_type: Tensor::FLOAT, shape: Some(Shape { dim }) };
    ValueInfo {
        name: name.into(),
        r#type: Some(Type { tensor_type: Some(tensor) }),
        doc_string: meaning.into(),
    }
}
