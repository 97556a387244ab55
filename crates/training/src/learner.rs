//! One network being trained: parameters, optimiser, and the step that moves them.

use std::time::Instant;

use dataset::Batch;
use network::{
    Device, NetworkError, Operations, Spec, TrainingPrecision, Weights,
    architecture::{Architecture, Normalisation},
    parameter::EPSILON,
    passes::{Answers, LossGradients, Moments, PassTimes, Passes, Values},
};

use crate::{
    TrainingError,
    losses::LossConfig,
    optimiser::{OptimiserConfig, OptimiserState, clip, norm},
};

/// A network in training.
pub struct Learner {
    pub(crate) architecture: Architecture,
    pub(crate) device: Device,
    pub(crate) parameters: Values,
    pub(crate) state: OptimiserState,
    passes: Box<dyn Passes>,
    losses: LossConfig,
    /// Decides, with the step, what is random in layers.
    seed: u64,
}

/// What one step did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Cross-entropy of the policy over legal moves, nats.
    pub policy_loss: f32,
    /// Loss of the value head.
    pub value_loss: f32,
    /// -ln(probability of the legal moves together), where it has a weight.
    pub illegal_move_loss: Option<f32>,
    /// The weighted sum that was minimised.
    pub total_loss: f32,
    /// Length of the gradient before clipping.
    pub gradient_norm: f32,
}

impl Learner {
    /// A network with random weights.
    ///
    /// # Errors
    /// As [`Spec::check`]; [`NetworkError::Device`] when the device cannot compute.
    pub fn new(
        spec: &Spec,
        losses: LossConfig,
        optimiser: OptimiserConfig,
        seed: u64,
        device: &Device,
    ) -> Result<Self, NetworkError> {
        let architecture = Architecture::new(spec)?;
        let parameters = architecture.initial_parameters(seed)?;
        let state = OptimiserState::new(&parameters, optimiser);
        let passes = architecture.passes(device, TrainingPrecision::default())?;
        Ok(Self { architecture, device: device.clone(), parameters, state, passes, losses, seed })
    }

    /// The same with convolutions in another precision.
    ///
    /// # Errors
    /// [`NetworkError::Device`] when the device cannot compute in it.
    pub fn with_precision(mut self, precision: TrainingPrecision) -> Result<Self, NetworkError> {
        self.passes = self.architecture.passes(&self.device, precision)?;
        Ok(self)
    }

    /// Takes over a network's weights; the optimiser starts anew. Where normalisation is part of the weights, as in imported
    /// networks, layers get one of their own that changes nothing in the network's answers on these batches.
    ///
    /// # Errors
    /// [`NetworkError::Data`] when a batch does not fit the network. The network must be of the learner's specification.
    pub(crate) fn start_from(&mut self, weights: &Weights, batches: &[Batch]) -> Result<(), TrainingError> {
        let (parameters, statistics) = weights.values();
        self.set_parameters(parameters);
        let layers = self.architecture.normalisations();
        let folded = |layer: &Normalisation| is_folded(&statistics[layer.statistics]);
        if !layers.iter().all(folded) {
            return Ok(());
        }
        let copied = |part: fn(&Normalisation) -> usize| -> Values {
            layers.iter().map(|layer| self.parameters[part(layer)].clone()).collect()
        };
        let (scales, shifts) = (copied(|layer| layer.scale), copied(|layer| layer.shift));
        // Each round measures layers whose inputs are right by now, so there are at most as many rounds as layers.
        for _ in 0..layers.len() {
            let moments = self.measure_statistics(batches)?;
            let mut parameters = std::mem::take(&mut self.parameters);
            for ((layer, scale), shift) in layers.iter().zip(&scales).zip(&shifts) {
                let (means, variances) = moments[layer.statistics].split_at(shift.len());
                // Grown networks have scales that are not one.
                let scaled = |(variance, scale): (&f32, &f32)| scale * (variance + EPSILON).sqrt();
                parameters[layer.scale] = variances.iter().zip(scale).map(scaled).collect();
                let shifted = |((shift, mean), scale): ((&f32, &f32), &f32)| shift + scale * mean;
                parameters[layer.shift] = shift.iter().zip(means).zip(scale).map(shifted).collect();
            }
            self.set_parameters(parameters);
        }
        Ok(())
    }

    fn set_parameters(&mut self, parameters: Values) {
        self.state = OptimiserState::new(&parameters, self.state.config);
        self.parameters = parameters;
    }

    /// What computes, in a few words for people.
    pub fn arithmetic(&self) -> String {
        self.passes.describe()
    }

    /// As [`Passes::operations`].
    pub(crate) fn operations(&self) -> Option<(Operations, f64)> {
        self.passes.operations()
    }

    /// Steps taken so far.
    pub fn steps(&self) -> u64 {
        self.state.steps
    }

    /// Learns from one batch.
    ///
    /// # Errors
    /// [`NetworkError::Data`] when the batch does not fit the network, [`TrainingError::Run`] when the loss or the
    /// gradient is not finite; the parameters are then as they were.
    pub fn step(&mut self, batch: &Batch, learning_rate: f32) -> Result<StepReport, TrainingError> {
        Ok(self.timed_step(batch, learning_rate)?.0)
    }

    /// As [`Learner::step`]; also tells how long the passes took, where the device can tell, and the update in seconds.
    pub(crate) fn timed_step(
        &mut self,
        batch: &Batch,
        learning_rate: f32,
    ) -> Result<(StepReport, Option<PassTimes>, f64), TrainingError> {
        let noise = self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(self.state.steps);
        let mut found = self.passes.gradients(&self.parameters, batch, &self.losses, noise)?;
        let begin = Instant::now();
        let gradient_norm = norm(&found.gradients);
        let LossGradients { policy_loss, value_loss, illegal_move_loss, .. } = found;
        let illegal_moves = illegal_move_loss.unwrap_or_default();
        let total_loss =
            self.losses.total(policy_loss.into(), illegal_moves.into(), value_loss.into()) as f32;
        if !(total_loss.is_finite() && gradient_norm.is_finite()) {
            return Err(TrainingError::Run(format!(
                "step {}: loss {total_loss}, gradient norm {gradient_norm}: expected finite numbers; a lower learning \
                 rate or clip_norm helps",
                self.state.steps + 1,
            )));
        }
        clip(&mut found.gradients, gradient_norm, self.state.config.clip_norm);
        self.state.step(&self.architecture, &mut self.parameters, &found.gradients, learning_rate);
        let report = StepReport { policy_loss, value_loss, illegal_move_loss, total_loss, gradient_norm };
        Ok((report, found.times, begin.elapsed().as_secs_f64()))
    }

    /// What the averaged weights with these statistics say: what is validated and exported.
    pub(crate) fn answers(&mut self, statistics: &Values, batch: &Batch) -> Result<Answers, NetworkError> {
        self.passes.answers(&self.state.average, Moments::Stored(statistics), batch)
    }

    /// Mean and variance of every normalisation over these batches, for the averaged weights: what the network uses in
    /// play.
    ///
    /// # Errors
    /// [`NetworkError::Data`] when a batch does not fit the network, [`TrainingError::Data`] when there is none.
    pub(crate) fn measure_statistics(&mut self, batches: &[Batch]) -> Result<Values, TrainingError> {
        if self.architecture.normalisations().is_empty() {
            return Ok(Values::new());
        }
        let mut sums: Option<Vec<Vec<f64>>> = None;
        for batch in batches {
            let answers = self.passes.answers(&self.state.average, Moments::Batch, batch)?;
            // Means and second moments add up over batches; variances do not.
            let powers = answers.moments.iter().map(|moments| to_second_moment(moments));
            sums = Some(match sums {
                None => powers.collect(),
                Some(sums) => sums.into_iter().zip(powers).map(|(sum, term)| add(sum, &term)).collect(),
            });
        }
        let sums = sums
            .ok_or_else(|| TrainingError::Data("no batch to measure normalisation statistics on".into()))?;
        Ok(sums.into_iter().map(|sum| from_second_moment(&sum, batches.len())).collect())
    }
}

/// Whether a layer's moments are those of weights that its normalisation has become part of.
fn is_folded(moments: &[f32]) -> bool {
    let (means, variances) = moments.split_at(moments.len() / 2);
    means.iter().all(|mean| *mean == 0.0) && variances.iter().all(|variance| *variance == 1.0 - EPSILON)
}

fn add(mut sum: Vec<f64>, term: &[f64]) -> Vec<f64> {
    for (sum, term) in sum.iter_mut().zip(term) {
        *sum += term;
    }
    sum
}

/// (mean, variance) -> (mean, mean square); `[2, channels]` -> the same.
fn to_second_moment(moments: &[f32]) -> Vec<f64> {
    let (mean, variance) = moments.split_at(moments.len() / 2);
    let mean = mean.iter().map(|mean| f64::from(*mean));
    let squares = mean.clone().zip(variance).map(|(mean, variance)| f64::from(*variance) + mean * mean);
    mean.clone().chain(squares).collect()
}

/// Sums of `count` (mean, mean square) -> (mean, variance); `[2, channels]` -> the same.
fn from_second_moment(sums: &[f64], count: usize) -> Vec<f32> {
    let (mean, square) = sums.split_at(sums.len() / 2);
    let mean = mean.iter().map(|sum| sum / count as f64);
    let variance = mean.clone().zip(square).map(|(mean, sum)| (sum / count as f64 - mean * mean).max(0.0));
    mean.clone().chain(variance).map(|value| value as f32).collect()
}

#[cfg(test)]
mod tests;
