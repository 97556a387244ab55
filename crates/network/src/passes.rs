//! Training passes: the outputs of a network for a batch, and the gradients of an objective.
//!
//! Parameters, gradients and statistics are plain slices of floats, so one optimiser, one checkpoint format and one
//! weights format serve all kernels, and a run can move from one machine to another.

mod objective;
mod outputs;
mod precision;

use dataset::Batch;

use crate::NetworkError;

pub use crate::planes::passes::PlanePasses;
pub use crate::sparse::passes::{
    AdamStep, AdamW, BodyRows, Floats, GRADIENT_LIMIT, Gradient, MoveTables, Readers, RowGradient, RowState,
    SparseLayout, SparseLosses, SparseObjective, SparsePasses, ValueLayers, squares,
};
pub use kernels::{layers::NormStatistics, use_large_pages};
pub use objective::{LossGradients, Objective, OutputGradients, PassTimes};
pub use outputs::{HeadOutputs, Outputs};
pub use precision::TrainingPrecision;

/// The values of every parameter, in the order of the architecture, each a matrix in row-major order. Also used for
/// gradients.
pub type Parameters = Vec<Vec<f32>>;

/// Mean and variance of every batch normalisation, `[2, channels]`, in the order of the architecture.
pub type Statistics = Vec<Vec<f32>>;

/// The forward pass of a network with given parameters.
pub trait Forward: Send {
    /// The outputs of a batch.
    ///
    /// # Errors
    /// [`NetworkError::Data`] if the batch was encoded for another network.
    fn forward(
        &mut self,
        parameters: &Parameters,
        statistics: NormStatistics<'_>,
        batch: &Batch,
    ) -> Result<Outputs, NetworkError>;
}

#[cfg(test)]
pub(crate) mod tests;
