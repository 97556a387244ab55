//! A network in training, and the training step.

use std::{borrow::Cow, collections::BTreeMap, time::Instant};

use chess::split_mix::spread;
use dataset::Batch;
use network::{
    NetworkError, OptimiserConfig, Spec, TrainingPrecision, Weights,
    architecture::Architecture,
    optimiser::squares,
    parameter::EPSILON,
    passes::{NormStatistics, Outputs, Parameters, PassTimes, Statistics},
    trainable::{BatchLosses, Trainable},
};

use crate::{
    LayerNorms, Recipe, TrainingError,
    layer_norms::{Squares, squared_distance},
    losses::LossConfig,
};

/// Tolerance for losses below 0 by rounding, generous.
const ROUNDING: f32 = 1e-3;

/// A network in training with the recipe's losses.
pub struct Learner {
    pub(crate) architecture: Architecture,
    pub(crate) network: Box<dyn Trainable>,
    losses: LossConfig,
    /// Seed of random numbers in layers, combined with the step.
    seed: u64,
}

/// Losses and gradient norm of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Cross-entropy of the policy over legal moves, in nats.
    pub policy_loss: f32,
    /// Loss of the value head.
    pub value_loss: f32,
    /// -ln(total probability of the legal moves), if this loss has a weight.
    pub illegal_move_loss: Option<f32>,
    /// The weighted sum that was minimised.
    pub total_loss: f32,
    /// Norm of the gradient before clipping.
    pub gradient_norm: f32,
}

/// The report of a step, its durations, and the norms of each layer.
pub(crate) struct StepDetail {
    pub(crate) report: StepReport,
    /// Duration of the passes, if measured.
    pub(crate) passes: Option<PassTimes>,
    /// Duration of the update in seconds.
    pub(crate) update: f64,
    /// Norms by layer; empty unless they were requested.
    pub(crate) layers: BTreeMap<String, LayerNorms>,
}

/// The measurements of a step in addition to its losses.
#[derive(Clone, Copy)]
pub(crate) enum StepDetails {
    Costs,
    /// Also norms by layer, which requires copying all parameters.
    CostsAndLayers,
}

impl Learner {
    /// A network with random weights.
    ///
    /// # Errors
    /// As [`Spec::check`]; [`NetworkError::Kernel`] if the machine lacks the instruction set that `TABIYA_ISA` names.
    pub fn new(
        spec: &Spec,
        losses: LossConfig,
        optimiser: OptimiserConfig,
        seed: u64,
    ) -> Result<Self, NetworkError> {
        let architecture = Architecture::new(spec)?;
        let network = architecture.trainable(architecture.initial_parameters(seed)?, optimiser)?;
        Ok(Self { architecture, network, losses, seed })
    }

    /// The network of a recipe with random weights.
    ///
    /// # Errors
    /// As [`Learner::new`] and [`Learner::with_precision`].
    pub fn of_recipe(recipe: &Recipe) -> Result<Self, NetworkError> {
        let Recipe { network, losses, optimiser, training, .. } = recipe;
        Self::new(network, *losses, *optimiser, training.seed)?.with_precision(training.precision)
    }

    /// The same, trained by something else than this program's kernels: `network` has the recipe's network and optimiser.
    ///
    /// # Errors
    /// As [`Spec::check`]; [`NetworkError::Precision`] if the network does not train in the recipe's precision.
    pub fn of_recipe_in(recipe: &Recipe, mut network: Box<dyn Trainable>) -> Result<Self, NetworkError> {
        let Recipe { losses, training, .. } = recipe;
        let architecture = Architecture::new(&recipe.network)?;
        network.set_precision(training.precision)?;
        network.start_from(architecture.initial_parameters(training.seed)?);
        Ok(Self { architecture, network, losses: *losses, seed: training.seed })
    }

    /// Sets the precision of the products in convolutions and dense layers.
    ///
    /// # Errors
    /// [`NetworkError::Precision`] if the network does not train in it.
    pub fn with_precision(mut self, precision: TrainingPrecision) -> Result<Self, NetworkError> {
        self.network.set_precision(precision)?;
        Ok(self)
    }

    /// Loads a network's weights; the optimiser state is reset. Where normalisation was folded into the weights, as in
    /// imported networks, layers get a normalisation that does not change the network's outputs on these batches.
    ///
    /// # Errors
    /// [`NetworkError::Data`] if a batch does not fit the network. The network must have the learner's specification.
    pub(crate) fn start_from(&mut self, weights: &Weights, batches: &[Batch]) -> Result<(), TrainingError> {
        let (mut parameters, statistics) = weights.values();
        self.network.start_from(parameters.clone());
        let layers = self.architecture.normalisations();
        if !layers.iter().all(|layer| is_folded(&statistics[layer.statistics])) {
            return Ok(());
        }
        // A folded layer computes scale * x + shift. A normalisation computes the same if its scale is multiplied by the standard
        // deviation of x and its shift makes up for the mean. Both depend on all layers before it, which already normalise while they
        // are measured: measuring every layer once would use inputs that change as soon as the layers before are corrected. The first
        // layer is right after the first round, and each round corrects at least the first layer whose inputs are final, so there are
        // at most as many rounds as layers.
        let scales: Parameters = layers.iter().map(|layer| parameters[layer.scale].clone()).collect();
        let shifts: Parameters = layers.iter().map(|layer| parameters[layer.shift].clone()).collect();
        for _ in 0..layers.len() {
            let statistics = self.measure_statistics(batches)?;
            for (index, layer) in layers.iter().enumerate() {
                let (means, variances) = statistics[layer.statistics].split_at(shifts[index].len());
                for (channel, shift) in shifts[index].iter().enumerate() {
                    // Grown networks have scales that are not one.
                    let scale = scales[index][channel];
                    parameters[layer.scale][channel] = scale * (variances[channel] + EPSILON).sqrt();
                    parameters[layer.shift][channel] = shift + scale * means[channel];
                }
            }
            self.network.start_from(parameters.clone());
        }
        Ok(())
    }

    /// Human-readable description of the arithmetic: kernels or PyTorch, instruction set, precision.
    pub fn arithmetic(&self) -> String {
        self.network.describe()
    }

    /// Number of optimiser steps taken so far.
    pub fn steps(&self) -> u64 {
        self.network.steps()
    }

    /// Trains on one batch.
    ///
    /// # Errors
    /// [`NetworkError::Data`] if the batch does not fit the network, [`TrainingError::Run`] if the loss or the gradient
    /// is not finite; the parameters are then unchanged.
    pub fn step(&mut self, batch: &Batch, learning_rate: f32) -> Result<StepReport, TrainingError> {
        Ok(self.detailed_step(batch, learning_rate, StepDetails::Costs)?.report)
    }

    /// As [`Learner::step`], with additional measurements.
    pub(crate) fn detailed_step(
        &mut self,
        batch: &Batch,
        learning_rate: f32,
        details: StepDetails,
    ) -> Result<StepDetail, TrainingError> {
        let noise = spread(self.seed).wrapping_add(self.steps());
        let found = self.network.gradients(batch, &self.losses, noise)?;
        let begin = Instant::now();
        let BatchLosses { policy_loss, value_loss, illegal_move_loss, is_bounded, times } = found;
        let illegal_moves = illegal_move_loss.unwrap_or_default();
        let total_loss =
            self.losses.total(policy_loss.into(), illegal_moves.into(), value_loss.into()) as f32;
        // Checked before the update: one step with a number that is not finite would spoil all parameters and the averages for good,
        // and the next checkpoint with them. The run ends, and the newest checkpoint is still sound.
        if !(total_loss.is_finite() && is_bounded) {
            let gradient = if is_bounded { "a finite gradient" } else { "a gradient that is not finite" };
            return Err(TrainingError::Run(format!(
                "step {}: loss {total_loss}, {gradient}: expected finite numbers; a lower learning rate or clip_norm helps",
                self.steps() + 1,
            )));
        }
        if value_loss < -ROUNDING {
            return Err(TrainingError::Run(format!(
                "step {}: value loss {value_loss}, expected at least 0: a weight or a target of its samples is negative",
                self.steps() + 1,
            )));
        }
        // Rows have caught up on skipped steps, so all further changes are those of this step.
        let before: Parameters = match details {
            StepDetails::Costs => Parameters::new(),
            StepDetails::CostsAndLayers => self.network.values().into_iter().map(Cow::into_owned).collect(),
        };
        let gradient = self.network.step(learning_rate)?;
        let gradient_norm = gradient.iter().sum::<f64>().sqrt() as f32;
        let layers = match details {
            StepDetails::Costs => BTreeMap::new(),
            StepDetails::CostsAndLayers => self.layer_norms(gradient, &before),
        };
        let report = StepReport { policy_loss, value_loss, illegal_move_loss, total_loss, gradient_norm };
        Ok(StepDetail { report, passes: times, update: begin.elapsed().as_secs_f64(), layers })
    }

    fn layer_norms(&self, gradient: Vec<f64>, before: &Parameters) -> BTreeMap<String, LayerNorms> {
        let numbers = self.network.values();
        let update = numbers.iter().zip(before).map(|(now, before)| squared_distance(now, before)).collect();
        let weights = numbers.iter().map(|values| squares(values)).collect();
        Squares { gradient, update, weights }.by_layer(self.architecture.parameters())
    }

    /// The outputs for given weights and statistics: validation and export use the averaged weights.
    pub(crate) fn forward(
        &mut self,
        weights: &Parameters,
        statistics: &Statistics,
        batch: &Batch,
    ) -> Result<Outputs, NetworkError> {
        self.network.forward(weights, NormStatistics::Stored(statistics), batch)
    }

    /// Mean and variance of every normalisation over these batches, for the averaged weights: the statistics that play and validation
    /// use.
    ///
    /// They are measured and not kept as running averages during training, because running averages would belong to the weights of
    /// the last steps: the averaged weights have never seen a batch. It also leaves nothing to store in a checkpoint.
    ///
    /// # Errors
    /// [`NetworkError::Data`] if a batch does not fit the network, [`TrainingError::Data`] if there are no batches.
    pub(crate) fn measure_statistics(&mut self, batches: &[Batch]) -> Result<Statistics, TrainingError> {
        if self.architecture.normalisations().is_empty() {
            return Ok(Statistics::new());
        }
        if batches.is_empty() {
            return Err(TrainingError::Data("no batch to measure normalisation statistics on".into()));
        }
        let averaged = self.network.averaged();
        let mut sums: Vec<Vec<f64>> = Vec::new();
        for batch in batches {
            let outputs = self.network.forward(&averaged, NormStatistics::Batch, batch)?;
            // Means and second moments are additive over batches; variances are not.
            let moments = outputs.statistics.iter().map(|statistics| to_second_moment(statistics));
            if sums.is_empty() {
                sums = moments.collect();
            } else {
                for (sum, term) in sums.iter_mut().zip(moments) {
                    add(sum, &term);
                }
            }
        }
        Ok(sums.iter().map(|sum| from_second_moment(sum, batches.len())).collect())
    }
}

/// True if a layer's statistics show that its normalisation has been folded into the weights.
fn is_folded(statistics: &[f32]) -> bool {
    let (means, variances) = statistics.split_at(statistics.len() / 2);
    means.iter().all(|mean| *mean == 0.0) && variances.iter().all(|variance| *variance == 1.0 - EPSILON)
}

fn add(sum: &mut [f64], term: &[f64]) {
    for (sum, term) in sum.iter_mut().zip(term) {
        *sum += term;
    }
}

/// (mean, variance) -> (mean, mean square); `[2, channels]` -> `[2, channels]`.
fn to_second_moment(statistics: &[f32]) -> Vec<f64> {
    let (means, variances) = statistics.split_at(statistics.len() / 2);
    let mut moments: Vec<f64> = means.iter().map(|mean| f64::from(*mean)).collect();
    for (mean, variance) in means.iter().zip(variances) {
        let mean = f64::from(*mean);
        moments.push(f64::from(*variance) + mean * mean);
    }
    moments
}

/// Sums of `count` (mean, mean square) -> (mean, variance); `[2, channels]` -> `[2, channels]`.
fn from_second_moment(sums: &[f64], count: usize) -> Vec<f32> {
    let count = count as f64;
    let (means, squares) = sums.split_at(sums.len() / 2);
    let mut statistics: Vec<f32> = means.iter().map(|sum| (sum / count) as f32).collect();
    for (mean, square) in means.iter().zip(squares) {
        let mean = mean / count;
        // Rounding may leave a little less than nothing of a channel that is constant.
        statistics.push((square / count - mean * mean).max(0.0) as f32);
    }
    statistics
}

#[cfg(test)]
mod sparse_tests;
#[cfg(test)]
mod tests;
