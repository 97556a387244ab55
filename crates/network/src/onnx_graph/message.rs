//! The part of ONNX's file format that this crate's networks need.
//!
//! Field numbers and enum values are those of `onnx.proto3` (ONNX 1.8, intermediate representation 7); fields that are
//! never written are left out. ONNX declares its repeated numbers without packing.

/// `ModelProto`: the whole file.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Model {
    #[prost(int64, tag = "1")]
    pub(crate) ir_version: i64,
    #[prost(string, tag = "2")]
    pub(crate) producer_name: String,
    #[prost(string, tag = "3")]
    pub(crate) producer_version: String,
    #[prost(string, tag = "6")]
    pub(crate) doc_string: String,
    #[prost(message, optional, tag = "7")]
    pub(crate) graph: Option<Graph>,
    #[prost(message, repeated, tag = "8")]
    pub(crate) opset_import: Vec<OperatorSet>,
    #[prost(message, repeated, tag = "14")]
    pub(crate) metadata_props: Vec<Entry>,
}

/// `OperatorSetIdProto`: which version of the operators is meant; the empty domain is ONNX's own.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct OperatorSet {
    #[prost(string, tag = "1")]
    pub(crate) domain: String,
    #[prost(int64, tag = "2")]
    pub(crate) version: i64,
}

/// `StringStringEntryProto`.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Entry {
    #[prost(string, tag = "1")]
    pub(crate) key: String,
    #[prost(string, tag = "2")]
    pub(crate) value: String,
}

/// `GraphProto`: nodes in the order of computation, and the constants they read.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Graph {
    #[prost(message, repeated, tag = "1")]
    pub(crate) node: Vec<Node>,
    #[prost(string, tag = "2")]
    pub(crate) name: String,
    #[prost(message, repeated, tag = "5")]
    pub(crate) initializer: Vec<Tensor>,
    #[prost(message, repeated, tag = "11")]
    pub(crate) input: Vec<ValueInfo>,
    #[prost(message, repeated, tag = "12")]
    pub(crate) output: Vec<ValueInfo>,
}

/// `NodeProto`: one operator.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Node {
    #[prost(string, repeated, tag = "1")]
    pub(crate) input: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    pub(crate) output: Vec<String>,
    #[prost(string, tag = "3")]
    pub(crate) name: String,
    #[prost(string, tag = "4")]
    pub(crate) op_type: String,
    #[prost(message, repeated, tag = "5")]
    pub(crate) attribute: Vec<Attribute>,
}

/// `AttributeProto`: a setting of an operator, a number or several integers.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Attribute {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(float, tag = "2")]
    pub(crate) f: f32,
    #[prost(int64, tag = "3")]
    pub(crate) i: i64,
    #[prost(int64, repeated, packed = "false", tag = "8")]
    pub(crate) ints: Vec<i64>,
    #[prost(int32, tag = "20")]
    pub(crate) r#type: i32,
}

impl Attribute {
    /// `AttributeProto.AttributeType.FLOAT`.
    pub(crate) const FLOAT: i32 = 1;
    /// `AttributeProto.AttributeType.INT`.
    pub(crate) const INT: i32 = 2;
    /// `AttributeProto.AttributeType.INTS`.
    pub(crate) const INTS: i32 = 7;
}

/// `TensorProto`: a constant; `raw_data` is little-endian, row by row.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Tensor {
    #[prost(int64, repeated, packed = "false", tag = "1")]
    pub(crate) dims: Vec<i64>,
    #[prost(int32, tag = "2")]
    pub(crate) data_type: i32,
    #[prost(string, tag = "8")]
    pub(crate) name: String,
    #[prost(bytes = "vec", tag = "9")]
    pub(crate) raw_data: Vec<u8>,
}

impl Tensor {
    /// `TensorProto.DataType.FLOAT`.
    pub(crate) const FLOAT: i32 = 1;
    /// `TensorProto.DataType.INT64`.
    pub(crate) const INT64: i32 = 7;
}

/// `ValueInfoProto`: name and type of an input or output.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ValueInfo {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) r#type: Option<Type>,
    #[prost(string, tag = "3")]
    pub(crate) doc_string: String,
}

/// `TypeProto` with its only variant we use.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Type {
    #[prost(message, optional, tag = "1")]
    pub(crate) tensor_type: Option<TensorType>,
}

/// `TypeProto.Tensor`.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct TensorType {
    #[prost(int32, tag = "1")]
    pub(crate) elem_type: i32,
    #[prost(message, optional, tag = "2")]
    pub(crate) shape: Option<Shape>,
}

/// `TensorShapeProto`.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Shape {
    #[prost(message, repeated, tag = "1")]
    pub(crate) dim: Vec<Dimension>,
}

/// `TensorShapeProto.Dimension`.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Dimension {
    #[prost(oneof = "DimensionValue", tags = "1, 2")]
    pub(crate) value: Option<DimensionValue>,
}

/// A number, or a name for one that is known only when the network runs.
#[derive(Clone, PartialEq, prost::Oneof)]
pub(crate) enum DimensionValue {
    #[prost(int64, tag = "1")]
    Number(i64),
    #[prost(string, tag = "2")]
    Name(String),
}
