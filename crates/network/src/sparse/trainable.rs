//! Training of a sparse network, in whose tables most rows are read by no sample of a batch.

use std::{borrow::Cow, time::Instant};

use dataset::Batch;

use super::{SparseArchitecture, optimiser::RowOptimiser};
use crate::{
    NetworkError, TrainingPrecision,
    container::{Container, Matrix},
    optimiser::OptimiserConfig,
    parameter::ParameterShape,
    passes::{Forward, NormStatistics, Outputs, Parameters, PassTimes, SparseLayout, SparsePasses},
    trainable::{BatchLosses, LossFunctions, Trainable},
};

/// Parameters, optimiser and passes of a sparse network. A step updates only the rows that its batch reads.
pub(crate) struct SparseTrainable {
    shapes: Vec<ParameterShape>,
    passes: SparsePasses,
    optimiser: RowOptimiser,
}

impl SparseTrainable {
    /// A network before its first step.
    ///
    /// # Errors
    /// As [`SparsePasses::new`].
    pub(crate) fn new(
        architecture: &SparseArchitecture,
        parameters: &Parameters,
        config: OptimiserConfig,
    ) -> Result<Self, NetworkError> {
        let (layout, shapes) = (SparseLayout::new(architecture)?, architecture.parameters().to_vec());
        let optimiser = RowOptimiser::new(&shapes, &layout, parameters, config);
        Ok(Self { shapes, passes: SparsePasses::new(layout, TrainingPrecision::default())?, optimiser })
    }
}

impl Forward for SparseTrainable {
    fn forward(
        &mut self,
        parameters: &Parameters,
        statistics: NormStatistics<'_>,
        batch: &Batch,
    ) -> Result<Outputs, NetworkError> {
        self.passes.forward(parameters, statistics, batch)
    }
}

impl Trainable for SparseTrainable {
    fn describe(&self) -> String {
        self.passes.describe()
    }

    /// Changes the precision of tables and of the gradients of samples.
    fn set_precision(&mut self, precision: TrainingPrecision) -> Result<(), NetworkError> {
        self.passes = SparsePasses::new(self.passes.layout().clone(), precision)?;
        Ok(())
    }

    fn steps(&self) -> u64 {
        self.optimiser.steps()
    }

    fn values(&self) -> Vec<Cow<'_, [f32]>> {
        self.optimiser.values().into_iter().map(Cow::Borrowed).collect()
    }

    fn averaged(&self) -> Parameters {
        self.optimiser.average(self.passes.isa())
    }

    fn start_from(&mut self, parameters: Parameters) {
        self.optimiser.start_from(&parameters);
    }

    fn gradients(
        &mut self,
        batch: &Batch,
        losses: &dyn LossFunctions,
        _noise: u64,
    ) -> Result<BatchLosses, NetworkError> {
        let isa = self.passes.isa();
        let begin = Instant::now();
        self.optimiser.catch_up(isa, &self.passes.begin(batch)?);
        let encode = begin.elapsed().as_secs_f64();
        let objective = losses.of_samples(batch);
        let found = self.passes.gradients(&self.optimiser.values(), batch, &*objective);
        let passes = begin.elapsed().as_secs_f64() - encode;
        Ok(BatchLosses {
            policy_loss: found.policy as f32,
            value_loss: found.value as f32,
            illegal_move_loss: None,
            is_bounded: found.is_bounded,
            // `forward` includes the backward pass, because both are one pass over pieces of the batch; `backward` is the
            // summation of gradients to which all samples contribute. The gradients of rows are summed while the rows are
            // updated.
            times: Some(PassTimes { encode, forward: found.seconds, backward: passes - found.seconds }),
        })
    }

    fn step(&mut self, learning_rate: f32) -> Result<Vec<f64>, NetworkError> {
        Ok(self.optimiser.step(self.passes.isa(), &self.passes.last(), learning_rate))
    }

    fn matrices(&self) -> Vec<Matrix> {
        self.optimiser.matrices(&self.shapes)
    }

    fn restore(&mut self, steps: u64, container: &mut Container, place: &str) -> Result<(), NetworkError> {
        self.optimiser.restore(&self.shapes, steps, container, place)
    }
}

#[cfg(test)]
mod tests;
