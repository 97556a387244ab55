//! Optimisers of whole parameters with gradient clipping, and the exponential moving average of the weights.

mod config;
mod muon;

use std::sync::LazyLock;

use kernels::{
    Isa,
    sparse::training::{AdamStep, AdamW, GradientStep, RowState, squares_in_double},
};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    NetworkError,
    parameter::{ParameterShape, is_normalised},
    passes::Parameters,
};

pub use config::{OptimiserConfig, OptimiserKind};

/// The parts of a parameter in a checkpoint, as prefixes of its name: values, averages of the gradient, of the squared gradient
/// and of the values.
pub const PARTS: [&str; 4] = ["parameters", "first", "second", "average"];

/// Values of a parameter that a thread updates, and then averages, while they are in the cache; and of a gradient that it squares. It
/// does not depend on the number of threads, so sums are reproducible.
const PIECE: usize = 1 << 14;

/// The moving averages that the optimiser keeps from step to step, including that of the weights.
#[derive(Clone, Debug)]
pub(crate) struct OptimiserState {
    pub(crate) config: OptimiserConfig,
    isa: Isa,
    pub(crate) steps: u64,
    /// Moving average of the gradient of each parameter, or its velocity.
    pub(crate) first: Parameters,
    /// Moving average of the squared gradient of each parameter; zero if the optimiser does not use it.
    pub(crate) second: Parameters,
    /// Moving average of each parameter; empty if the parameters themselves are exported.
    average: Parameters,
}

impl OptimiserState {
    /// The state before the first step.
    ///
    /// # Errors
    /// [`NetworkError::Kernel`] if `TABIYA_ISA` names an instruction set that this machine lacks.
    pub(crate) fn new(parameters: &Parameters, config: OptimiserConfig) -> Result<Self, NetworkError> {
        let mut state = Self {
            config,
            isa: Isa::chosen()?,
            steps: 0,
            first: Parameters::new(),
            second: Parameters::new(),
            average: Parameters::new(),
        };
        state.start_from(parameters);
        Ok(state)
    }

    /// Forgets all steps.
    pub(crate) fn start_from(&mut self, parameters: &Parameters) {
        self.steps = 0;
        self.first = parameters.iter().map(|values| vec![0.0; values.len()]).collect();
        self.second.clone_from(&self.first);
        self.set_average(parameters.clone());
    }

    pub(crate) fn averaged<'a>(&'a self, parameters: &'a Parameters) -> &'a Parameters {
        if self.config.average_decay == 0.0 { parameters } else { &self.average }
    }

    pub(crate) fn set_average(&mut self, average: Parameters) {
        self.average = average;
        if self.config.average_decay == 0.0 {
            self.average.fill(Vec::new());
        }
    }

    /// Updates the parameters with their gradients.
    pub(crate) fn step(
        &mut self,
        shapes: &[ParameterShape],
        parameters: &mut Parameters,
        gradients: &Parameters,
        learning_rate: f32,
    ) {
        self.steps += 1;
        let step = Step { config: self.config, step: self.config.step(self.steps, learning_rate) };
        let kind = self.config.kind;
        let is_muon = |number: usize| kind == OptimiserKind::Muon && shapes[number].is_hidden();
        let mut tasks = Vec::new();
        let mut states = self.first.iter_mut().zip(&mut self.second).zip(&mut self.average);
        for (number, (values, gradient)) in parameters.iter_mut().zip(gradients).enumerate() {
            let Some(((first, second), average)) = states.next() else { break };
            // Muon needs the whole matrix. All else is element by element, and a dense layer may have most of a network's weights.
            let piece = if is_muon(number) { values.len().max(1) } else { PIECE };
            let mut averages = average.chunks_mut(piece);
            let mut moments = first.chunks_mut(piece).zip(second.chunks_mut(piece));
            for (values, gradient) in values.chunks_mut(piece).zip(gradient.chunks(piece)) {
                let Some((first, second)) = moments.next() else { break };
                let average = averages.next().unwrap_or_default();
                tasks.push((number, RowState { values, first, second, average }, gradient));
            }
        }
        // No sum crosses two pieces, so the result does not depend on the threads.
        tasks.into_par_iter().for_each(|(number, state, gradient)| {
            let shape = &shapes[number];
            match kind {
                OptimiserKind::Muon if is_muon(number) => {
                    step.muon(shape, is_normalised(shapes, number), gradient, state);
                }
                OptimiserKind::Sgd => step.sgd(shape, gradient, state),
                _ => {
                    let adam = self.config.adam(shape, f32::INFINITY);
                    let last = GradientStep { settings: step.step, gradient, scale: 1.0 };
                    adam.step(self.isa, &[], last, state);
                }
            }
        });
    }
}

/// Settings shared by all parameters in a step.
#[derive(Clone, Copy)]
struct Step {
    config: OptimiserConfig,
    step: AdamStep,
}

impl Step {
    /// Gradient descent with momentum.
    fn sgd(self, shape: &ParameterShape, gradient: &[f32], state: RowState<'_>) {
        let (rate, decay) = (self.step.rate, self.config.decay_of(shape));
        let RowState { values, first, average, .. } = state;
        for ((value, velocity), gradient) in values.iter_mut().zip(first).zip(gradient) {
            let gradient = gradient + decay * *value;
            *value -= rate * self.config.momentum_direction(velocity, gradient);
        }
        self.average(average, values);
    }

    fn muon(self, shape: &ParameterShape, is_normalised: bool, gradient: &[f32], state: RowState<'_>) {
        let RowState { values, first: velocity, average, .. } = state;
        let rate = self.step.rate * self.config.relative_rate(is_normalised);
        let mut directions = Vec::with_capacity(gradient.len());
        for (velocity, gradient) in velocity.iter_mut().zip(gradient) {
            directions.push(self.config.momentum_direction(velocity, *gradient));
        }
        // All singular values of the direction become one, so its length says nothing about the gradient's: the rate alone sets
        // the size of the step, and Muon needs no average of squares. The weights decay apart from it, as in AdamW.
        let directions = muon::orthogonalised(&directions, shape);
        let kept = 1.0 - rate * self.config.weight_decay;
        let rate = rate * muon::scale(shape);
        for (value, direction) in values.iter_mut().zip(&directions) {
            *value = *value * kept - rate * direction;
        }
        self.average(average, values);
    }

    /// Moves averaged weights towards the parameters.
    fn average(self, average: &mut [f32], values: &[f32]) {
        let decay = self.step.average_decay;
        for (average, value) in average.iter_mut().zip(values) {
            *average = *average * decay + value * (1.0 - decay);
        }
    }
}

impl OptimiserConfig {
    /// AdamW, or Adam, of a parameter, whose values are kept within `limit` of zero.
    pub(crate) fn adam(&self, shape: &ParameterShape, limit: f32) -> AdamW {
        AdamW {
            beta1: self.beta1,
            beta2: self.beta2,
            epsilon: self.epsilon,
            weight_decay: self.decay_of(shape),
            is_coupled: self.kind == OptimiserKind::Adam,
            limit,
        }
    }

    /// The settings of a step, of which the first has the number 1.
    pub(crate) fn step(&self, step: u64, rate: f32) -> AdamStep {
        AdamStep {
            rate,
            first_correction: bias_correction(self.beta1, step),
            second_correction: bias_correction(self.beta2, step),
            average_decay: average_decay(self.average_decay, step),
        }
    }

    /// The weight decay of a parameter: only matrices decay.
    fn decay_of(&self, shape: &ParameterShape) -> f32 {
        if shape.is_weight() { self.weight_decay } else { 0.0 }
    }
}

/// The sum of the weights that a moving average gives to the gradients of `step` steps (Adam, section 3). The average starts
/// at zero, so without this divisor the first steps would be too small. In 64 bits: 1 - beta^step of one step cancels most
/// digits of a beta near 1.
fn bias_correction(beta: f32, step: u64) -> f32 {
    (1.0 - f64::from(beta).powf(step as f64)) as f32
}

/// The decay of the weights' average at a step: smaller at first, so that the random start is soon forgotten, as in
/// TensorFlow's `ExponentialMovingAverage` with `num_updates`.
fn average_decay(decay: f32, step: u64) -> f32 {
    let step = step as f32;
    decay.min((1.0 + step) / (10.0 + step))
}

/// The sums of squares of each parameter's gradient.
pub(crate) fn gradient_squares(gradients: &Parameters) -> Vec<f64> {
    let pieces: Vec<&[f32]> = gradients.iter().flat_map(|values| values.chunks(PIECE)).collect();
    let of_pieces: Vec<f64> = pieces.into_par_iter().map(squares).collect();
    let mut of_pieces = of_pieces.into_iter();
    gradients.iter().map(|values| of_pieces.by_ref().take(values.len().div_ceil(PIECE)).sum()).collect()
}

/// The sum of squares, which is the same on every instruction set.
pub fn squares(values: &[f32]) -> f64 {
    // A `TABIYA_ISA` that this machine lacks has been an error before a training begins ([`OptimiserState::new`]).
    static ISA: LazyLock<Isa> = LazyLock::new(|| Isa::chosen().unwrap_or(Isa::Portable));
    squares_in_double(*ISA, values)
}

/// Scales the gradients down to the norm `limit` if they are longer; `limit` 0 leaves them unchanged.
pub(crate) fn clip(gradients: &mut Parameters, norm: f32, limit: f32) {
    if limit > 0.0 && norm > limit {
        // All parameters together, so that the direction of the step stays that of the gradient.
        let factor = limit / norm;
        let pieces = gradients.par_iter_mut().flat_map(|values| values.par_chunks_mut(PIECE));
        pieces.for_each(|values| values.iter_mut().for_each(|value| *value *= factor));
    }
}

/// Threshold as a fraction of the largest average gradient in all hidden layers: a unit below it has had no
/// gradient for hundreds of steps.
const NOTHING: f32 = 1e-9;

/// Units of a hidden layer that receive no gradient: ReLUs that output zero for every position, permanently
/// ("dying ReLUs"; Sokar et al. 2023, arXiv 2302.12902, call them dormant). The cause is a learning rate too
/// high for the layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadUnits {
    /// Path of the layer, such as `value.hidden`.
    pub layer: String,
    /// Number of units without a gradient.
    #[serde(rename = "idle")]
    pub dead: usize,
    /// Number of all units in the layer.
    pub units: usize,
}

impl OptimiserState {
    /// The layers that have dead units, in order.
    pub(crate) fn dead_units(&self, shapes: &[ParameterShape]) -> Vec<DeadUnits> {
        let hidden = shapes.iter().zip(&self.first).filter(|(shape, _)| shape.is_hidden());
        // For each layer, the largest average gradient of the weights of each unit.
        let mut largest_of_layers: Vec<(&ParameterShape, Vec<f32>)> = Vec::new();
        for (shape, average) in hidden {
            let mut largest = vec![0.0_f32; shape.columns];
            for row in average.chunks_exact(shape.columns) {
                for (largest, value) in largest.iter_mut().zip(row) {
                    *largest = largest.max(value.abs());
                }
            }
            largest_of_layers.push((shape, largest));
        }
        // Relative to all layers, so that a layer whose units are all dead is also found.
        let limit =
            NOTHING * largest_of_layers.iter().flat_map(|(_, largest)| largest).copied().fold(0.0, f32::max);
        let mut layers = Vec::new();
        for (shape, largest) in largest_of_layers {
            let dead = largest.iter().filter(|&&value| value < limit).count();
            if dead > 0 {
                let layer = shape.name.trim_end_matches(".weight").to_owned();
                layers.push(DeadUnits { layer, dead, units: shape.columns });
            }
        }
        layers
    }
}

#[cfg(test)]
mod tests;
