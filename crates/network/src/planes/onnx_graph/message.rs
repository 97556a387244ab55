//! The part of ONNX's file format that this crate's networks need, and the constants of any graph.
//!
//! Field numbers and enum values are those of `onnx.proto3` (ONNX 1.8, intermediate representation 7); fields that are
//! neither written nor looked at are omitted. ONNX declares most of its repeated numbers without packing; both forms are read.

use prost::bytes::Bytes;

use crate::planes::{lc0::protobuf_messages, wire::Message};

protobuf_messages! {
    /// `ModelProto`: the whole file.
    Model {
        ir_version: i64 = 1 [int64],
        producer_name: String = 2 [string],
        producer_version: String = 3 [string],
        doc_string: String = 6 [string],
        graph: Option<Graph> = 7 [message, optional],
        opset_import: Vec<OperatorSet> = 8 [message, repeated],
        metadata_props: Vec<Entry> = 14 [message, repeated],
    }

    /// `OperatorSetIdProto`: the version of the operator set; the empty domain is ONNX's own.
    OperatorSet {
        domain: String = 1 [string],
        version: i64 = 2 [int64],
    }

    /// `StringStringEntryProto`.
    Entry {
        key: String = 1 [string],
        value: String = 2 [string],
    }

    /// `GraphProto`: nodes in the order of computation, and the constants they read.
    Graph {
        node: Vec<Node> = 1 [message, repeated],
        name: String = 2 [string],
        initializer: Vec<Tensor> = 5 [message, repeated],
        input: Vec<ValueInfo> = 11 [message, repeated],
        output: Vec<ValueInfo> = 12 [message, repeated],
    }

    /// `NodeProto`: one operator.
    Node {
        input: Vec<String> = 1 [string, repeated],
        output: Vec<String> = 2 [string, repeated],
        name: String = 3 [string],
        op_type: String = 4 [string],
        attribute: Vec<Attribute> = 5 [message, repeated],
    }

    /// `AttributeProto`: an attribute of an operator: numbers, a tensor or a graph.
    Attribute {
        name: String = 1 [string],
        f: f32 = 2 [float],
        i: i64 = 3 [int64],
        t: Option<Box<Tensor>> = 5 [message, optional, boxed],
        g: Option<Box<Graph>> = 6 [message, optional, boxed],
        floats: Vec<f32> = 7 [float, repeated, packed = "false"],
        ints: Vec<i64> = 8 [int64, repeated, packed = "false"],
        r#type: i32 = 20 [int32],
    }

    /// `TensorProto`: a constant; `raw_data` is little-endian and row-major. Other programs may write a list of numbers instead.
    Tensor {
        dims: Vec<i64> = 1 [int64, repeated, packed = "false"],
        data_type: i32 = 2 [int32],
        float_data: Vec<f32> = 4 [float, repeated],
        int32_data: Vec<i32> = 5 [int32, repeated],
        int64_data: Vec<i64> = 7 [int64, repeated],
        name: String = 8 [string],
        raw_data: Bytes = 9 [bytes = "bytes"],
    }

    /// `ValueInfoProto`: name and type of an input or output.
    ValueInfo {
        name: String = 1 [string],
        r#type: Option<Type> = 2 [message, optional],
        doc_string: String = 3 [string],
    }

    /// `TypeProto` with the only variant that is used.
    Type {
        tensor_type: Option<TensorType> = 1 [message, optional],
    }

    /// `TypeProto.Tensor`.
    TensorType {
        elem_type: i32 = 1 [int32],
        shape: Option<Shape> = 2 [message, optional],
    }

    /// `TensorShapeProto`.
    Shape {
        dim: Vec<Dimension> = 1 [message, repeated],
    }
}

impl Attribute {
    /// `AttributeProto.AttributeType.FLOAT`.
    pub(crate) const FLOAT: i32 = 1;
    /// `AttributeProto.AttributeType.INT`.
    pub(crate) const INT: i32 = 2;
    /// `AttributeProto.AttributeType.INTS`.
    pub(crate) const INTS: i32 = 7;
}

impl Tensor {
    /// `TensorProto.DataType.FLOAT`.
    pub(crate) const FLOAT: i32 = 1;
    /// `TensorProto.DataType.INT32`.
    pub(crate) const INT32: i32 = 6;
    /// `TensorProto.DataType.INT64`.
    pub(crate) const INT64: i32 = 7;
    /// `TensorProto.DataType.FLOAT16`.
    pub(crate) const FLOAT16: i32 = 10;

    /// The index of a weight that is no number.
    pub(crate) fn not_a_number(&self) -> Option<usize> {
        match self.data_type {
            Self::FLOAT if self.raw_data.is_empty() => {
                self.float_data.iter().position(|number| number.is_nan())
            }
            Self::FLOAT => {
                let mut numbers = self.raw_data.as_chunks::<4>().0.iter();
                numbers.position(|bytes| f32::from_le_bytes(*bytes).is_nan())
            }
            // Every bit of the exponent, and one of the fraction (IEEE 754 binary16).
            Self::FLOAT16 => {
                let mut numbers = self.raw_data.as_chunks::<2>().0.iter();
                numbers.position(|bytes| u16::from_le_bytes(*bytes) & 0x7fff > 0x7c00)
            }
            _ => None,
        }
    }
}

/// `TensorShapeProto.Dimension`.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Dimension {
    #[prost(oneof = "DimensionValue", tags = "1, 2")]
    pub(crate) value: Option<DimensionValue>,
}

/// A size, or a name for a size that is known only when the network runs.
#[derive(Clone, PartialEq, prost::Oneof)]
pub(crate) enum DimensionValue {
    #[prost(int64, tag = "1")]
    Number(i64),
    #[prost(string, tag = "2")]
    Name(String),
}

/// A file, for counting its parts; [`Message::PLAIN`] stands for messages without others that this or the runtime keeps.
pub(crate) static MODEL: Message = Message(&[(7, &GRAPH), (8, &Message::PLAIN), (14, &Message::PLAIN)]);
static GRAPH: Message =
    Message(&[(1, &NODE), (5, &Message::PLAIN), (11, &VALUE_INFO), (12, &VALUE_INFO), (13, &VALUE_INFO)]);
static NODE: Message = Message(&[(5, &ATTRIBUTE)]);
/// A tensor, a graph, and lists of them.
static ATTRIBUTE: Message =
    Message(&[(5, &Message::PLAIN), (6, &GRAPH), (10, &Message::PLAIN), (11, &GRAPH)]);
/// The type of a value, of a tensor, and its shape.
static VALUE_INFO: Message = Message(&[(2, &TYPE)]);
static TYPE: Message = Message(&[(1, &TENSOR_TYPE)]);
static TENSOR_TYPE: Message = Message(&[(2, &Message::PLAIN)]);
