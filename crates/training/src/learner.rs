//! A network in training, and the training step.

use std::{borrow::Cow, collections::BTreeMap, time::Instant};

use chess::split_mix::spread;
use dataset::Batch;
use network::{
    NetworkError, OptimiserConfig, Spec, TrainingPrecision, Weights,
    architecture::{Architecture, Normalisation},
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

    /// Sets the precision of the products in convolutions.
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
        let folded = |layer: &Normalisation| is_folded(&statistics[layer.statistics]);
        if !layers.iter().all(folded) {
            return Ok(());
        }
        let copied = |part: fn(&Normalisation) -> usize| -> Parameters {
            layers.iter().map(|layer| parameters[part(layer)].clone()).collect()
        };
        let (scales, shifts) = (copied(|layer| layer.scale), copied(|layer| layer.shift));
        // Each round measures the layers whose inputs are already final, so there are at most as many rounds as layers.
        for _ in 0..layers.len() {
            let statistics = self.measure_statistics(batches)?;
            for ((layer, scale), shift) in layers.iter().zip(&scales).zip(&shifts) {
                let (means, variances) = statistics[layer.statistics].split_at(shift.len());
                // Grown networks have scales that are not one.
                let scaled = |(variance, scale): (&f32, &f32)| scale * (variance + EPSILON).sqrt();
                parameters[layer.scale] = variances.iter().zip(scale).map(scaled).collect();
                let shifted = |((shift, mean), scale): ((&f32, &f32), &f32)| shift + scale * mean;
                parameters[layer.shift] = shift.iter().zip(means).zip(scale).map(shifted).collect();
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

    /// Mean and variance of every normalisation over these batches, for the averaged weights: the running
    /// statistics for play.
    ///
    /// # Errors
    /// [`NetworkError::Data`] if a batch does not fit the network, [`TrainingError::Data`] if there are no batches.
    pub(crate) fn measure_statistics(&mut self, batches: &[Batch]) -> Result<Statistics, TrainingError> {
        if self.architecture.normalisations().is_empty() {
            return Ok(Statistics::new());
        }
        let averaged = self.network.averaged();
        let mut sums: Option<Vec<Vec<f64>>> = None;
        for batch in batches {
            let outputs = self.network.forward(&averaged, NormStatistics::Batch, batch)?;
            // Means and second moments are additive over batches; variances are not.
            let powers = outputs.statistics.iter().map(|statistics| to_second_moment(statistics));
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

/// True if a layer's statistics show that its normalisation has been folded into the weights.
fn is_folded(statistics: &[f32]) -> bool {
    let (means, variances) = statistics.split_at(statistics.len() / 2);
    means.iter().all(|mean| *mean == 0.0) && variances.iter().all(|variance| *variance == 1.0 - EPSILON)
}

fn add(mut sum: Vec<f64>, term: &[f64]) -> Vec<f64> {
    for (sum, term) in sum.iter_mut().zip(term) {
        *sum += term;
    }
    sum
}

/// (mean, variance) -> (mean, mean square); `[2, channels]` -> `[2, channels]`.
fn to_second_moment(statistics: &[f32]) -> Vec<f64> {
    let (mean, variance) = statistics.split_at(statistics.len() / 2);
    let mean = mean.iter().map(|mean| f64::from(*mean));
    let squares = mean.clone().zip(variance).map(|(mean, variance)| f64::from(*variance) + mean * mean);
    mean.clone().chain(squares).collect()
}

/// Sums of `count` (mean, mean square) -> (mean, variance); `[2, channels]` -> `[2, channels]`.
fn from_second_moment(sums: &[f64], count: usize) -> Vec<f32> {
    let (mean, square) = sums.split_at(sums.len() / 2);
    let mean = mean.iter().map(|sum| sum / count as f64);
    let variance = mean.clone().zip(square).map(|(mean, sum)| (sum / count as f64 - mean * mean).max(0.0));
    mean.clone().chain(variance).map(|value| value as f32).collect()
}

#[cfg(test)]
mod sparse_tests;
#[cfg(test)]
mod tests;
