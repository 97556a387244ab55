//! Training passes: the outputs of a network for a batch, and the gradients of an objective.
//!
//! Parameters, gradients and statistics are plain slices of floats, so one optimiser, one checkpoint format and one
//! weights format serve all kernels, and a run can move from one machine to another.

mod objective;
mod outputs;
mod precision;

use chess::encoding::Plane;
use dataset::Batch;
use kernels::{Operations, training::TrainingOutputs};

use crate::{NetworkError, architecture::PlaneArchitecture, planes::policy_map::PolicyMap};

pub use crate::sparse::passes::{
    AdamStep, AdamW, BodyRows, Floats, GRADIENT_LIMIT, Gradient, MoveTables, Readers, RowGradient, RowState,
    SparseLayout, SparseLosses, SparseObjective, SparsePasses, ValueLayers, squares,
};
pub use kernels::{training::NormStatistics, use_large_pages};
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

/// Forward and backward passes of one network of planes.
pub trait Passes: Forward {
    /// The kernels, their instruction set and number format.
    fn describe(&self) -> String;

    /// Multiply-adds of training on one position, and the peak multiply-adds per second of one thread of this machine;
    /// `None` if that peak is unknown.
    fn operations(&self) -> Option<(Operations, f64)> {
        None
    }

    /// Runs the network forward and backward with the batch's own statistics. Layers derive their random numbers from
    /// `noise`.
    ///
    /// # Errors
    /// As [`Forward::forward`].
    fn gradients(
        &mut self,
        parameters: &Parameters,
        batch: &Batch,
        objective: &dyn Objective,
        noise: u64,
    ) -> Result<LossGradients, NetworkError>;

    /// Takes back gradients that are no longer used, to reuse their memory for the next ones.
    fn give_back(&mut self, _gradients: Parameters) {}
}

/// Number of boards that are run together if the batch's own statistics are not needed: enough to occupy every thread, few
/// enough that their activations take little memory.
pub(crate) const CHUNK: usize = 256;

/// Runs a network on the boards of a batch: all together if the batch's own statistics are needed, otherwise `chunk` at
/// a time.
pub(crate) fn forward_in_chunks(
    architecture: &PlaneArchitecture,
    statistics: NormStatistics<'_>,
    chunk: usize,
    batch: &Batch,
    mut run: impl FnMut(&[Plane]) -> Result<TrainingOutputs, NetworkError>,
) -> Result<Outputs, NetworkError> {
    check(batch, architecture)?;
    let slots = slots(batch, &architecture.policy_map)?;
    let moves: Vec<u32> = architecture.policy_map.slots().collect();
    let chunk = match statistics {
        NormStatistics::Batch => batch.size.max(1),
        NormStatistics::Stored(_) => chunk,
    };
    let mut outputs = Outputs::default();
    let mut legal = of_boards(batch, &slots);
    for planes in batch.planes.chunks(chunk * batch.plane_count) {
        let part = run(planes)?;
        outputs.add_policy(&part.policy, architecture.policy_map.width(), &moves, legal.by_ref());
        outputs.values.extend(part.value);
        outputs.statistics = part.statistics;
    }
    if let NormStatistics::Stored(stored) = statistics {
        outputs.statistics = stored.to_vec();
    }
    if architecture.list.policy.is_none() {
        // Without a policy, all legal moves are equally likely.
        outputs.logits = vec![0.0; batch.legal_indices.len()];
    }
    Ok(outputs)
}

pub(crate) fn check(batch: &Batch, architecture: &PlaneArchitecture) -> Result<(), NetworkError> {
    if batch.plane_count == architecture.planes {
        return Ok(());
    }
    let (found, expected) = (batch.plane_count, architecture.planes);
    Err(NetworkError::Data(format!("a batch of {found} planes for a network of {expected}")))
}

/// The part of each board in a slice laid out like [`Batch::legal_indices`].
fn of_boards<'a>(batch: &'a Batch, slots: &'a [u32]) -> impl Iterator<Item = &'a [u32]> {
    batch.legal_offsets.windows(2).map(|pair| &slots[pair[0] as usize..pair[1] as usize])
}

/// Position of each legal move's logit among the outputs of its board, laid out like [`Batch::legal_indices`].
pub(crate) fn slots(batch: &Batch, map: &PolicyMap) -> Result<Vec<u32>, NetworkError> {
    let mut slots = Vec::with_capacity(batch.legal_indices.len());
    for (board, pair) in batch.legal_offsets.windows(2).enumerate() {
        for &index in &batch.legal_indices[pair[0] as usize..pair[1] as usize] {
            let slot = map.slot(usize::from(index)).ok_or_else(|| {
                NetworkError::Data(format!("sample {board} of the batch: policy index {index} fits no move"))
            })?;
            slots.push(slot);
        }
    }
    Ok(slots)
}

#[cfg(test)]
pub(crate) mod tests;
