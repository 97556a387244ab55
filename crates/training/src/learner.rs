//! A network in training: parameters, optimiser, and the training step.

use std::{collections::BTreeMap, time::Instant};

use chess::split_mix::spread;
use dataset::Batch;
use network::{
    NetworkError, Operations, Spec, TrainingPrecision, Weights,
    architecture::{Architecture, Normalisation},
    container::{Container, Matrix},
    parameter::{EPSILON, ParameterShape},
    passes::{LossGradients, NormStatistics, Outputs, Parameters, PassTimes, Passes, Statistics},
};

use crate::{
    LayerNorms, TrainingError,
    layer_norms::{Squares, squared_distance},
    losses::LossConfig,
    optimiser::{DeadUnits, OptimiserConfig, OptimiserState, PARTS, clip, squares},
    sparse::SparseLearner,
};

/// The most that rounding takes from a loss of 0, with room to spare.
const ROUNDING: f32 = 1e-3;

/// A network in training: parameters, optimiser and passes.
pub struct Learner {
    pub(crate) architecture: Architecture,
    machine: Machine,
    losses: LossConfig,
    /// Seed of random numbers in layers, combined with the step.
    seed: u64,
}

/// Parameters, optimiser state and passes, for the two kinds of network.
enum Machine {
    /// Updates every parameter in every step.
    Whole { parameters: Parameters, state: Box<OptimiserState>, passes: Box<dyn Passes> },
    /// Updates only the table rows that a batch reads.
    Rows(Box<SparseLearner>),
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
        let parameters = architecture.initial_parameters(seed)?;
        let machine = if let Some(rows) = SparseLearner::new(&architecture, &parameters, optimiser)? {
            Machine::Rows(Box::new(rows))
        } else {
            let state = Box::new(OptimiserState::new(&parameters, optimiser));
            let passes = architecture.passes(TrainingPrecision::default())?;
            Machine::Whole { parameters, state, passes }
        };
        Ok(Self { architecture, machine, losses, seed })
    }

    /// Sets the precision in which convolutions multiply.
    ///
    /// # Errors
    /// [`NetworkError::Precision`] if the network does not train in it.
    pub fn with_precision(mut self, precision: TrainingPrecision) -> Result<Self, NetworkError> {
        match &mut self.machine {
            Machine::Whole { passes, .. } => *passes = self.architecture.passes(precision)?,
            Machine::Rows(rows) => rows.set_precision(precision)?,
        }
        Ok(self)
    }

    /// Loads a network's weights; the optimiser state is reset. Where normalisation was folded into the weights, as in
    /// imported networks, layers get a normalisation that does not change the network's outputs on these batches.
    ///
    /// # Errors
    /// [`NetworkError::Data`] if a batch does not fit the network. The network must have the learner's specification.
    pub(crate) fn start_from(&mut self, weights: &Weights, batches: &[Batch]) -> Result<(), TrainingError> {
        let (parameters, statistics) = weights.values();
        self.set_parameters(parameters);
        let layers = self.architecture.normalisations();
        let folded = |layer: &Normalisation| is_folded(&statistics[layer.statistics]);
        if !layers.iter().all(folded) {
            return Ok(());
        }
        let copied = |part: fn(&Normalisation) -> usize| -> Parameters {
            let Machine::Whole { parameters, .. } = &self.machine else { return Parameters::new() };
            layers.iter().map(|layer| parameters[part(layer)].clone()).collect()
        };
        let (scales, shifts) = (copied(|layer| layer.scale), copied(|layer| layer.shift));
        // Each round measures the layers whose inputs are already final, so there are at most as many rounds as layers.
        for _ in 0..layers.len() {
            let statistics = self.measure_statistics(batches)?;
            let Machine::Whole { parameters, .. } = &mut self.machine else { return Ok(()) };
            let mut parameters = std::mem::take(parameters);
            for ((layer, scale), shift) in layers.iter().zip(&scales).zip(&shifts) {
                let (means, variances) = statistics[layer.statistics].split_at(shift.len());
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

    fn set_parameters(&mut self, new: Parameters) {
        match &mut self.machine {
            Machine::Whole { parameters, state, .. } => {
                **state = OptimiserState::new(&new, state.config);
                *parameters = new;
            }
            Machine::Rows(rows) => rows.optimiser.start_from(&new),
        }
    }

    /// Human-readable description of the backend.
    pub fn arithmetic(&self) -> String {
        match &self.machine {
            Machine::Whole { passes, .. } => passes.describe(),
            Machine::Rows(rows) => rows.passes.describe(),
        }
    }

    /// Multiply-adds and peak rate, as in [`Passes::operations`]; `None` for sparse networks.
    pub(crate) fn operations(&self) -> Option<(Operations, f64)> {
        match &self.machine {
            Machine::Whole { passes, .. } => passes.operations(),
            Machine::Rows(_) => None,
        }
    }

    /// Number of optimiser steps taken so far.
    pub fn steps(&self) -> u64 {
        match &self.machine {
            Machine::Whole { state, .. } => state.steps,
            Machine::Rows(rows) => rows.optimiser.steps(),
        }
    }

    /// The averaged weights, which are validated and exported.
    pub(crate) fn average(&self) -> Parameters {
        match &self.machine {
            Machine::Whole { parameters, state, .. } => state.averaged(parameters).clone(),
            Machine::Rows(rows) => rows.average(),
        }
    }

    pub(crate) fn dead_units(&self) -> Vec<DeadUnits> {
        match &self.machine {
            Machine::Whole { state, .. } => state.dead_units(&self.architecture),
            Machine::Rows(_) => Vec::new(),
        }
    }

    /// Everything that determines the next step, as named matrices.
    pub(crate) fn matrices(&self) -> Vec<Matrix> {
        let shapes = self.architecture.parameters();
        match &self.machine {
            Machine::Rows(rows) => rows.optimiser.matrices(shapes),
            Machine::Whole { parameters, state, .. } => {
                let average = state.averaged(parameters);
                let parts = PARTS.iter().zip([parameters, &state.first, &state.second, average]);
                let matrix = |part: &str, (shape, values): (&ParameterShape, &Vec<f32>)| Matrix {
                    name: format!("{part}/{}", shape.name),
                    shape: [shape.rows, shape.columns],
                    values: values.clone(),
                };
                parts
                    .flat_map(|(part, values)| shapes.iter().zip(values).map(move |one| matrix(part, one)))
                    .collect()
            }
        }
    }

    /// Restores the state that [`Learner::matrices`] of a learner returned after `steps` steps.
    ///
    /// # Errors
    /// [`NetworkError::Format`] with the matrix that is missing or differs.
    pub(crate) fn restore(
        &mut self,
        steps: u64,
        container: &mut Container,
        place: &str,
    ) -> Result<(), NetworkError> {
        let shapes = self.architecture.parameters();
        match &mut self.machine {
            Machine::Rows(rows) => rows.optimiser.restore(shapes, steps, container, place),
            Machine::Whole { parameters, state, .. } => {
                let mut part = |part: &str| -> Result<Parameters, NetworkError> {
                    let take = |shape: &ParameterShape| {
                        container.take(&format!("{part}/{}", shape.name), [shape.rows, shape.columns], place)
                    };
                    shapes.iter().map(take).collect()
                };
                let [first, second, third, fourth] = PARTS;
                *parameters = part(first)?;
                state.first = part(second)?;
                state.second = part(third)?;
                state.set_average(part(fourth)?);
                state.steps = steps;
                Ok(())
            }
        }
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
        let (found, is_bounded) = self.gradients(batch)?;
        let begin = Instant::now();
        let gradients: Vec<f64> = found.gradients.iter().map(|values| squares(values)).collect();
        let LossGradients { policy_loss, value_loss, illegal_move_loss, times, .. } = found;
        let illegal_moves = illegal_move_loss.unwrap_or_default();
        let total_loss =
            self.losses.total(policy_loss.into(), illegal_moves.into(), value_loss.into()) as f32;
        let length = |squares: &[f64]| squares.iter().sum::<f64>().sqrt() as f32;
        let norm = if is_bounded { length(&gradients) } else { f32::INFINITY };
        if !(total_loss.is_finite() && norm.is_finite()) {
            return Err(TrainingError::Run(format!(
                "step {}: loss {total_loss}, gradient norm {norm}: expected finite numbers; a lower learning rate or \
                 clip_norm helps",
                self.steps() + 1,
            )));
        }
        if value_loss < -ROUNDING {
            return Err(TrainingError::Run(format!(
                "step {}: value loss {value_loss}, expected at least 0: a weight or a target of its samples is negative",
                self.steps() + 1,
            )));
        }
        // Rows have caught up on missed steps by now, so all further changes belong to this step.
        let before: Parameters = match details {
            StepDetails::Costs => Parameters::new(),
            StepDetails::CostsAndLayers => self.numbers().into_iter().map(<[f32]>::to_vec).collect(),
        };
        let gradient = self.update(found.gradients, gradients, learning_rate);
        let gradient_norm = length(&gradient);
        let layers = match details {
            StepDetails::Costs => BTreeMap::new(),
            StepDetails::CostsAndLayers => self.layer_norms(gradient, &before),
        };
        let report = StepReport { policy_loss, value_loss, illegal_move_loss, total_loss, gradient_norm };
        Ok(StepDetail { report, passes: times, update: begin.elapsed().as_secs_f64(), layers })
    }

    /// The losses of a batch with its gradients, and false if gradients kept in the sparse learner are not finite.
    fn gradients(&mut self, batch: &Batch) -> Result<(LossGradients, bool), NetworkError> {
        let steps = self.steps();
        match &mut self.machine {
            Machine::Rows(rows) => rows.gradients(batch, &self.losses),
            Machine::Whole { parameters, passes, .. } => {
                let noise = spread(self.seed).wrapping_add(steps);
                Ok((passes.gradients(parameters, batch, &self.losses, noise)?, true))
            }
        }
    }

    /// Updates the parameters with the gradients and returns the gradients' sums of squares. These are given in `squares`,
    /// except for sparse networks, which compute their own.
    fn update(&mut self, mut gradients: Parameters, squares: Vec<f64>, learning_rate: f32) -> Vec<f64> {
        match &mut self.machine {
            Machine::Rows(rows) => rows.step(learning_rate),
            Machine::Whole { parameters, state, passes } => {
                let norm = squares.iter().sum::<f64>().sqrt() as f32;
                clip(&mut gradients, norm, state.config.clip_norm);
                state.step(&self.architecture, parameters, &gradients, learning_rate);
                passes.give_back(gradients);
                squares
            }
        }
    }

    /// The current values of all parameters.
    fn numbers(&self) -> Vec<&[f32]> {
        match &self.machine {
            Machine::Whole { parameters, .. } => parameters.iter().map(Vec::as_slice).collect(),
            Machine::Rows(rows) => rows.optimiser.values(),
        }
    }

    fn layer_norms(&self, gradient: Vec<f64>, before: &Parameters) -> BTreeMap<String, LayerNorms> {
        let numbers = self.numbers();
        let update = numbers.iter().zip(before).map(|(now, before)| squared_distance(now, before)).collect();
        let weights = numbers.iter().map(|values| squares(values)).collect();
        Squares { gradient, update, weights }.by_layer(self.architecture.parameters())
    }

    /// The outputs for given weights and statistics, because it is the averaged weights that are validated and
    /// exported.
    pub(crate) fn forward(
        &mut self,
        weights: &Parameters,
        statistics: &Statistics,
        batch: &Batch,
    ) -> Result<Outputs, NetworkError> {
        match &mut self.machine {
            Machine::Whole { passes, .. } => {
                passes.forward(weights, NormStatistics::Stored(statistics), batch)
            }
            Machine::Rows(rows) => rows.passes.forward(weights, batch),
        }
    }

    /// Mean and variance of every normalisation over these batches, for the averaged weights: the statistics that the
    /// network uses in play.
    ///
    /// # Errors
    /// [`NetworkError::Data`] if a batch does not fit the network, [`TrainingError::Data`] if there are no batches.
    pub(crate) fn measure_statistics(&mut self, batches: &[Batch]) -> Result<Statistics, TrainingError> {
        if self.architecture.normalisations().is_empty() {
            return Ok(Statistics::new());
        }
        let Machine::Whole { parameters, state, passes } = &mut self.machine else {
            return Ok(Statistics::new());
        };
        let mut sums: Option<Vec<Vec<f64>>> = None;
        for batch in batches {
            let outputs = passes.forward(state.averaged(parameters), NormStatistics::Batch, batch)?;
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
mod tests;
