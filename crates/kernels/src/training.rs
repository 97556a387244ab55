//! Forward and backward passes of residual networks, for training.
//!
//! Convolutions multiply in the precision asked for and add up in 32 bits; what is kept of a layer for the backward pass is
//! kept in the format in which the convolutions read it. Weights, moments, losses and the gradient of the trunk are 32-bit
//! floats. A batch is worked on in shares, side by side, whose number depends on the size of the batch alone; everything that
//! is added up over the batch is added up in their order.
//!
//! From the bottom: `normalise` and `gradient` (kernels), `convolution` (on the engines of inference), `folded`, `dense`,
//! `excite`, `layer` (layers), `tower`, `heads`, `share` (what is remembered of some boards), `passes`, `dispatch` (the engine of an
//! instruction set), `network`.

mod answer;
mod convolution;
mod dense;
mod dispatch;
mod excite;
mod folded;
mod gradient;
mod heads;
mod layer;
mod linear;
mod network;
mod normalise;
mod passes;
mod shape;
mod share;
mod tower;
mod work;

pub(crate) use convolution::pack_filters;
pub(crate) use folded::{Folded, Unfolded};
pub(crate) use gradient::WeightGradient;
pub(crate) use linear::reversed;
pub(crate) use normalise::EPSILON;
pub(crate) use share::shares;
pub(crate) use work::GROUP;

pub use answer::TrainingAnswer;
pub use layer::Normalisation;
pub use network::TrainingNetwork;
pub use shape::{PolicyShape, PooledShape, Reach, TrainingShape};

#[cfg(test)]
mod tests;
