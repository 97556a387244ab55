//! Networks that read planes: residual towers and other lists of layers.
//!
//! `spec` holds the keys of a recipe, `layout` derives layers and parameters from them, `evaluator` plays,
//! `trainable` trains with `passes`, and [`lc0`] and `onnx` are files of other programs.

pub(crate) mod evaluator;
pub(crate) mod inference;
pub mod layers;
pub(crate) mod layout;
pub mod lc0;
pub(crate) mod onnx;
pub(crate) mod onnx_graph;
pub(crate) mod passes;
pub(crate) mod policy_map;
pub(crate) mod spec;
pub(crate) mod trainable;
pub(crate) mod wire;
