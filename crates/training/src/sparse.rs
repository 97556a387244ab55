//! A sparse network being trained: rows of tables, most of which no sample of a batch reads.

mod objective;
mod optimiser;
#[cfg(test)]
mod tests;

use std::time::Instant;

use dataset::Batch;
use network::{
    Device, DeviceKind, NetworkError, TrainingPrecision,
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
    /// As [`SparsePasses::new`]; [`NetworkError::Device`] for another device than the CPU.
    pub(crate) fn new(
        architecture: &Architecture,
        parameters: &Parameters,
        config: OptimiserConfig,
        device: &Device,
    ) -> Result<Option<Self>, NetworkError> {
        let Some(layout) = architecture.sparse_layout()? else { return Ok(None) };
        if device.kind() != DeviceKind::Cpu {
            return Err(NetworkError::Device {
                device: device.kind().to_string(),
                reason: "sparse networks are trained on the device cpu alone".into(),
            });
        }
        let optimiser = RowOptimiser::new(architecture.parameters(), &layout, parameters, config);
        Ok(Some(Self { passes: SparsePasses::new(layout, TrainingPrecision::default())?, optimiser }))
    }

    /// Changes the precision of tables and of the gradients of samples.
    pub(crate) fn set_precision(&mut self, precision: TrainingPrecision) -> Result<(), NetworkError> {
        self.passes = SparsePasses::new(self.passes.layout().clone(), precision)?;
        Ok(())
    }

    /// The losses of a batch, and whether its gradients are finite and far from not being so; they stay here.
    ///
    /// # Errors
    /// [`NetworkError::Data`] when the batch was encoded for another network.
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
            // Forward and backward, which are one pass over pieces of the batch, then the sums of the gradients that all samples
            // have a part in. Those of rows are summed while the rows are moved.
            times: Some(PassTimes { encode, forward: found.seconds, backward: passes - found.seconds }),
        };
        Ok((losses, found.is_bounded))
    }

    /// Moves against the gradients that were found last; returns the sum of squares of each parameter's.
    pub(crate) fn step(&mut self, learning_rate: f32) -> Vec<f64> {
        self.optimiser.step(self.passes.isa(), &self.passes.last(), learning_rate)
    }

    /// The averaged weights, with the missed steps of every row made up for.
    pub(crate) fn average(&self) -> Parameters {
        self.optimiser.average(self.passes.isa())
    }
}
