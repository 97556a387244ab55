//! Forward and backward passes of residual networks, for training.
//!
//! Convolutions multiply in the requested precision and accumulate in 32 bits; activations kept for the backward pass
//! are stored in the format in which the convolutions read them. Weights, statistics, losses and the gradient of the trunk
//! are 32-bit floats. A batch is split into micro-batches that are computed in parallel. Their number depends only on the
//! batch size, and sums over the batch are added in the order of the micro-batches, so they do not depend on the number of
//! threads.
//!
//! From the bottom: `normalise` and `gradient` (kernels), `backend` and `convolution` (on the backends of inference), `folded`,
//! `dense`, `excite`, `normalised` (layers), `numbering`, `tower`, `heads`, `micro_batch` (the memory of some boards), `on_backend`,
//! `dispatch` (the backend of an instruction set), `network`.
//!
//! The speedup of making one pass over a batch for each layer is in `docs/experiments/training-kernel-changes.md`.

mod backend;
mod convolution;
mod dense;
mod dispatch;
mod excite;
mod folded;
mod gradient;
mod heads;
mod linear;
mod micro_batch;
mod network;
mod norm_statistics;
mod normalise;
mod normalised;
mod numbering;
mod on_backend;
mod outputs;
mod shape;
mod tower;
mod work;

pub(crate) use convolution::pack_filters;
pub(crate) use folded::{Folded, Unfolded};
pub(crate) use gradient::WeightGradient;
pub(crate) use linear::reversed;
pub(crate) use micro_batch::micro_batches;
pub use normalise::EPSILON;
pub(crate) use work::GROUP;

pub use network::TrainingNetwork;
pub use norm_statistics::NormStatistics;
pub use outputs::TrainingOutputs;
pub use shape::{KernelSize, PolicyShape, PooledShape, TrainingShape};

/// The invariant named in the panic message when packed weights are missing.
const PACKED: &str = "layers are packed at the start of each forward pass";

#[cfg(test)]
mod tests;
