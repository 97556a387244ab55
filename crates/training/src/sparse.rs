//! A sparse network in training: tables in which most rows are not read by any sample of a batch.

mod objective;
mod optimiser;
#[cfg(test)]
mod tests;

use std::time::Instant;

use dataset::Batch;
use network::{
    NetworkError, TrainingPrecision,
    architecture::Architecture,
    passes::{LossGradients, Parameters, PassTimes, SparsePasses},
};

use self::{objective::BatchObjective, optimiser::RowOptimiser};
use crate::{OptimiserConfig, losses::LossConfig};

/// Parameters, optimiser and passes of a sparse network.
pub(crate) struct SparseLearner {
    pub(crate) passes: SparsePasses,
    pub(crate) optimiser: RowOptimiser,
}

impl SparseLearner {
    /// A network before its first step; `None` if it is not a sparse one.
    ///
    /// # Errors
    /// As [`SparsePasses::new`].
    pub(crate) fn new(
        architecture: &Architecture,
        parameters: &Parameters,
        config: OptimiserConfig,
    ) -> Result<Option<Self>, NetworkError> {
        let Some(layout) = architecture.sparse_layout()? else { return Ok(None) };
        let optimiser = RowOptimiser::new(architecture.parameters(), &layout, parameters, config);
        Ok(Some(Self { passes: SparsePasses::new(layout, TrainingPrecision::default())?, optimiser }))
    }

    /// Changes the precision of tables and of the gradients of samples.
    pub(crate) fn set_precision(&mut self, precision: TrainingPrecision) -> Result<(), NetworkError> {
        self.passes = SparsePasses::new(self.passes.layout().clone(), precision)?;
        Ok(())
    }

    /// The losses of a batch, and true if its gradients are finite and far from overflow. The gradients themselves stay
    /// in the passes.
    ///
    /// # Errors
    /// [`NetworkError::Data`] if the batch was encoded for another network.
    pub(crate) fn gradients(
        &mut self,
        batch: &Batch,
        losses: &LossConfig,
    ) -> Result<(LossGradients, bool), NetworkError> {
        let isa = self.passes.isa();
        let begin = Instant::now();
        self.optimiser.catch_up(isa, &self.passes.begin(batch)?);
        let encode = begin.elapsed().as_secs_f64();
        let objective = BatchObjective::new(batch, losses);
        let found = self.passes.gradients(&self.optimiser.values(), batch, &objective);
        let passes = begin.elapsed().as_secs_f64() - encode;
        let losses = LossGradients {
            policy_loss: found.policy as f32,
            value_loss: found.value as f32,
            illegal_move_loss: None,
            gradients: Parameters::new(),
            // `forward` includes the backward pass, because both are one pass over pieces of the batch; `backward` is the
            // summation of gradients to which all samples contribute. The gradients of rows are summed while the rows are
            // updated.
            times: Some(PassTimes { encode, forward: found.seconds, backward: passes - found.seconds }),
        };
        Ok((losses, found.is_bounded))
    }

    /// Updates the parameters with the gradients that were computed last; returns the sum of squares of each
    /// parameter's gradient.
    pub(crate) fn step(&mut self, learning_rate: f32) -> Vec<f64> {
        self.optimiser.step(self.passes.isa(), &self.passes.last(), learning_rate)
    }

    /// The averaged weights, including the missed steps of every row.
    pub(crate) fn average(&self) -> Parameters {
        self.optimiser.average(self.passes.isa())
    }
}
