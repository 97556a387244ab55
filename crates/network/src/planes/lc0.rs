//! Networks of Leela Chess Zero: its `.pb` and `.pb.gz` weights files as specifications and matrices, and reference outputs of lc0 for
//! some positions.
//!
//! Supported are residual towers with or without squeeze-excite and convolutional, dense or attention policy (Maia's among them), and
//! attention bodies with a position map or a dense embedding, gating, smolgen, one or several heads; win/draw/loss or scalar value, with or
//! without moves left. They read the classical 112 planes, those with a castling plane or those of a canonical orientation. Everything else
//! (relative position encodings, armageddon) is refused, with lc0's own name for it in the error. Files with an ONNX graph are read by
//! [`OnnxNetwork`](crate::onnx::OnnxNetwork).
//!
//! ```
//! let file = network::lc0::synthetic::modern();
//! let read = network::lc0::Lc0Network::from_bytes(&file.gzipped(), "modern.pb.gz", network::lc0::Heads::default())?;
//! assert_eq!(read.spec.input, "lc0-112");
//! assert_eq!(read.description.training_steps, Some(7));
//! # Ok::<_, network::lc0::Lc0Error>(())
//! ```

mod convolution;
mod error;
mod format;
mod graph;
mod heads;
mod layer;
pub(crate) mod message;
mod network;
pub mod outputs;
pub(crate) mod policy_planes;
mod reader;
pub mod report;
pub mod synthetic;

pub use error::{Lc0Error, Lc0Problem};
pub(crate) use graph::EmbeddedGraph;
pub use heads::Heads;
pub(crate) use message::protobuf_messages;
pub use network::{Description, Lc0Network, is_network};

#[cfg(test)]
mod tests;
