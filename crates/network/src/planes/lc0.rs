//! Networks of Leela Chess Zero: its `.pb` and `.pb.gz` weights files as plain layers, and reference outputs of lc0 for
//! some positions.
//!
//! Supported are residual towers with or without squeeze-excite and convolutional, dense or attention policy (Maia's among them), and
//! attention bodies with a position map or a dense embedding, gating, smolgen, one or several heads; win/draw/loss or scalar value, with or
//! without moves left. Towers read the classical 112 planes, networks with attention also those with a castling plane or a canonical
//! orientation. Everything else (relative position encodings, the other inputs, embedded ONNX models) is refused, with lc0's own name for
//! it in the error.
//!
//! ```
//! let file = network::lc0::synthetic::modern();
//! let read = network::lc0::Lc0Network::from_bytes(&file.gzipped(), "modern.pb.gz")?;
//! assert_eq!(read.plan, file.plan);
//! assert_eq!(read.value, network::lc0::ValueFormat::Wdl);
//! assert_eq!(read.description.training_steps, Some(7));
//! # Ok::<_, network::lc0::Lc0Error>(())
//! ```

mod attention;
mod container;
mod convolution;
mod description;
mod error;
mod format;
mod layer;
mod layers;
mod message;
mod network;
pub mod outputs;
mod policy_planes;
pub mod report;
pub mod synthetic;

pub(crate) use attention::{Lc0Kind, Lc0Layers};
pub use container::is_network;
pub use description::Description;
pub use error::{Lc0Error, Lc0Problem};
pub use format::ValueFormat;
pub(crate) use message::protobuf_messages;
pub use network::{INPUT, Lc0Network, MOVES};

#[cfg(test)]
mod tests;
