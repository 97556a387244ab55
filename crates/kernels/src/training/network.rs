//! Residual networks in training.

use chess::encoding::Plane;

use super::{
    dispatch::on_backend, norm_statistics::NormStatistics, on_backend::ForwardBackward,
    outputs::TrainingOutputs, shape::TrainingShape,
};
use crate::{Isa, KernelError, Operations, Precision};

/// Forward and backward passes of a network, with room for one batch.
///
/// Call [`TrainingNetwork::forward`] and then, if gradients are needed, [`TrainingNetwork::backward`] with the gradients of
/// its outputs. Both use the threads of the rayon pool they are called in; results do not depend on the number of threads.
pub struct TrainingNetwork {
    shape: TrainingShape,
    network: Box<dyn ForwardBackward>,
    /// True if its 3x3 convolutions use Winograd's algorithm.
    winograd: bool,
    capacity: usize,
    /// Number of boards in the last batch.
    boards: usize,
}

impl TrainingNetwork {
    /// Creates a network with room for batches of up to `boards` boards and convolutions in `precision`.
    ///
    /// # Errors
    /// [`KernelError`] if the processor lacks the instruction set, or the instruction set lacks the precision.
    pub fn new(
        shape: &TrainingShape,
        isa: Isa,
        precision: Precision,
        boards: usize,
    ) -> Result<Self, KernelError> {
        Ok(Self {
            network: on_backend(shape, isa, precision, boards)?,
            winograd: precision == Precision::F32,
            capacity: boards,
            boards: 0,
            shape: shape.clone(),
        })
    }

    /// Runs the network on boards; `planes` holds the planes of one board after another.
    ///
    /// # Errors
    /// [`KernelError::Shape`] if `planes` is not whole boards, is empty or has too many boards, or if the parameters do
    /// not fit.
    pub fn forward(
        &mut self,
        parameters: &[Vec<f32>],
        planes: &[Plane],
        from: NormStatistics<'_>,
    ) -> Result<TrainingOutputs, KernelError> {
        self.shape.check(parameters)?;
        self.boards = self.boards(planes)?;
        Ok(self.network.forward(self.boards, parameters, planes, from))
    }

    /// Multiply-adds of the forward and backward passes for one position.
    pub fn operations(&self) -> Operations {
        self.shape.operations(self.winograd)
    }

    fn boards(&self, planes: &[Plane]) -> Result<usize, KernelError> {
        let boards = planes.len() / self.shape.planes;
        if boards == 0 || boards > self.capacity || !planes.len().is_multiple_of(self.shape.planes) {
            let part =
                format!("planes of a batch ({} each of 1 to {} boards)", self.shape.planes, self.capacity);
            return Err(KernelError::Shape {
                part,
                found: planes.len(),
                expected: self.shape.planes * boards.clamp(1, self.capacity),
            });
        }
        Ok(boards)
    }

    /// The gradients of the parameters, given the gradients of the outputs of the last forward pass, which must have used
    /// the statistics of the batch.
    ///
    /// # Errors
    /// [`KernelError::Shape`] if the gradients do not fit the last batch.
    pub fn backward(
        &mut self,
        policy_gradient: &[f32],
        value_gradient: &[f32],
    ) -> Result<Vec<Vec<f32>>, KernelError> {
        let boards = self.boards;
        let widths = [self.shape.policy_width(), self.shape.value.outputs];
        for ((part, gradient), width) in
            [("policy gradient", policy_gradient), ("value gradient", value_gradient)].into_iter().zip(widths)
        {
            if boards == 0 || gradient.len() != boards * width {
                let expected = boards * width;
                return Err(KernelError::Shape { part: part.into(), found: gradient.len(), expected });
            }
        }
        Ok(self.network.backward(policy_gradient, value_gradient))
    }
}
