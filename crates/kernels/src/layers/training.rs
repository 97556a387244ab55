//! Lists of layers in training.

use chess::encoding::Plane;

use super::{
    compiled::{Compiled, Factors, Request, Use},
    dispatch::compile,
    list::List,
    memory::Memory,
};
use crate::{Isa, KernelError, Operations, training::NormStatistics};

/// Forward and backward passes of a list of layers, in 32-bit floats.
///
/// Call [`TrainingLayers::forward`] and then, if gradients are needed, [`TrainingLayers::backward`] with the gradients of its outputs.
/// Both use the threads of the rayon pool they are called in; results do not depend on the number of threads.
pub struct TrainingLayers {
    list: List,
    compiled: Box<dyn Compiled>,
    memory: Memory,
    /// Gradient buffers that are free for reuse.
    spare: Vec<Vec<f32>>,
}

impl TrainingLayers {
    /// Compiles a list for training.
    ///
    /// # Errors
    /// [`KernelError::MissingIsa`], or [`KernelError::Shape`] with the first layer that does not fit the layers it
    /// reads.
    pub fn new(list: &List, isa: Isa) -> Result<Self, KernelError> {
        let compiled = compile(list, isa, Use::Training)?;
        Ok(Self { compiled, memory: Memory::new(list), spare: Vec::new(), list: list.clone() })
    }

    /// Runs the layers on boards; `planes` holds the planes of one board after another. Returns the values of each
    /// output of the list, `[boards][channels]`.
    ///
    /// # Errors
    /// [`KernelError::Shape`] if `planes` is empty or does not hold whole boards, or the parameters do not fit.
    pub fn forward(
        &mut self,
        parameters: &[Vec<f32>],
        planes: &[Plane],
        normalisation: NormStatistics<'_>,
        factors: Option<Factors<'_>>,
    ) -> Result<Vec<Vec<f32>>, KernelError> {
        self.list.check_parameters(parameters)?;
        check_planes(&self.list, planes)?;
        self.compiled.pack(parameters);
        let request = Request { parameters, planes, normalisation, factors, helpers: true };
        self.compiled.forward(&mut self.memory, &request);
        Ok(outputs(&self.list, &self.memory))
    }

    /// The mean and variance used by the last forward pass, `[2][channels]` for each batch normalisation.
    pub fn statistics(&self) -> &[Vec<f32>] {
        &self.memory.statistics
    }

    /// The gradients of the parameters, given the gradients of the outputs of the last forward pass, which must have used the statistics
    /// of the batch.
    ///
    /// # Errors
    /// [`KernelError::Shape`] if the gradients do not fit the last batch.
    pub fn backward(
        &mut self,
        parameters: &[Vec<f32>],
        outputs: &[&[f32]],
    ) -> Result<Vec<Vec<f32>>, KernelError> {
        self.list.check_parameters(parameters)?;
        let expected =
            self.list.outputs.iter().map(|place| self.memory.boards * self.list.shape(*place).channels);
        let expected: Vec<usize> = expected.collect();
        let found: Vec<usize> = outputs.iter().map(|gradient| gradient.len()).collect();
        if found != expected || self.memory.boards == 0 {
            return Err(KernelError::Shape {
                part: "gradients of the outputs".into(),
                found: found.iter().sum(),
                expected: expected.iter().sum(),
            });
        }
        let spare = std::mem::take(&mut self.spare);
        Ok(self.compiled.backward(&mut self.memory, parameters, spare, outputs))
    }

    /// Takes back the gradients from [`TrainingLayers::backward`] to reuse their memory for the next ones: allocating
    /// new memory costs about as much time as filling it.
    pub fn give_back(&mut self, gradients: Vec<Vec<f32>>) {
        self.spare = gradients;
    }

    /// Length of each parameter, in the order of the list.
    pub fn parameter_lengths(&self) -> Vec<usize> {
        self.list.parameter_lengths()
    }

    /// Multiply-adds of the forward and backward passes for one position.
    pub fn operations(&self) -> Operations {
        self.list.operations()
    }
}

/// Checks that the planes form whole boards.
pub(super) fn check_planes(list: &List, planes: &[Plane]) -> Result<(), KernelError> {
    let (count, found) = (list.channels.len(), planes.len());
    if found > 0 && found.is_multiple_of(count) {
        return Ok(());
    }
    let part = format!("planes of a batch ({count} each)");
    Err(KernelError::Shape { part, found, expected: count * (found / count).max(1) })
}

/// The outputs of the last batch.
pub(super) fn outputs(list: &List, memory: &Memory) -> Vec<Vec<f32>> {
    list.outputs.iter().map(|place| memory.flat(*place, list.shape(*place))).collect()
}
