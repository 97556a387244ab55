//! Networks of Leela Chess Zero: its `.pb` and `.pb.gz` weights files as plain layers, and reference outputs of lc0 for
//! some positions.
//!
//! The supported networks are the convolutional ones that lc0 used until 2023, including Maia's: the classical 112
//! input planes, a residual tower with or without squeeze-excite, convolutional or dense policy, win/draw/loss or
//! scalar value, with or without moves left. Everything else (attention bodies, attention policies, other inputs,
//! embedded ONNX models) is refused, with lc0's own name for it in the error.
//!
//! ```
//! let file = network::lc0::synthetic::modern();
//! let read = network::lc0::Lc0Network::from_bytes(&file.gzipped(), "modern.pb.gz")?;
//! assert_eq!(read.plan, file.plan);
//! assert_eq!(read.value, network::lc0::ValueFormat::Wdl);
//! assert_eq!(read.description.training_steps, Some(7));
//! # Ok::<_, network::lc0::Lc0Error>(())
//! ```

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

pub use container::is_network;
pub use description::Description;
pub use error::{Lc0Error, Lc0Problem};
pub use format::ValueFormat;
pub(crate) use message::protobuf_messages;
pub use network::{INPUT, Lc0Network, MOVES};

#[cfg(test)]
mod tests;
