//! A network in training: parameters, optimiser and passes.

#[cfg(any(test, feature = "laws"))]
pub mod laws;

use std::borrow::Cow;

use dataset::Batch;
use kernels::Operations;

pub(crate) use crate::planes::trainable::PlaneTrainable;

use crate::{
    NetworkError, TrainingPrecision,
    container::{Container, Matrix},
    optimiser::DeadUnits,
    passes::{Forward, Objective, Parameters, PassTimes, SparseObjective},
};

/// A network as the trainer uses it: passes, optimiser steps and state. Each kind of network implements it,
/// and so can another program, such as PyTorch on a GPU.
///
/// A step is [`Trainable::gradients`], which changes no parameter, and then [`Trainable::step`]. Parameters are in the order of
/// [`Architecture::parameters`](crate::architecture::Architecture::parameters). `laws::check` tests an implementation.
pub trait Trainable: Forward {
    /// The arithmetic (kernels or program) and its number format, for display.
    fn describe(&self) -> String;

    /// Multiply-adds of training on one position, and the peak multiply-adds per second of one thread of this machine;
    /// `None` if they are unknown.
    fn operations(&self) -> Option<(Operations, f64)> {
        None
    }

    /// Sets the number format of the products.
    ///
    /// # Errors
    /// [`NetworkError::Precision`] if the network does not train in it.
    fn set_precision(&mut self, precision: TrainingPrecision) -> Result<(), NetworkError>;

    /// Number of steps taken so far.
    fn steps(&self) -> u64;

    /// The current values of the parameters. Rows that the last batch did not read may lack the steps that they missed.
    fn values(&self) -> Vec<Cow<'_, [f32]>>;

    /// The moving averages of the parameters, which are validated and exported.
    fn averaged(&self) -> Parameters;

    /// Replaces the parameters and begins again: no step is taken and nothing is averaged.
    fn start_from(&mut self, parameters: Parameters);

    /// The losses of a batch. Their gradients are kept for [`Trainable::step`]. Layers derive their random numbers from `noise`.
    ///
    /// # Errors
    /// [`NetworkError::Data`] if the batch was encoded for another network; [`NetworkError::Pass`] if the
    /// computation fails.
    fn gradients(
        &mut self,
        batch: &Batch,
        losses: &dyn LossFunctions,
        noise: u64,
    ) -> Result<BatchLosses, NetworkError>;

    /// Updates the parameters with the gradients of the last batch; returns the sum of squares of each parameter's gradient
    /// before clipping.
    ///
    /// # Errors
    /// [`NetworkError::Pass`] if the computation fails.
    fn step(&mut self, learning_rate: f32) -> Result<Vec<f64>, NetworkError>;

    /// Everything that determines the next step, as named matrices.
    fn matrices(&self) -> Vec<Matrix>;

    /// Restores the state that [`Trainable::matrices`] returned after `steps` steps.
    ///
    /// # Errors
    /// [`NetworkError::Format`] with the matrix that is missing or differs.
    fn restore(&mut self, steps: u64, container: &mut Container, place: &str) -> Result<(), NetworkError>;

    /// The layers with units that have stopped learning; empty where this is not measured.
    fn dead_units(&self) -> Vec<DeadUnits> {
        Vec::new()
    }

    /// Load and memory of the device that computes, at this moment; empty on the CPU, whose use the trainer measures itself.
    fn device_usage(&self) -> DeviceUsage {
        DeviceUsage::default()
    }
}

/// What a device other than the CPU, such as a graphics card, is busy with.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DeviceUsage {
    /// Share of the time, from 0 to 1, in which it computed for any program; `None` if it is unknown.
    pub load: Option<f64>,
    /// Bytes of its memory that all programs use; `None` if they are unknown.
    pub bytes: Option<u64>,
}

/// The losses of a recipe, as networks call them.
pub trait LossFunctions: Sync {
    /// For networks that compute the outputs of a whole batch at once.
    fn of_outputs(&self) -> &dyn Objective;

    /// For networks that compute some samples of a batch at a time.
    fn of_samples<'a>(&'a self, batch: &'a Batch) -> Box<dyn SparseObjective + 'a>;
}

/// The losses of a batch, which the caller weights and reports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BatchLosses {
    /// Mean over the samples, weighted by sample weight.
    pub policy_loss: f32,
    /// Mean over the samples with a value target.
    pub value_loss: f32,
    /// Mean over the samples, if this loss has a weight.
    pub illegal_move_loss: Option<f32>,
    /// False if an element of a gradient is not finite, or so large that sums of squares may not be.
    pub is_bounded: bool,
    /// Duration of each part, if they run one after another.
    pub times: Option<PassTimes>,
}

#[cfg(test)]
mod tests;
